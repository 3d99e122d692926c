"""The two families of errors: ours, which never cost points, and the student's."""

from __future__ import annotations

from grader.model import Verdict, Witness


class GraderError(Exception):
    """Our fault or the caller's: a broken lesson, a worker that will not start, a bad argument.

    Never raised because of what a submission does.
    """


class LessonError(GraderError):
    """A lesson folder that does not hold together; names the file and the remedy."""


class UsageError(GraderError):
    """A command that cannot be carried out as given, such as a file that is not there."""


class WorkerError(GraderError):
    """The worker did not start or broke before any student code ran."""


class Failure(Exception):
    """What a submission did wrong, as data: verdict, message and an optional witness."""

    def __init__(self, message: str, *, verdict: Verdict = Verdict.FAIL, witness: Witness | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.verdict = verdict
        self.witness = witness
