"""Commands that show what was done: progress, evidence."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from grader import lesson as lessons
from grader.cli.console import console
from grader.cli.lesson_ids import LessonIdOrHere, here_or_last
from grader.errors import UsageError
from grader.study.workspace.places import this_folder

if TYPE_CHECKING:
    from grader.study.progress.record import LessonProgress, Progress


def progress(
    merge_file: Annotated[
        Path | None, typer.Option("--merge", metavar="FILE", help="Take in the progress file of another machine.")
    ] = None,
    path: Annotated[bool, typer.Option("--path", help="Print where progress is kept.")] = False,
) -> None:
    """Show what you have done so far, and where that is kept."""
    from grader.study.progress.record import progress_path, read_progress

    if path:
        typer.echo(progress_path())
        return
    screen = console()
    if merge_file is not None:
        _merge(merge_file)
        screen.print(Text(f"{merge_file} is taken in: of everything the best is kept.\n"), soft_wrap=True)
    known = read_progress()
    if not known.lessons:
        screen.print(Text("Nothing yet. Begin with: grade list"))
    else:
        screen.print(_table(known))
    screen.print(Text(f"kept in {progress_path()}", style="dim"), soft_wrap=True)


def _merge(file: Path) -> None:
    from grader.study.progress.nouns import merge
    from grader.study.progress.record import read_progress, update_all

    if not file.is_file():
        raise UsageError(f"{file}: no such file; name the one that `grade progress --path` shows on the other machine")
    other = read_progress(file)

    def merged(mine: Progress) -> dict[str, LessonProgress]:
        # Folders are those of this machine.
        return {name: replace(one, folder=mine.lesson(name).folder) for name, one in merge(mine, other).lessons.items()}

    update_all(merged)


def _table(known: Progress) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("lesson", "points", "passed", "gradings", "predictions", "quiz", "last worked on"):
        table.add_column(title, justify="right" if title in ("gradings", "predictions") else "left")
    order = lessons.lesson_ids()
    for name, one in sorted(known.lessons.items(), key=lambda item: (item[0] not in order, item[0])):
        points = "–" if one.best is None else f"{one.best} of {one.max_score}"
        answered = f"{len(one.quiz)} answered" if one.quiz else "–"
        cells = (name, points, (one.passed_at or "–")[:10], f"{one.gradings}", f"{len(one.predictions)}", answered)
        table.add_row(*map(Text, (*cells, (one.last_at or "–")[:10])))
    return table


def evidence(
    lesson_id: LessonIdOrHere = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="The folder to make; else ID-evidence here, or beside the lesson's folder if that is here.",
        ),
    ] = None,
) -> None:
    """Collect your work on a lesson, graded afresh, as a folder with one page that holds it all."""
    from grader.preparing import compiled_already, modules_used
    from grader.running.runner import Runner
    from grader.study.evidence.collect import gather
    from grader.study.evidence.folder import write
    from grader.study.progress.record import read_progress, record_grading
    from grader.submission import read_submission

    place = here_or_last(lesson_id)
    main = place.main
    submission = replace(read_submission(main), path=main.name)  # no path of this machine in what is handed in
    lesson = lessons.load_lesson(place.lesson_id)
    cache = compiled_already(lesson.folder)
    with (
        Runner([cache] if cache else [], modules_used(submission.source)) as runner,
        console(stderr=True).status(f"grading {submission.path} …"),
    ):
        found = gather(lesson, submission, read_progress().lesson(lesson.id), open_worker=runner.open)
    if lost := record_grading(found.report, main.parent):
        print(f"grade: {lost}", file=sys.stderr)
    beside = Path("..") if place.folder == this_folder() else Path()
    folder = write(found, out or beside / f"{lesson.id}-evidence", main=main)
    screen = console()
    screen.print(Text(f"{folder} holds the evidence of {main}."), soft_wrap=True)
    screen.print(Text("Hand in the folder, or this one page of it, which holds all:"))
    screen.print(Text(f"{(folder / 'index.html').resolve()}", style="bold"), soft_wrap=True)
    for lack in found.lacks:
        screen.print(Text(f"It would gain from {lack}"))
