"""Whose score changed from one gradebook to another, with the checks behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.classroom.nouns import Graded


@dataclass(frozen=True)
class CheckChange:
    """What one check gave before and gives now; None where it is not there."""

    check: str
    before: tuple[str, int] | None
    after: tuple[str, int] | None

    def __str__(self) -> str:
        def said(one: tuple[str, int] | None) -> str:
            return "not there" if one is None else f"{one[0]} ({one[1]})"

        return f"{self.check}: {said(self.before)} → {said(self.after)}"


@dataclass(frozen=True)
class Standing:
    """One student's score with verdict and points of each check; small, so that a whole course fits in memory."""

    student: str
    name: str
    score: int | None
    max_score: int
    checks: Mapping[str, tuple[str, int]]


@dataclass(frozen=True)
class Change:
    """One student's difference; a side is None where the student is missing."""

    student: str
    name: str
    before: Standing | None
    after: Standing | None
    checks: tuple[CheckChange, ...]

    @property
    def scores(self) -> str:
        """Both scores in words."""
        return f"{_score(self.before)} → {_score(self.after)}"


def compare(old: Iterable[Graded], new: Iterable[Graded]) -> tuple[Change, ...]:
    """The students whose score or points of any check differ, by student."""
    before = {one.student: standing(one) for one in old}
    after = {one.student: standing(one) for one in new}
    changes = (_change(before.get(student), after.get(student)) for student in sorted({*before, *after}))
    return tuple(change for change in changes if change is not None)


def standing(graded: Graded) -> Standing:
    """What of a grading is compared."""
    checks = {one["check"]: (one["verdict"], one["points"]) for one in graded.report["outcomes"] if one["max_points"]}
    return Standing(graded.student, graded.name, graded.score, graded.max_score, checks)


def _change(before: Standing | None, after: Standing | None) -> Change | None:
    one = after or before
    assert one is not None
    if before and after and _points(before) == _points(after):
        return None
    checks: tuple[CheckChange, ...] = ()
    if before and after:
        names = dict.fromkeys((*before.checks, *after.checks))
        changes = (CheckChange(name, before.checks.get(name), after.checks.get(name)) for name in names)
        checks = tuple(change for change in changes if change.before != change.after)
    return Change(one.student, one.name, before, after, checks)


def _score(one: Standing | None) -> str:
    if one is None:
        return "missing"
    return "no score" if one.score is None else f"{one.score}/{one.max_score}"


def _points(one: Standing) -> tuple[int | None, int, dict[str, int]]:
    return one.score, one.max_score, {name: points for name, (_, points) in one.checks.items()}
