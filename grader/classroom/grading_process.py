"""A process that grades one submission after the other for a coordinator at the end of a pipe.

Messages are JSON; a job is followed by its source as bytes.

    process:     {"ready": sandbox} or {"unfit": why}                              once
    coordinator: {"number": n, "path": …, "sha256": …, "folder": …, "notes": […]} + source
    process:     {"number": n, "report": {…}, "stages": {…}} or {"number": n, "problem": why}
"""

from __future__ import annotations

import contextlib
import json
import signal
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any

from grader import __version__
from grader.errors import GraderError, WorkerError
from grader.grading import grade
from grader.lesson import load_lesson
from grader.model import Submission
from grader.preparing import compiled, modules_used
from grader.reporting.report import to_dict
from grader.running.limits import Limits
from grader.running.runner import Runner


@dataclass(frozen=True)
class Setup:
    """What a grading process has to know before its first job; plain data."""

    lesson_id: str
    lesson_digest: str
    seed: int
    strict: bool
    grader_version: str = __version__


class Grader:
    """A lesson and a proved Runner that stay for many submissions; a context manager.

    Raises WorkerError when this machine cannot confine and ``strict`` asks for it, or holds another state of the
    lesson or another version of the grader than the coordinator.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.lesson = load_lesson(setup.lesson_id)
        ours, theirs = (self.lesson.digest, __version__), (setup.lesson_digest, setup.grader_version)
        if ours != theirs:
            raise WorkerError(
                f"this machine has lesson {ours[0]} and Headwork {ours[1]}, the coordinator has {theirs[0]} and "
                f"{theirs[1]}; install the same on both"
            )
        cache = compiled(self.lesson)
        self._cache = [cache] if cache else []
        self._preloaded: set[str] = set()
        self._runner = self._start()

    def _start(self) -> Runner:
        runner = Runner(self._cache, sorted(self._preloaded), strict=self.setup.strict)
        try:
            worker = runner.open(Limits())  # the proof, before any submission
            self.sandbox = worker.sandbox
            worker.close()
        except BaseException:
            runner.__exit__()
            raise
        return runner

    def _preload(self, source: bytes) -> None:
        """Start again with the slow modules that ``source`` uses, once for each: most classes use none."""
        used = set(modules_used(source))
        if not used <= self._preloaded:
            self._preloaded |= used
            self._runner.__exit__()
            self._runner = self._start()

    def __enter__(self) -> Grader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.__exit__()

    def grade(self, submission: Submission) -> dict[str, Any]:
        """{"report", "stages"} of ``submission``, or {"problem"} when the grader failed; never raises for it."""
        try:
            self._preload(submission.source)
            started = time.perf_counter()
            report = grade(self.lesson, submission, seed=self.setup.seed, open_worker=self._runner.open)
        except GraderError as error:
            return {"problem": str(error)}
        except Exception as error:  # a fault of ours in one submission is no reason to lose the others
            return {"problem": f"the grader failed: {type(error).__name__}: {error}"}
        total_s = time.perf_counter() - started
        checks_s = sum(outcome.duration_s for outcome in report.outcomes)
        stages = {"run_s": round(max(total_s - checks_s, 0.0), 4), "checks_s": round(checks_s, 4)}
        return {"report": to_dict(report), "stages": stages}


def serve(connection: Connection, setup: Setup, temporary: str) -> None:
    """Grade what comes through ``connection`` until it is closed; ``temporary`` is for this process alone."""
    # Ctrl-C reaches the whole group: the coordinator alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    tempfile.tempdir = temporary
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the coordinator is gone
        try:
            grader = Grader(setup)
        except GraderError as error:
            _send(connection, {"unfit": str(error)})
            return
        with grader:
            _send(connection, {"ready": grader.sandbox})
            while True:
                job = json.loads(connection.recv_bytes())
                submission = Submission(
                    path=job["path"],
                    source=connection.recv_bytes(),
                    sha256=job["sha256"],
                    folder=Path(job["folder"]) if job["folder"] else None,
                    notes=tuple(job["notes"]),
                )
                _send(connection, {"number": job["number"], **grader.grade(submission)})


def send_job(connection: Connection, number: int, submission: Submission) -> None:
    """The coordinator's side: give a job to the process at the other end."""
    folder = None if submission.folder is None else str(submission.folder)
    job = {"number": number, "path": submission.path, "sha256": submission.sha256, "folder": folder}
    _send(connection, {**job, "notes": list(submission.notes)})
    connection.send_bytes(submission.source)


def _send(connection: Connection, message: Mapping[str, Any]) -> None:
    connection.send_bytes(json.dumps(message).encode())
