"""The command ``grade``: its commands, its streams and its exit codes."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable
from typing import Annotated

import typer

from grader import __version__
from grader.cli import (
    authoring,
    doctor,
    exporting,
    learning,
    notebooks,
    portfolio,
    practising,
    studying,
    teaching,
    understanding,
    watching,
)
from grader.errors import GraderError, LessonError, UsageError

PASSED, NOT_PASSED, NOTHING_GRADED, GRADER_FAILED, INTERRUPTED, READER_GONE = 0, 1, 2, 3, 130, 141

app = typer.Typer(
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Headwork: a graded JAX workbook on transformers. `grade` alone says what to do next.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"headwork {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Headwork: a graded JAX workbook on transformers. `grade` alone says what to do next."""
    if context.invoked_subcommand is None:
        studying.what_next()


LEARN, KEEP, TEACH, WRITE = "Learn", "Keep", "Teach a class", "Write lessons"
COMMANDS: tuple[tuple[str, str, Callable[..., None]], ...] = (
    (LEARN, "list", studying.list_lessons),
    (LEARN, "start", studying.start),
    (LEARN, "read", studying.read),
    (LEARN, "walk", studying.walk),
    (LEARN, "predict", practising.predict),
    (LEARN, "lesson", learning.lesson),
    (LEARN, "watch", watching.watch),
    (LEARN, "hint", understanding.hint),
    (LEARN, "explain", understanding.explain),
    (LEARN, "quiz", practising.quiz),
    (LEARN, "solution", understanding.solution),
    (LEARN, "reset", studying.reset),
    (KEEP, "notebook", notebooks.notebook),
    (KEEP, "evidence", portfolio.evidence),
    (KEEP, "progress", portfolio.progress),
    (KEEP, "doctor", doctor.doctor),
    (TEACH, "batch", teaching.batch),
    (TEACH, "inspect", teaching.inspect),
    (TEACH, "compare", teaching.compare),
    (TEACH, "export", exporting.export),
    (TEACH, "package", exporting.package),
    (WRITE, "verify", authoring.verify),
    (WRITE, "record", authoring.record),
    (WRITE, "site", authoring.site),
)
for panel, name, command in COMMANDS:
    app.command(name, rich_help_panel=panel)(command)


def main() -> None:
    """Run ``grade``. Exit 0: all passed; 1: something did not; 2: nothing was graded; 3: the grader failed."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a console of Windows may speak cp1252
            stream.reconfigure(encoding="utf-8", errors="replace")
    for name in ("SIGTERM", "SIGHUP"):  # end as on Ctrl-C: nothing may stay behind
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _: sys.exit(128 + number))
    try:
        app()
    except SystemExit as ending:
        if ending.code == INTERRUPTED and "batch" not in sys.argv:  # of Ctrl-C typer says nothing
            _say("stopped")
        raise
    except (UsageError, LessonError) as error:
        _say(str(error))
        sys.exit(NOTHING_GRADED)
    except GraderError as error:
        _say(f"the grader failed: {error}")
        sys.exit(GRADER_FAILED)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(READER_GONE)
    except sqlite3.Error as error:
        _say(f"the gradebook cannot be used ({error}); restore a copy of it, or name another --out")
        sys.exit(NOTHING_GRADED)
    except Exception:
        traceback.print_exc()
        _say("the grader failed: this is a fault of Headwork, not of your file; please report the lines above")
        sys.exit(GRADER_FAILED)


def _say(message: str) -> None:
    print(f"grade: {message}", file=sys.stderr)


if __name__ == "__main__":
    main()
