"""The command that grades at every save."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from grader import lesson as lessons
from grader.cli.console import console
from grader.cli.getting_ready import prepared
from grader.cli.lesson_ids import LessonIdOrHere, here_or_last
from grader.errors import GraderError, UsageError

if TYPE_CHECKING:  # only a watch pays for NumPy
    from grader.study.watching.loop import Action, Context
    from grader.study.workspace.places import Place


def watch(
    lesson_id: LessonIdOrHere = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show every check, hint and line of output.")
    ] = False,
) -> None:
    """Grade at every save; single keys lead to hints, the next lesson and more."""
    place = here_or_last(lesson_id)
    while _watch(place, verbose=verbose):
        following = _following(place.lesson_id)
        place = here_or_last(following)
        if place.folder is None:
            console().print(f"next: grade start {following}")
            return


def _watch(place: Place, *, verbose: bool) -> bool:
    """Watch one lesson; whether the learner goes on to the next one."""
    from grader.preparing import modules_used
    from grader.running.runner import Runner
    from grader.study.progress.record import record_grading
    from grader.study.watching.loop import Watch

    folder, screen = place.main.parent, console()
    cache = prepared(lessons.find_lesson(place.lesson_id), console(stderr=True))
    # The worker starts while the lesson is read, and stays for all gradings.
    with Runner(cache, modules_used(_source(place.main))) as runner:
        return Watch(
            lessons.load_lesson(place.lesson_id),
            folder,
            runner=runner,
            console=screen,
            actions=_actions(),
            following=_following(place.lesson_id),
            graded=lambda report: record_grading(report, folder),
            live=sys.stdin.isatty() and sys.stdout.isatty() and not screen.is_dumb_terminal,
            verbose=verbose,
        ).run()


def _source(main: Path) -> bytes:
    """What would be graded now; nothing where that cannot be read, which the watch then says."""
    from grader.submission import read_submission

    try:
        return read_submission(main).source
    except UsageError:
        return b""


def _following(lesson_id: str) -> str:
    """The lesson after this one, or nothing."""
    known = lessons.lesson_ids()
    return next(iter(known[known.index(lesson_id) + 1 :]), "")


# ---- what keys do ---------------------------------------------------------------


def _actions() -> Mapping[str, Action]:
    from grader.study.watching.loop import Action

    return {
        "h": Action("hint", lambda context: _grade("hint", context.lesson.id)),
        "e": Action("explain", _explain),
        "p": Action("predict", lambda context: _grade("predict", context.lesson.id)),
        "l": Action("list", lambda _: _grade("list")),
        "c": Action("check all", _check_all),
        "x": Action("reset", lambda context: _grade("reset", context.lesson.id, "--yes")),  # the watch has asked
    }


def _grade(*arguments: str) -> None:
    """Run ``grade`` with these arguments; what stops it does not stop the watch."""
    from grader.cli.app import app

    try:
        app(list(arguments), standalone_mode=False)
    except GraderError as error:
        console().print(Text(f"grade: {error}"))
    except typer.Abort:  # the input ended in place of an answer
        console().print("stopped")


def _explain(context: Context) -> None:
    from grader.study.watching.state import open_outcome

    check = open_outcome(context.report) if context.report else None
    if check is None:
        console().print("Nothing is open that could be explained.")
    else:
        _grade("explain", check.check, "--lesson", context.lesson.id)


def _check_all(_: Context) -> None:
    """Grade every lesson that was begun, in order."""
    from grader.reporting.text import SIGNS
    from grader.study.helping.regrading import graded_now

    screen = console()
    begun: Sequence[Place] = [place for one in lessons.lesson_ids() if (place := here_or_last(one)).folder]
    try:
        for place in begun:
            try:
                with screen.status(f"grading {place.lesson_id} …"):
                    lesson, _submission, report = graded_now(place.lesson_id, place.main)
            except GraderError as error:
                screen.print(Text(f"{place.lesson_id}: {error}"))
                continue
            points = "no score" if report.score is None else f"{report.score} of {report.max_score} points"
            screen.print(Text.assemble(SIGNS[report.verdict], f" {lesson.id} · {lesson.title} · {points}"))
    except KeyboardInterrupt:
        screen.print("stopped")
