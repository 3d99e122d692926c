"""Gradings in a thread, of which the latest counts."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grader.errors import GraderError
from grader.grading import grade, new_seed
from grader.model import Lesson
from grader.running.boundary import Worker
from grader.running.ending import Output, TimedOut
from grader.running.limits import Limits
from grader.running.protocol import Frame
from grader.running.runner import Runner
from grader.running.scratch import Scratch
from grader.study.predicting.predictions import made_for
from grader.study.watching.state import Failed, Graded
from grader.submission import read_submission

NOTICED_WITHIN_S = 0.25


class Cancelled(GraderError):
    """The grading is not wanted any more; as a GraderError it passes through all that judges submissions."""


class Gradings:
    """Grades files one at a time in the workers of ``runner``; a context manager that ends its thread.

    ``post`` is handed Graded, Failed or, should the grader itself break, the exception; nothing of a cancelled one.
    """

    def __init__(self, lesson: Lesson, runner: Runner, post: Callable[[Graded | Failed | Exception], None]) -> None:
        self._lesson, self._runner, self._post = lesson, runner, post
        self._jobs: queue.SimpleQueue[tuple[int, Path, threading.Event] | None] = queue.SimpleQueue()
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Gradings:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._cancelled.set()
        self._jobs.put(None)
        server = self._runner.server
        if (process := server.process if server is not None else None) is not None:
            process.kill()  # nobody waits for a worker that is still warming up
        self._thread.join()

    def start(self, number: int, file: Path) -> None:
        """Cancel what runs, then grade ``file``."""
        self._cancelled.set()
        self._cancelled = threading.Event()
        self._jobs.put((number, file, self._cancelled))

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            number, file, cancelled = job
            try:
                made = made_for(self._lesson.folder)
                report = grade(
                    self._lesson,
                    read_submission(file),
                    seed=new_seed(),
                    open_worker=self._opener(cancelled),
                    afterwards=made.look if made else None,
                )
            except Cancelled:
                continue
            except GraderError as error:
                if not cancelled.is_set():
                    self._post(Failed(number, str(error)))
            except Exception as error:
                self._post(error)
            else:
                self._post(Graded(number, report, made))

    def _opener(self, cancelled: threading.Event) -> Callable[[Limits], Worker]:
        def open_worker(limits: Limits) -> Worker:
            if cancelled.is_set():
                raise Cancelled
            return CancellableWorker(self._runner.open(limits), cancelled)

        return open_worker


class CancellableWorker:
    """A worker whose answers stop when ``cancelled`` is set; a final Worker."""

    def __init__(self, worker: Worker, cancelled: threading.Event) -> None:
        self._worker, self._cancelled = worker, cancelled

    @property
    def sandbox(self) -> str:
        """See Worker."""
        return self._worker.sandbox

    @property
    def scratch(self) -> Scratch:
        """See Worker."""
        return self._worker.scratch

    def request(self, kind: str, arrays: Sequence[np.ndarray] = (), **fields: Any) -> None:
        """See Worker."""
        self._worker.request(kind, arrays, **fields)

    def reply(self, wall_s: float) -> Frame:
        """See Worker. Raises Cancelled soon after it is."""
        until = time.monotonic() + wall_s
        while not self._cancelled.is_set():
            left = until - time.monotonic()
            try:
                return self._worker.reply(min(left, NOTICED_WITHIN_S))
            except TimedOut:
                if left <= NOTICED_WITHIN_S:
                    raise
        raise Cancelled

    def close(self) -> Output:
        """See Worker."""
        return self._worker.close()
