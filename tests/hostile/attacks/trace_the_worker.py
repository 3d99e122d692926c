"""A trace function that raises in the worker's own frames."""

# expect: pass, event any|error|fail|todo
import sys


def trace(frame, event, argument):
    if "student_module" in frame.f_code.co_filename:
        raise SystemExit(0)
    return trace


sys.settrace(trace)
