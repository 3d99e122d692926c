"""Grading the class of examples/, in the form that the gradebook gives back."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.classroom.nouns import Graded
from grader.errors import UsageError
from grader.grading import grade, report_without_run
from grader.model import Lesson, Report, Submission, Verdict
from grader.preparing import compiled
from grader.reporting.report import to_dict
from grader.running.runner import Runner
from grader.submission import read_submission

EXAMPLES = Path(__file__).parents[2] / "examples"
SEED = 305419896  # known by its digits on a page
WHEN = datetime.datetime(2026, 1, 15, 12, 0, tzinfo=datetime.UTC)


def grade_class(lesson: Lesson) -> tuple[Graded, ...]:
    """Every submission of examples/class; the endless loop among them costs the eight seconds of its limit."""
    cache_folder = compiled(lesson)
    with Runner([cache_folder] if cache_folder else []) as runner:
        return tuple(
            graded(folder.name, _report(lesson, folder, runner)) for folder in sorted((EXAMPLES / "class").glob("s*"))
        )


def graded(student: str, report: Report, **changes: Any) -> Graded:
    """``report`` as the gradebook gives it back."""
    data = to_dict(report)
    one = Graded(
        student=student,
        name=f"Student {student[1:]}",
        file=f"{student}/main.py",
        sha256=report.sha256,
        received_at=WHEN,
        late=False,
        attempt=1,
        identity={},
        graded_at=WHEN,
        report=data,
        score=report.score,
        max_score=report.max_score,
    )
    return replace(one, **changes)


def _report(lesson: Lesson, folder: Path, runner: Runner) -> Report:
    try:
        submission: Submission = read_submission(folder)
    except UsageError as error:
        return report_without_run(lesson, Verdict.ERROR, str(error), path=str(folder), sha256="0" * 64, seed=SEED)
    return grade(lesson, submission, seed=SEED, open_worker=runner.open)
