"""Gradings of the first lesson, made of outcomes as the grader makes them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from grader.classroom.nouns import Graded
from grader.grading import report_without_run
from grader.model import Diagnosis, Lesson, Verdict
from grader.reporting.report import to_dict

NOON = datetime.datetime(2026, 3, 2, 12, 0, 0, 250_000, tzinfo=datetime.UTC)


@pytest.fixture
def make_graded(lesson: Lesson) -> Callable[..., Graded]:
    """A grading in which the first ``passed`` checks pass and the next one fails with ``message``."""

    def make(
        student: str = "s001",
        name: str = "Student 001",
        *,
        passed: int = 0,
        message: str = "shape (2, 2), expected (2, 3)",
        verdict: Verdict = Verdict.FAIL,
        identity: Mapping[str, str] | None = None,
        file: str = "s001/main.py",
        late: bool = False,
        received_at: datetime.datetime | None = None,
    ) -> Graded:
        report = report_without_run(lesson, Verdict.SKIP, "", path="main.py", sha256="a" * 64, seed=7)
        outcomes = []
        for number, one in enumerate(report.outcomes):
            if number < passed:
                one = replace(one, verdict=Verdict.PASS, points=one.max_points, duration_s=0.01)
            elif number == passed:
                why = Diagnosis("no-scale", "no scale: scores not divided by √Dk", ("What takes its growth out?",))
                one = replace(one, verdict=verdict, message=message, diagnosis=(why,))
            outcomes.append(one)
        whole = Verdict.PASS if passed >= len(outcomes) else verdict
        score = None if whole is Verdict.INTERNAL else sum(one.points for one in outcomes)
        report = replace(report, outcomes=tuple(outcomes), verdict=whole, score=score, sandbox="landlock, seccomp")
        return Graded(
            student, name, file, "a" * 64, received_at, late, 1, identity or {}, NOON, to_dict(report), score,
            lesson.max_score,
        )  # fmt: skip

    return make
