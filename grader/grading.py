"""One grading from a submission to its report."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from grader import __version__
from grader.checking.examine import examine
from grader.checking.verdict import exercise_state, overall, score
from grader.model import Lesson, Report, Submission
from grader.running.boundary import Worker
from grader.running.limits import Limits
from grader.running.process import PlainProcess
from grader.running.program import WorkerProgram


def new_seed() -> int:
    """A seed that nobody can foresee."""
    return secrets.randbelow(2**31)


def grade(
    lesson: Lesson,
    submission: Submission,
    *,
    seed: int,
    limits: Limits | None = None,
    open_worker: Callable[[Limits], Worker] = PlainProcess,
) -> Report:
    """Run ``submission`` in a worker and examine it.

    Raises GraderError when the grader itself cannot work; whatever the submission does
    is in the report.
    """
    with WorkerProgram(submission, limits=limits, open_worker=open_worker) as program:
        outcomes = examine(lesson, program, seed=seed)
    return Report(
        lesson=lesson.id,
        lesson_digest=lesson.digest,
        grader_version=__version__,
        seed=seed,
        sandbox=program.sandbox,
        versions=program.versions,
        path=submission.path,
        sha256=submission.sha256,
        verdict=overall(outcomes),
        score=score(outcomes),
        max_score=lesson.max_score,
        exercises=tuple(exercise_state(exercise, outcomes) for exercise in lesson.exercises),
        outcomes=outcomes,
        events=program.events,
        stdout=program.output.stdout,
        stderr=program.output.stderr,
        truncated=program.output.truncated,
    )
