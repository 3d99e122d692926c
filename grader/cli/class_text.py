"""What a batch says about a class in the terminal."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.cli.console import console
from grader.errors import UsageError

if TYPE_CHECKING:  # only a batch pays for NumPy
    from grader.classroom.gradebook import Gradebook
    from grader.classroom.nouns import Intake, LeftOut
    from grader.classroom.roster import Enrolled
    from grader.cli.progress import Tally
    from grader.model import Lesson

LINES_OF_A_LIST = 20


def dry_run(source: Path, lesson: Lesson, *, enrolled: Sequence[Enrolled]) -> None:
    """Show who was recognised, from which file, what was left out with its reason."""
    from grader.classroom.batch import submission_of
    from grader.classroom.intake import take_in
    from grader.classroom.roster import missing, not_enrolled

    screen = console()
    with tempfile.TemporaryDirectory(prefix="headwork-dry-") as workspace:
        intake = take_in(source, workspace=Path(workspace), lesson_id=lesson.id)
        say_intake(intake, screen, most=None)
        table = Table("student", "name", "file", "received", "about it")
        for one in intake.received:
            try:
                about = "; ".join(submission_of(one).notes)
            except UsageError as error:
                about = f"cannot be graded: {error}"
            when = "" if one.received_at is None else f"{one.received_at:%Y-%m-%d %H:%M} UTC"
            cells = (one.student, one.name, one.file, when + (" late" if one.late else ""), about)
            table.add_row(*(Text(cell) for cell in cells))
        screen.print(table)
        _list("missing", [str(one) for one in missing(enrolled, intake.received)], screen, most=None)
        if enrolled:
            strangers = [one.student for one in not_enrolled(enrolled, intake.received)]
            _list("not on the roster", strangers, screen, most=None)


def say_intake(intake: Intake, screen: Console, *, most: int | None = LINES_OF_A_LIST) -> None:
    """Say what a source was recognised as, with what was left out of it."""
    screen.print(Text(intake.shape, style="bold"))
    _list("left out", [_left_out(one) for one in intake.left_out], screen, most=most)


def _left_out(one: LeftOut) -> str:
    return f"{one.file}: {one.reason}"


def _list(title: str, lines: Sequence[str], screen: Console, *, most: int | None = LINES_OF_A_LIST) -> None:
    if lines:
        screen.print(Text(f"{title}: {len(lines)}", style="yellow"))
        for line in lines[:most]:
            screen.print(Text(f"  {line}"))
        if most is not None and len(lines) > most:
            screen.print(Text(f"  … and {len(lines) - most} more: grade batch … --dry-run shows all", style="dim"))


def summary(
    tally: Tally,
    intake: Intake,
    gradebook: Gradebook,
    *,
    lesson: Lesson,
    out: Path,
    screen: Console,
    lists: dict[str, list[str]],
) -> None:
    """Say what a batch came to: counts, the commonest mistakes, what was left, where the files are."""
    from grader.classroom.outputs import common_misconceptions

    screen.print(Text(f"\n{tally.done} of {len(intake.received)}: {str(tally) or 'nothing to grade'}", style="bold"))
    for title, count in common_misconceptions(gradebook.latest(lesson.id)):
        screen.print(Text(f"  {count:4} × {title}"))
    for title, lines in lists.items():
        _list(title, lines, screen)
    unread = [
        f"{one.student} ({one.file}): {event['message']}"
        for one in gradebook.latest(lesson.id)
        for event in one.report["events"]
        if event["kind"] == "unreadable" and one.report["sandbox"] == "not run"
    ]
    _list("could not be read, so 0 points; decide about each", unread, screen)
    problems = [f"{one.student} ({one.file}): {one.problem}" for one in tally.problems]
    _list("not graded, tried again by the next run", problems, screen)
    names = [name for name in ("class.html", "grades.csv", "reports", "gradebook.sqlite") if (out / name).exists()]
    screen.print(Text(f"in {out}: {', '.join(names)}"), soft_wrap=True)
