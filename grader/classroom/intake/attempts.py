"""A student's attempts, of which the newest complete one is graded."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.classroom.intake.choose import Choice, File, choose
from grader.classroom.nouns import LeftOut
from grader.errors import UsageError
from grader.notebook_code import code_cells
from grader.submission import NOTEBOOK_LIMIT, read_regular_file

LONG_AGO = datetime.datetime.min.replace(tzinfo=datetime.UTC)


@dataclass(frozen=True)
class Attempt:
    """What a student handed in at one time; ``files`` with their paths inside it, ``place`` where it lies.

    ``number`` counts from 1 where the system numbers attempts; else the order is that of the times.
    """

    student: str
    name: str
    place: str
    files: tuple[File, ...]
    received_at: datetime.datetime | None = None
    late: bool = False
    number: int | None = None
    identity: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sorted:
    """A source sorted by a shape that recognised it: ``label`` names the shape in a phrase."""

    label: str
    attempts: tuple[Attempt, ...]
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class Taken:
    """The attempt that is graded, which number it is, its main file, and what to know about the choice."""

    attempt: Attempt
    number: int
    choice: Choice
    notes: tuple[str, ...]


def by_student(attempts: Iterable[Attempt]) -> dict[str, list[Attempt]]:
    """The attempts of each student, students in the order of their keys, attempts from the oldest to the newest."""
    students: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        students.setdefault(attempt.student, []).append(attempt)
    return {student: sorted(students[student], key=_age) for student in sorted(students)}


def newest_complete(attempts: Sequence[Attempt], *, lesson_id: str) -> Taken:
    """The last of ``attempts`` (oldest first) that can be read; the very last when none can."""
    choices = [choose(attempt.files, lesson_id=lesson_id) for attempt in attempts]
    last = len(attempts) - 1
    index = last if last == 0 else next((i for i in range(last, -1, -1) if _is_complete(choices[i])), last)
    attempt, choice = attempts[index], choices[index]
    notes = list(attempt.notes)
    if len(attempts) > 1:
        what = "the newest that is complete" if index < last else "the newest"
        taken = choice.main[1].path if choice.main else attempt.place
        others = ", ".join(_shown(a, c) for i, (a, c) in enumerate(zip(attempts, choices, strict=True)) if i != index)
        notes.append(f"{len(attempts)} attempts; took {what}: {taken}, not {others}")
    return Taken(attempt, attempt.number or index + 1, choice, (*notes, *choice.notes))


def _shown(attempt: Attempt, choice: Choice) -> str:
    return choice.main[1].path if choice.main else attempt.place


def _age(attempt: Attempt) -> tuple[int, datetime.datetime, str]:
    return attempt.number or 0, attempt.received_at or LONG_AGO, attempt.place


def _is_complete(choice: Choice) -> bool:
    if choice.main is None or choice.main[1].size == 0:
        return False
    file = choice.main[1]
    if not file.name.casefold().endswith(".ipynb"):
        return True
    try:
        code_cells(read_regular_file(file.disk, limit=NOTEBOOK_LIMIT), name=file.name)
    except UsageError:
        return False
    return True
