"""What a learner has done in a lesson, as frozen data with the pure functions over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # NumPy comes with it
    from grader.model import Report

T = TypeVar("T")


@dataclass(frozen=True)
class Predicted:
    """What was predicted, as it was typed, and why; ``at`` is UTC, ``digest`` the state of the lesson."""

    text: str = ""
    reason: str = ""
    at: str = ""
    digest: str = ""


@dataclass(frozen=True)
class Answered:
    """How a question of the quiz stands.

    Its ``box``, the date from which it is due again, right and wrong answers, when the last one was given and which.
    """

    box: int = 0
    due: str = ""
    right: int = 0
    wrong: int = 0
    last: str = ""
    chosen: str = ""


@dataclass(frozen=True)
class LessonProgress:
    """One lesson. Times are UTC in ISO 8601, names are those of the lesson.

    ``attempts`` counts, for each check, the gradings that it failed since it last passed; a check that is not written
    yet or waits for another counts as neither. ``best`` never falls. ``hints`` counts the tiers shown for a check or a
    misconception. ``digest`` is the state of the lesson at the last grading, ``folder`` where the main.py lies.
    ``proved`` says when a check passed first.
    """

    best: int | None = None
    max_score: int | None = None
    passed_at: str | None = None
    digest: str = ""
    attempts: Mapping[str, int] = field(default_factory=dict)
    gradings: int = 0
    last_at: str | None = None
    hints: Mapping[str, int] = field(default_factory=dict)
    proved: Mapping[str, str] = field(default_factory=dict)
    solution_seen: bool = False
    folder: str = ""
    predictions: Mapping[str, Predicted] = field(default_factory=dict)
    quiz: Mapping[str, Answered] = field(default_factory=dict)


@dataclass(frozen=True)
class Progress:
    """All lessons that were begun."""

    lessons: Mapping[str, LessonProgress] = field(default_factory=dict)

    def lesson(self, lesson_id: str) -> LessonProgress:
        """One lesson; an empty one when it was never begun."""
        return self.lessons.get(lesson_id, LessonProgress())


def graded(before: LessonProgress, report: Report, *, folder: str, at: str) -> LessonProgress:
    """Progress after one more grading."""
    from grader.model import Verdict

    assert report.score is not None
    attempts = dict(before.attempts)
    passed = [one.check for one in report.outcomes if one.verdict is Verdict.PASS]
    unreadable = any(event.kind == "unreadable" for event in report.events)  # says nothing about any check
    for outcome in () if unreadable else report.outcomes:
        if outcome.verdict is Verdict.PASS:
            attempts.pop(outcome.check, None)
        elif outcome.verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT):
            attempts[outcome.check] = attempts.get(outcome.check, 0) + 1
    better = before.best is None or report.score > before.best
    return replace(
        before,
        best=report.score if better else before.best,
        max_score=report.max_score if better else before.max_score,
        passed_at=before.passed_at or (at if report.verdict is Verdict.PASS else None),
        digest=report.lesson_digest,
        attempts=attempts,
        hints={**dict.fromkeys(_asked_in_report(report), 1), **before.hints},
        proved={**dict.fromkeys(passed, at), **before.proved},
        gradings=before.gradings + 1,
        last_at=at,
        folder=folder or before.folder,  # another file was graded; where the learner's own lies is still so
    )


def _asked_in_report(report: Report) -> list[str]:
    """Names of the mistakes whose first hint the report shows with the first failure."""
    return next(([mistake.name for mistake in one.diagnosis] for one in report.outcomes if one.diagnosis), [])


def merge(one: Progress, other: Progress) -> Progress:
    """What two machines know, together: of everything the best. The order does not matter, nor does doing it twice."""
    return Progress(_each(one.lessons, other.lessons, merge_lessons))


def merge_lessons(one: LessonProgress, other: LessonProgress) -> LessonProgress:
    """The most points, the first pass, the first prediction (none is improved later), the latest answer to a question.

    Counts are the greater of the two, since some of the same gradings may stand in both.
    """
    both = (one, other)
    most = max(both, key=lambda each: tuple(-1 if x is None else x for x in (each.best, each.max_score)))
    latest = max(both, key=lambda each: (each.last_at or "", each.digest, each.folder))
    return LessonProgress(
        best=most.best,
        max_score=most.max_score,
        passed_at=min(filter(None, (each.passed_at for each in both)), default=None),
        digest=latest.digest,
        attempts=_each(one.attempts, other.attempts, max),
        gradings=max(one.gradings, other.gradings),
        last_at=latest.last_at,
        hints=_each(one.hints, other.hints, max),
        proved=_each(one.proved, other.proved, min),
        solution_seen=one.solution_seen or other.solution_seen,
        folder=latest.folder,
        predictions=_each(one.predictions, other.predictions, _earlier),
        quiz=_each(one.quiz, other.quiz, _later),
    )


def _each(one: Mapping[str, T], other: Mapping[str, T], choose: Callable[[T, T], T]) -> dict[str, T]:
    shared = {name: choose(one[name], other[name]) for name in one if name in other}
    return {**one, **other, **shared}


def _earlier(one: Predicted, other: Predicted) -> Predicted:
    return min(one, other, key=lambda each: (each.at, each.text, each.reason, each.digest))


def _later(one: Answered, other: Answered) -> Answered:
    return max(one, other, key=lambda each: (each.last, each.box, each.due, each.right, each.wrong, each.chosen))
