"""Grading every submission of an intake into the gradebook."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader import __version__
from grader.classroom.gradebook import Facts, Gradebook
from grader.classroom.jobs import Done, Job, Pool, content_digest
from grader.classroom.nouns import Received
from grader.errors import UsageError
from grader.grading import report_without_run
from grader.model import Lesson, Report, Submission, Verdict
from grader.reporting.report import to_dict


@dataclass(frozen=True)
class Step:
    """One student's submission is dealt with.

    ``verdict`` is None when it was graded before; ``problem`` says why it is left without a score.
    """

    student: str
    file: str
    verdict: Verdict | None
    problem: str = ""


@dataclass(frozen=True)
class Course:
    """What all gradings of a run have in common."""

    lesson: Lesson
    seed: int
    source: str
    regrade: bool = False


def run_batch(
    received: Sequence[Received], course: Course, *, gradebook: Gradebook, pool: Pool, stopped: Callable[[], bool]
) -> Iterator[Step]:
    """Grade what has no score yet; a step per submission as it is on disk. Ends early when ``stopped`` says so.

    No more reports are in memory than workers have finished at one moment. Raises WorkerError when nothing can be
    graded here.
    """
    batch = _Batch(course, gradebook)
    for finished in pool.results(batch.jobs(received, stopped), stopped=stopped):
        batch.record(finished)
        yield from batch.steps()
    yield from batch.steps()


class _Batch:
    """The coordinator's side: what is being graded now, and what has been dealt with since the last look."""

    def __init__(self, course: Course, gradebook: Gradebook) -> None:
        self._course, self._gradebook = course, gradebook
        self._running: dict[int, Facts] = {}
        self._steps: deque[Step] = deque()

    def steps(self) -> Iterator[Step]:
        while self._steps:
            yield self._steps.popleft()

    def jobs(self, received: Sequence[Received], stopped: Callable[[], bool]) -> Iterator[Job]:
        """The submissions that a process has to look at; deals with the others by the way."""
        for number, one in enumerate(received):
            if stopped():
                return
            try:
                submission = submission_of(one)
                facts = facts_of(one, submission, lesson=self._course.lesson.id, source=self._course.source)
            except UsageError as error:  # the student's file
                self._without_run(one, Verdict.ERROR, str(error))
                continue
            except Exception as error:  # a fault of ours in one submission is no reason to lose the others
                problem = f"the grader failed to read the file: {type(error).__name__}: {error}"
                self._without_run(one, Verdict.INTERNAL, problem)
                continue
            if not self._kept(facts):
                self._running[number] = facts
                yield Job(number, submission)

    def record(self, finished: Sequence[Done]) -> None:
        """Write results, one wait for the disk for all that came at the same moment."""
        with self._gradebook.transaction():
            for done in finished:
                facts = self._running.pop(done.number)
                report = done.report or to_dict(self._report(facts, Verdict.INTERNAL, done.problem))
                self._add(facts, report, stages=done.stages)

    def _without_run(self, one: Received, verdict: Verdict, message: str) -> None:
        facts = facts_unread(one, message, lesson=self._course.lesson.id, source=self._course.source)
        if verdict is Verdict.INTERNAL or not self._kept(facts):
            self._add(facts, to_dict(self._report(facts, verdict, message)))

    def _kept(self, facts: Facts) -> bool:
        digest = self._course.lesson.digest
        if self._course.regrade:
            return False
        kept = self._gradebook.keep(facts, lesson_digest=digest, grader_version=__version__)
        if kept:
            self._steps.append(Step(facts.student, facts.file, None))
        return kept

    def _add(self, facts: Facts, report: Mapping[str, Any], *, stages: Mapping[str, float] | None = None) -> None:
        self._gradebook.add(facts, report, stages=stages)
        self._steps.append(Step(facts.student, facts.file, Verdict(report["verdict"]), problem_in(report)))

    def _report(self, facts: Facts, verdict: Verdict, message: str) -> Report:
        course = self._course
        return report_without_run(
            course.lesson, verdict, message, path=facts.file, sha256=facts.sha256, seed=course.seed
        )


def problem_in(report: Mapping[str, Any]) -> str:
    """Why ``report`` has no score, or nothing when it has one."""
    if report["score"] is not None:
        return ""
    messages = [outcome["message"] for outcome in report["outcomes"] if outcome["verdict"] == Verdict.INTERNAL.value]
    return str(next(iter(messages), "")) or "the grader failed"


def submission_of(received: Received) -> Submission:
    """What was received, read now, under its path in the source. Raises UsageError when it cannot be graded."""
    submission = received.read()
    notes = tuple(dict.fromkeys((*received.notes, *submission.notes)))
    return replace(submission, path=received.file, notes=notes)


def facts_of(received: Received, submission: Submission, *, lesson: str, source: str) -> Facts:
    """What the gradebook notes of a submission that could be read."""
    return _facts(received, submission.sha256, content_digest(submission), lesson=lesson, source=source)


def facts_unread(received: Received, message: str, *, lesson: str, source: str) -> Facts:
    """What the gradebook notes of a submission that could not be read: ``message`` stands for its content."""
    sha256 = hashlib.sha256(f"unreadable\0{message}".encode("utf-8", "replace")).hexdigest()
    return _facts(received, sha256, sha256, lesson=lesson, source=source)


def _facts(received: Received, sha256: str, content: str, *, lesson: str, source: str) -> Facts:
    return Facts(
        lesson=lesson,
        student=received.student,
        name=received.name,
        file=received.file,
        sha256=sha256,
        content=content,
        received_at=received.received_at,
        late=received.late,
        attempt=received.attempt,
        identity=received.identity,
        source=source,
    )
