"""A trace function that raises in the worker's own frames."""

# expect: pass, event any|error|fail|todo
import sys


def trace(frame, event, argument):
    if frame.f_code.co_filename.endswith(("student_module.py", "answers.py")):
        raise SystemExit(0)
    return trace


sys.settrace(trace)
