"""Commands that help to understand: explain, hint, solution."""

from __future__ import annotations

import contextlib
import difflib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from grader import lesson as lessons
from grader.cli.console import console
from grader.cli.lesson_ids import LessonIdOrHere, here_or_last, whole
from grader.cli.studying import SITE, agreed
from grader.errors import GraderError, LessonError, UsageError
from grader.study.progress.record import read_progress, update
from grader.study.reading.outline import declared_checks
from grader.study.workspace.places import Place, current_lesson, this_folder

if TYPE_CHECKING:  # NumPy comes with it
    from grader.model import Lesson, Outcome, Submission
    from grader.narration import Explanation


def explain(
    check: Annotated[
        str | None, typer.Argument(metavar="CHECK", help="The check by name; else the first that does not pass.")
    ] = None,
    lesson_id: Annotated[
        str | None, typer.Option("--lesson", metavar="ID", callback=whole, help="The lesson it belongs to.")
    ] = None,
) -> None:
    """Explain a check: the relation in words, as a formula and in a small example."""
    from grader.study.reading.telling import explained

    screen = console()
    if check is None:
        found = _graded(here_or_last(lesson_id), screen)
        if found is None:
            return
        owner, check = found.lesson.id, found.outcome.check
    else:
        owner = _owner_of(check, [lesson_id] if lesson_id else lessons.lesson_ids())
    lesson = lessons.load_lesson(owner)
    asked = next(one for one in lesson.checks if one.name == check)
    worth = f"{asked.points} point{'s' * (asked.points != 1)}" if asked.points else "advice"
    screen.print(Text.assemble((asked.title, "bold"), (f"  ({asked.name} · {owner} · {worth})", "dim")))
    screen.print()
    for part in explained(_explanation(lesson, check)):
        screen.print(part)
    if asked.proves:
        screen.print(Text.assemble(("proves: ", "green"), asked.proves))


def hint(
    lesson_id: LessonIdOrHere = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Go to the reference solution; asks first at a terminal.")
    ] = False,
) -> None:
    """Show the next of three hints for what stands in the way, then the way to the solution."""
    from grader.model import Verdict
    from grader.study.helping.hints import TIERS, first_gap, hints_for
    from grader.study.reading.telling import told

    place, screen = here_or_last(lesson_id), console()
    if reveal:
        solution(place.lesson_id, reveal=True)
        return
    found = _graded(place, screen)
    if found is None:
        return
    lesson, outcome = found.lesson, found.outcome
    kept = read_progress().lesson(lesson.id)
    _print_outcome(found, screen, attempts=kept.attempts.get(outcome.check, 0))
    if outcome.verdict is Verdict.TODO and (gap := first_gap(found.submission)):
        screen.print(Text.assemble(("first to write: ", "green"), gap))
    hints = hints_for(outcome, _explanation(lesson, outcome.check))
    shown = max(0, kept.hints.get(hints.name, 0))
    tiers = range(TIERS) if shown >= TIERS else [shown]
    for tier in tiers:
        screen.print(Text(f"\nhint {tier + 1} of {TIERS}", style="green"))
        for part in told(hints.tiers[tier]):
            screen.print(Padding(part, (0, 0, 0, 2)))
    _print_links(found, screen)
    if shown >= TIERS:
        screen.print(Text(f"These were all. The reference solution: grade solution {lesson.id} --reveal"))
        return
    try:
        update(lesson.id, lambda now: replace(now, hints={**now.hints, hints.name: shown + 1}))
    except UsageError as error:
        print(f"grade: this hint is not in your progress: {error}", file=sys.stderr)
    onward = f"grade hint {lesson.id}" if shown + 1 < TIERS else f"grade solution {lesson.id} --reveal"
    screen.print(Text(f"change your file, then: grade lesson {lesson.id} · still stuck: {onward}", style="dim"))


def solution(
    lesson_id: LessonIdOrHere = None,
    whole: Annotated[bool, typer.Option("--all", help="The whole file, not only what was to write.")] = False,
    reveal: Annotated[bool, typer.Option("--reveal", help="Before you have passed; asks first at a terminal.")] = False,
) -> None:
    """Show the reference beside your file, once you have passed."""
    from grader.study.helping.comparison import pairs
    from grader.study.helping.side_by_side import print_pair
    from grader.submission import read_submission

    place, screen = here_or_last(lesson_id), console()
    kept = read_progress().lesson(place.lesson_id)
    if kept.passed_at is None:
        if not reveal:
            raise UsageError(
                f"{place.lesson_id}: the reference is for after you have passed; help without it: "
                f"grade hint {place.lesson_id}; to see it all the same: grade solution {place.lesson_id} --reveal"
            )
        ask = f"{place.lesson_id} has not passed yet. Show the reference all the same? [y/N] "
        if sys.stdin.isatty() and not agreed(ask):
            screen.print(f"Not shown. Help without it: grade hint {place.lesson_id}")
            return
    base = lessons.find_lesson(place.lesson_id).parent.parent
    scaffold, reference = (
        (base / folder / place.lesson_id / "main.py").read_text(encoding="utf-8")
        for folder in ("scaffolds", "solutions")
    )
    mine = read_submission(place.main).source.decode("utf-8", "replace")
    for pair in pairs(mine, scaffold=scaffold, reference=reference, whole=whole):
        print_pair(pair, screen)
    if not kept.solution_seen:
        update(place.lesson_id, lambda now: replace(now, solution_seen=True))
    screen.print(
        Text("≠ marks lines that differ. Other ways of writing it are just as right: values are graded, not text.")
    )


@dataclass(frozen=True)
class _Found:
    """What stands in the way in a file as it is now."""

    lesson: Lesson
    submission: Submission
    outcome: Outcome


def _graded(place: Place, screen: Console) -> _Found | None:
    """What the learner's file needs next; None when that is no check, which is said. Raises GraderError."""
    from grader.model import Verdict
    from grader.place import in_words
    from grader.study.helping.hints import first_open
    from grader.study.helping.regrading import graded_now

    with console(stderr=True).status(f"grading {place.main} …"):
        lesson, submission, report = graded_now(place.lesson_id, place.main)
    if report.verdict is Verdict.INTERNAL:
        raise GraderError("the grading did not come to an end, which is no fault of yours; try again, or: grade doctor")
    outcome = first_open(report)
    if outcome is None:
        screen.print(Text(f"✓ Everything in {lesson.id} passes. One idea to try: {lesson.next_idea}"))
        screen.print(Text(f"Yours beside the reference: grade solution {lesson.id} · what comes next: grade"))
    elif any(event.kind == "unreadable" for event in report.events):
        event = next(event for event in report.events if event.kind == "unreadable")
        at = f"{in_words(event.line, event.cell)}: " if event.line else ""
        screen.print(Text(f"{place.main.name} cannot be read as Python, so nothing is graded yet: {at}{event.message}"))
    else:
        return _Found(lesson, submission, outcome)
    return None


def _explanation(lesson: Lesson, check: str) -> Explanation:
    from grader.study.material import explanations

    known = explanations(lesson.folder)
    if check not in known:
        raise LessonError(f"{lesson.folder / 'explain.py'}: explains no check {check}; add it")
    return known[check]


def _print_outcome(found: _Found, screen: Console, *, attempts: int) -> None:
    from grader.reporting.view import MARKS

    outcome = found.outcome
    exercise = found.lesson.exercise(outcome.exercise).title
    tried = f" · tried {attempts} time{'s' * (attempts != 1)}" if attempts else ""
    screen.print(
        Text.assemble(f"{MARKS[outcome.verdict]} ", (outcome.title, "bold"), (f"  ({exercise}{tried})", "dim"))
    )
    if outcome.message:
        screen.print(Text(f"what came out: {outcome.message}"))
    if outcome.diagnosis:
        screen.print(Text(f"the mistake: {' and '.join(one.title for one in outcome.diagnosis)}"))


def _print_links(found: _Found, screen: Console) -> None:
    """Where the site shows the mistake beside what is right; nothing where no site has the lesson."""
    from grader.reporting.site_links import mistake_link
    from grader.study.reading.site_page import site_address

    with contextlib.suppress(UsageError):
        address = site_address(os.environ.get(SITE, ""), found.lesson.id)
        for one in found.outcome.diagnosis:
            link = mistake_link(address, found.lesson.id, one.name)
            screen.print(Text(f"beside what is right: {link}", style="dim"), soft_wrap=True)


def _owner_of(check: str, ids: Sequence[str]) -> str:
    """The one lesson that has this check; the current one where several do. Raises UsageError."""
    names = {lesson_id: [one.name for one in declared_checks(lessons.find_lesson(lesson_id))] for lesson_id in ids}
    owners = [lesson_id for lesson_id, checks in names.items() if check in checks]
    if len(owners) == 1:
        return owners[0]
    current = current_lesson(read_progress(), here=this_folder())
    if current in owners:
        return current
    if owners:
        raise UsageError(f"{check}: in {' and '.join(owners)}; say which with --lesson {owners[0]}")
    own = names.get(current or "", [])
    close = difflib.get_close_matches(check, own or [one for checks in names.values() for one in checks], n=1)
    raise UsageError(f"{check}: no such check; " + (f"did you mean {close[0]}?" if close else "see: grade lesson"))
