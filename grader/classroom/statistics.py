"""What a class did, as numbers: pure functions of its gradings."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.classroom.nouns import Graded
from grader.model import Check, Verdict
from grader.place import in_words

BARS = 16
NOT_GRADED = frozenset({Verdict.INTERNAL})


@dataclass(frozen=True)
class Standing:
    """What the statistics need of one grading: a few hundred bytes in place of the whole report.

    ``verdicts`` are by check; ``mistakes`` are the misconceptions shown, by name, with their titles; ``unexplained``
    says that something came out wrong and no misconception explains any of it. ``obstacle`` is why there is no
    real grading: the grader failed or the file cannot be read. ``seconds`` is what the checks took.
    """

    student: str
    name: str
    verdict: Verdict
    score: int | None
    max_score: int
    points: Mapping[str, int]
    verdicts: Mapping[str, Verdict]
    mistakes: Mapping[str, str]
    unexplained: bool
    obstacle: str
    seconds: float
    late: bool


@dataclass(frozen=True)
class Bar:
    """Scores from ``low`` to ``high``, both included, and how many have one of them."""

    low: int
    high: int
    count: int


@dataclass(frozen=True)
class CheckFigures:
    """How a class did on one check; ``discrimination`` is None where it is not defined."""

    check: Check
    passed: int
    judged: int
    discrimination: float | None

    @property
    def pass_rate(self) -> float | None:
        """The share that passed, 0 to 1; None when nobody was judged."""
        return self.passed / self.judged if self.judged else None


@dataclass(frozen=True)
class MistakeCount:
    """A misconception with the students who show it."""

    name: str
    title: str
    students: tuple[str, ...]


def standing(graded: Graded) -> Standing:
    """The small form of ``graded``."""
    report = graded.report
    outcomes = report["outcomes"]
    verdict = Verdict(report["verdict"])
    mistakes = {one["name"]: one["title"] for outcome in outcomes for one in outcome["diagnosis"]}
    unreadable = [_with_line(event) for event in report["events"] if event["kind"] == "unreadable"]
    failed = [one["message"] for one in outcomes if one["verdict"] == Verdict.INTERNAL]
    return Standing(
        student=graded.student,
        name=graded.name,
        verdict=verdict,
        score=graded.score,
        max_score=graded.max_score,
        points={one["check"]: one["points"] for one in outcomes},
        verdicts={one["check"]: Verdict(one["verdict"]) for one in outcomes},
        mistakes=mistakes,
        unexplained=not mistakes and any(one["verdict"] == Verdict.FAIL and one["max_points"] for one in outcomes),
        obstacle=(unreadable or (failed if graded.score is None else []) or [""])[0],
        seconds=sum(one["duration_s"] for one in outcomes),
        late=graded.late,
    )


def _with_line(event: Mapping[str, Any]) -> str:
    message: str = event["message"]
    return f"{in_words(event['line'], event.get('cell'))}: {message}" if event["line"] else message


def scores(class_: Iterable[Standing]) -> list[int]:
    """The scores of those who were graded, in ascending order."""
    return sorted(one.score for one in class_ if one.score is not None)


def distribution(class_: Iterable[Standing], max_score: int) -> tuple[Bar, ...]:
    """The scores 0 to ``max_score`` in at most 16 bars of equal width, the last of which may be narrower."""
    width = max(1, math.ceil((max_score + 1) / BARS))
    bars: dict[int, int] = dict.fromkeys(range(0, max_score + 1, width), 0)
    for score in scores(class_):
        bars[min(max(score, 0), max_score) // width * width] += 1
    return tuple(Bar(low, min(low + width - 1, max_score), count) for low, count in bars.items())


def quartiles(values: Sequence[float]) -> tuple[float, float, float] | None:
    """Lower quartile, median and upper quartile, both ends included (R's type 7); None without values."""
    if not values:
        return None
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def check_figures(class_: Sequence[Standing], checks: Sequence[Check]) -> tuple[CheckFigures, ...]:
    """Pass rate and discrimination of every check, in the lesson's order; what our fault spoilt is left out."""
    return tuple(_figures(class_, check) for check in checks)


def _figures(class_: Sequence[Standing], check: Check) -> CheckFigures:
    judged = [
        one
        for one in class_
        if one.score is not None and one.verdicts.get(check.name, Verdict.INTERNAL) not in NOT_GRADED
    ]
    passed = [one.verdicts[check.name] is Verdict.PASS for one in judged]
    rest = [(one.score or 0) - one.points[check.name] for one in judged]
    return CheckFigures(check, sum(passed), len(judged), point_biserial(passed, rest))


def point_biserial(passed: Sequence[bool], rest: Sequence[float]) -> float | None:
    """How well passing goes with the rest of the score: the correlation of 0/1 with a number, -1 to 1.

    r = (M1 - M0) / s · √(p (1 - p)), with the means M of those who passed and who did not, the standard deviation s
    of all (divided by n) and the share p who passed: Lord and Novick, Statistical Theories of Mental Test Scores
    (1968). ``rest`` leaves the check's own points out, since they would correlate with themselves: Henrysson,
    Correction of item-total correlations in item analysis, Psychometrika 28 (1963).
    None when all or none passed, or when all have the same rest.
    """
    count = len(rest)
    right = [value for value, good in zip(rest, passed, strict=True) if good]
    wrong = [value for value, good in zip(rest, passed, strict=True) if not good]
    if not right or not wrong or min(rest) == max(rest):
        return None
    spread = statistics.pstdev(rest)
    share = len(right) / count
    r = (statistics.fmean(right) - statistics.fmean(wrong)) / spread * math.sqrt(share * (1 - share))
    return min(1.0, max(-1.0, r))  # rounding may leave the range by an ulp


def mistake_counts(class_: Iterable[Standing]) -> tuple[MistakeCount, ...]:
    """Every misconception that was shown, the most frequent first; of a pair each counts."""
    titles: dict[str, str] = {}
    students: dict[str, list[str]] = {}
    for one in class_:
        for name, title in one.mistakes.items():
            titles.setdefault(name, title)
            students.setdefault(name, []).append(one.student)
    counts = [MistakeCount(name, titles[name], tuple(who)) for name, who in students.items()]
    return tuple(sorted(counts, key=lambda one: (-len(one.students), one.title)))


def by_score(class_: Iterable[Standing]) -> tuple[Standing, ...]:
    """The highest score first, those without one last; equal scores by what was passed, then by student."""
    return tuple(sorted(class_, key=_place))


def _place(one: Standing) -> tuple[bool, int, list[bool], str]:
    return (
        one.score is None,
        -(one.score or 0),
        [verdict is not Verdict.PASS for verdict in one.verdicts.values()],
        one.student,
    )
