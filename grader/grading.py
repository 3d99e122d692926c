"""One grading from a submission to its report."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace

from grader import __version__
from grader.checking.examine import examine
from grader.checking.verdict import exercise_state, overall, score
from grader.model import Event, Lesson, Outcome, Program, Report, Submission, Verdict
from grader.running.boundary import Worker
from grader.running.limits import Limits
from grader.running.live import LiveProgram
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
    afterwards: Callable[[Program], None] | None = None,
) -> Report:
    """Run ``submission`` in a worker and examine it; ``afterwards`` may ask the same run for more.

    Raises GraderError when the grader itself cannot work; whatever the submission does
    is in the report.
    """
    with WorkerProgram(submission, limits=limits, open_worker=open_worker) as program:
        outcomes = examine(lesson, program, seed=seed)
        if afterwards is not None:
            afterwards(program)
    return _with_run(_report(lesson, outcomes, path=submission.path, sha256=submission.sha256, seed=seed), program)


def grade_live(lesson: Lesson, program: LiveProgram, *, seed: int) -> Report:
    """Examine what a live kernel defines at this moment; raises as ``grade`` does."""
    outcomes, made = examine(lesson, program, seed=seed), program.submission
    return _with_run(_report(lesson, outcomes, path=made.path, sha256=made.sha256, seed=seed), program)


def _with_run(report: Report, program: WorkerProgram | LiveProgram) -> Report:
    return replace(
        report,
        sandbox=program.sandbox,
        versions=program.versions,
        events=program.events,
        stdout=program.output.stdout,
        stderr=program.output.stderr,
        truncated=program.output.truncated,
    )


def report_without_run(lesson: Lesson, verdict: Verdict, message: str, *, path: str, sha256: str, seed: int) -> Report:
    """The report of a submission that was not run: `error` for a file that cannot be read, `internal` for our fault."""
    outcomes = tuple(
        Outcome(c.name, c.exercise, c.title, verdict, 0, c.points, (*c.needs, *c.leans_on), message)
        for c in lesson.checks
    )
    report = _report(lesson, outcomes, path=path, sha256=sha256, seed=seed)
    return replace(report, events=(Event(None, "unreadable", message),)) if verdict is Verdict.ERROR else report


def _report(lesson: Lesson, outcomes: Sequence[Outcome], *, path: str, sha256: str, seed: int) -> Report:
    """What outcomes add up to, before what a run adds."""
    return Report(
        lesson=lesson.id,
        lesson_digest=lesson.digest,
        grader_version=__version__,
        seed=seed,
        sandbox="not run",
        versions={"python": "", "jax": "", "numpy": ""},
        path=path,
        sha256=sha256,
        verdict=overall(outcomes),
        score=score(outcomes),
        max_score=lesson.max_score,
        exercises=tuple(exercise_state(exercise, outcomes) for exercise in lesson.exercises),
        outcomes=tuple(outcomes),
    )
