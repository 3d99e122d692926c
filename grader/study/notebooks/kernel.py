"""The magic %grade: what a live kernel defines, graded by a process of its own."""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any, NoReturn

from IPython.core.error import UsageError as IPythonUsageError
from IPython.display import display
from IPython.utils.capture import capture_output

from grader.errors import GraderError, UsageError
from grader.notebook_code import joined
from grader.running.listing import Listing
from grader.running.protocol import ProtocolError
from grader.study.workspace.places import lesson_id_of

LAST_WORDS = 1500


class Options(argparse.ArgumentParser):
    """What stands behind %grade; a mistake in it is told in one line."""

    def __init__(self) -> None:
        super().__init__(prog="%grade", add_help=False)
        self.add_argument("lesson", metavar="ID")
        self.add_argument("--seed", type=int)
        self.add_argument("--verbose", "-v", action="store_true")

    def error(self, message: str) -> NoReturn:
        """Say what is wrong. Raises UsageError, where a program would end."""
        raise UsageError(f"{message}; write it as %grade ID [--seed N] [--verbose]")


def register(shell: Any) -> None:
    """Give ``shell``, that of the kernel, the magic."""

    def grade(line: str) -> None:
        """Grade what this notebook defines now: %grade ID [--seed N] [--verbose]."""
        try:
            options = Options().parse_args(line.split())
            lesson_id = lesson_id_of(options.lesson)
            if options.seed is not None and options.seed < 0:
                raise UsageError(f"--seed {options.seed}: negative; a seed is 0 or more")
            display(_graded(shell, lesson_id, seed=options.seed, verbose=options.verbose), raw=True)
        except GraderError as error:  # IPython shows its own kind without a traceback
            raise IPythonUsageError(str(error)) from None
        except KeyboardInterrupt:
            print("stopped: nothing was graded")

    shell.register_magic_function(grade, magic_kind="line")


def _graded(shell: Any, lesson_id: str, *, seed: int | None, verbose: bool) -> dict[str, str]:
    """The report on the lesson, by MIME type. Everything that decides is in the other process."""
    from grader.running.serving import serve_names

    # -P: no file of the learner's can replace ours.
    command = [sys.executable, "-P", "-m", "grader.study.notebooks.live_grading", lesson_id]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
    with tempfile.TemporaryFile() as complaints:
        # A session of its own: the interrupt that ends a grading is for the kernel alone.
        process = subprocess.Popen(
            [*command, json.dumps({"seed": seed, "verbose": verbose})],
            stderr=complaints,
            start_new_session=True,
            **pipes,
        )
        with process:
            assert process.stdin is not None and process.stdout is not None
            try:
                with capture_output() if not verbose else contextlib.nullcontext():
                    given = serve_names(
                        _names(shell),
                        _listing(shell),
                        questions=process.stdout.fileno(),
                        replies=process.stdin.fileno(),
                    )
                if given is not None:
                    return dict(json.loads(given))
            except ProtocolError as error:
                raise GraderError(f"{error}; restart the kernel and run its cells again") from error
            finally:
                process.kill()
        complaints.seek(0)
        said = complaints.read().decode("utf-8", "replace").strip()[-LAST_WORDS:]
    raise GraderError(f"the grader failed: {said or 'it ended without a word'}")


def _names(shell: Any) -> dict[str, Any]:
    """What the cells have defined, without what IPython puts beside it."""
    hidden = shell.user_ns_hidden
    return {name: value for name, value in shell.user_ns.items() if name not in hidden or hidden[name] is not value}


def _listing(shell: Any) -> Listing:
    """The code that was run so far, In[1] as cell 1."""
    code = joined([_readable(cell) for cell in shell.history_manager.input_hist_raw[1:]])

    def lines_before(file: str) -> int | None:
        kind_and_name: Sequence[str] = shell.compile.format_code_name(file) or ("", "")
        number = re.fullmatch(r"In\[(\d+)\]", kind_and_name[1])
        return code.cells[int(number[1]) - 1] if number and int(number[1]) <= len(code.cells) else None

    text = code.source.decode()
    return Listing(lines_before, text, code.cells, ast.parse(text))


def _readable(cell: str) -> str:
    """``cell``, or as many empty lines where it is not Python: it was run in vain."""
    try:
        ast.parse(joined([cell]).source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "\n" * cell.count("\n")
    return cell
