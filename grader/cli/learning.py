"""The command that grades a main.py."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from grader import lesson as lessons
from grader.cli.console import console
from grader.cli.getting_ready import prepared
from grader.cli.lesson_ids import LessonIdOrHere, here_or_last
from grader.errors import UsageError
from grader.study.watching.saves import current_file
from grader.study.workspace.places import has_main, target_folder, this_folder


def lesson(
    lesson_id: LessonIdOrHere = None,
    main: Annotated[
        Path | None,
        typer.Argument(
            metavar="MAIN",
            help="A .py, an .ipynb or a folder; else main.py (or main.ipynb) here, in a folder named ID, or in ./ID.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat the grading with this seed.")] = None,
    require_sandbox: Annotated[
        bool,
        typer.Option(
            "--require-sandbox/--allow-weak-sandbox",
            help="Where student code cannot be confined (see grade doctor): stop, or run it with limits only.",
        ),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show every check, hint and line of output.")
    ] = False,
) -> None:
    """Grade a main.py. Exit 0: all passed; 1: something did not; 2: nothing was graded; 3: the grader failed."""
    # Only a grading pays for NumPy.
    from grader.grading import grade, new_seed
    from grader.model import Verdict
    from grader.preparing import modules_used
    from grader.reporting.predictions import print_predictions
    from grader.reporting.report import to_json
    from grader.reporting.text import print_report
    from grader.running.runner import Runner
    from grader.study.predicting.predictions import made_for
    from grader.study.progress.record import record_grading
    from grader.submission import read_submission

    lesson_id = lesson_id or here_or_last(None).lesson_id
    folder = lessons.find_lesson(lesson_id)
    submission = read_submission(main or _default_main(lesson_id))
    command = f"grade lesson {lesson_id}" + (f" {shlex.quote(str(main))}" if main else "")
    progress = console(stderr=True)
    cache = prepared(folder, progress)
    # The worker starts while the lesson is read.
    with (
        Runner(cache, modules_used(submission.source), strict=require_sandbox) as runner,
        progress.status(f"grading {submission.path} …"),
    ):
        lesson = lessons.load_lesson(lesson_id)
        made = made_for(folder)
        report = grade(
            lesson,
            submission,
            seed=new_seed() if seed is None else seed,
            open_worker=runner.open,
            afterwards=made.look if made else None,
        )
    if submission.folder and (lost := record_grading(report, submission.folder)):
        print(f"grade: {lost}", file=sys.stderr)
    if json:
        typer.echo(to_json(report))
    else:
        print_report(report, lesson, console(), command=command, verbose=verbose)
        if made:
            ask = f"grade predict {lesson_id}"
            print_predictions(made.compared(), console(), unmade=made.unmade, command=ask, verbose=verbose)
    if report.verdict is Verdict.INTERNAL:
        raise typer.Exit(3)
    raise typer.Exit(0 if report.verdict is Verdict.PASS else 1)


def _default_main(lesson_id: str) -> Path:
    """The learner's file in this folder, if it is named after the lesson, else in the folder of that name below."""
    here = this_folder()
    folder = next((one for one in (target_folder(lesson_id, here=here), here / lesson_id) if has_main(one)), None)
    if folder is not None:
        return Path(os.path.relpath(current_file(folder), here))
    raise UsageError(
        f"{Path(lesson_id, 'main.py')}: no such file, and this folder is not a {lesson_id} folder with a main.py; "
        f"get one with: grade start {lesson_id}, or name yours: grade lesson {lesson_id} FILE"
    )
