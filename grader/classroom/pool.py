"""The grading processes of this machine: kept busy, replaced when they die or take too long."""

from __future__ import annotations

import json
import multiprocessing
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.classroom.grading_process import Setup, send_job, serve
from grader.classroom.jobs import Done, Job
from grader.errors import WorkerError

START_S = 300.0  # importing JAX on a busy machine; a start beside a submission that hangs
TRIES = 2
STARTS_IN_A_ROW = 3
TICK_S = 0.25


class GradingProcess:
    """One process and what it is doing."""

    def __init__(self, setup: Setup, temporary: Path) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.connection: Connection
        self.connection, theirs = spawn.Pipe()
        self.folder = Path(tempfile.mkdtemp(dir=temporary))
        self.process = spawn.Process(target=serve, args=(theirs, setup, str(self.folder)), daemon=True)
        self.process.start()
        theirs.close()
        self.ready, self.since = False, time.monotonic()
        self.job: Job | None = None

    def give(self, job: Job) -> None:
        """Start on ``job``. Raises OSError when the process is gone."""
        self.job, self.since = job, time.monotonic()
        send_job(self.connection, job.number, job.submission)

    def overdue(self, deadline_s: float) -> bool:
        """Whether it has been at its job, or at its start, for too long."""
        limit = START_S if not self.ready else deadline_s
        return (not self.ready or self.job is not None) and time.monotonic() - self.since > limit

    def end(self, *, patience_s: float = 0.0) -> None:
        """End the process, at once or after ``patience_s`` in which it may tidy up; removes what it left."""
        self.connection.close()
        self.process.join(patience_s)
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        shutil.rmtree(self.folder, ignore_errors=True)


class ProcessPool:
    """``count`` grading processes on this machine; a context manager that leaves none behind.

    A submission whose process dies or exceeds ``deadline_s`` seconds is tried once more in a new process.
    """

    def __init__(self, setup: Setup, count: int, *, deadline_s: float, temporary: Path) -> None:
        self._setup, self._deadline_s, self._temporary = setup, deadline_s, temporary
        self._count = max(count, 1)
        self._processes: list[GradingProcess] = []
        self._waiting: deque[Job] = deque()
        self._tries: dict[int, int] = {}
        self._failed_starts = 0

    def __enter__(self) -> ProcessPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one in self._processes:
            busy = one.job is not None or not one.ready
            one.end(patience_s=0.0 if busy else 5.0)
        self._processes = []

    def results(self, jobs: Iterator[Job], *, stopped: Callable[[], bool]) -> Iterator[Sequence[Done]]:
        """See Pool."""
        try:
            while not stopped():
                self._give_out(jobs)
                if not self._waiting and all(one.ready and one.job is None for one in self._processes):
                    return
                if not stopped() and (done := self._collect()):
                    yield done
        finally:
            self._drop()

    def _drop(self) -> None:
        """Forget what is not finished, so that no result of it can be taken for another's."""
        for one in [each for each in self._processes if each.job is not None]:
            self._remove(one)
        self._waiting.clear()
        self._tries.clear()

    def _give_out(self, jobs: Iterator[Job]) -> None:
        """Give every idle process a job; start one more for each job that waits, as long as there may be more."""
        for one in list(self._processes):
            if one.ready and one.job is None and self._fill(jobs, 1):
                job = self._waiting.popleft()
                try:
                    one.give(job)
                except OSError:  # it died while it had nothing to do
                    one.job = None
                    self._waiting.appendleft(job)
                    self._remove(one)
        starting = sum(not one.ready for one in self._processes)
        while len(self._processes) < self._count and self._fill(jobs, starting + 1):
            self._processes.append(GradingProcess(self._setup, self._temporary))
            starting += 1

    def _fill(self, jobs: Iterator[Job], count: int) -> bool:
        """Whether ``count`` jobs wait; takes no more than these."""
        while len(self._waiting) < count and (job := next(jobs, None)) is not None:
            self._waiting.append(job)
        return len(self._waiting) >= count

    def _collect(self) -> list[Done]:
        """Wait for something to happen; what has been finished."""
        speaking = wait([one.connection for one in self._processes], timeout=TICK_S)
        done: list[Done] = []
        for one in list(self._processes):
            if one.connection in speaking:
                try:
                    message = json.loads(one.connection.recv_bytes())
                except (EOFError, OSError):
                    one.process.join(1.0)
                    done.extend(self._failed(one, f"the grading process died (exit code {one.process.exitcode})"))
                else:
                    done.extend(self._hear(one, message))
            elif one.overdue(self._deadline_s):
                limit = self._deadline_s if one.ready else START_S
                done.extend(self._failed(one, f"the grading process did not answer within {limit:g} s"))
        return done

    def _hear(self, one: GradingProcess, message: Mapping[str, Any]) -> list[Done]:
        if "unfit" in message:
            raise WorkerError(message["unfit"])
        if "ready" in message:
            one.ready, self._failed_starts = True, 0
            return []
        if "problem" in message:
            return self._failed(one, message["problem"])
        one.job = None
        self._tries.pop(message["number"], None)
        return [Done(message["number"], message["report"], message["stages"])]

    def _failed(self, one: GradingProcess, why: str) -> list[Done]:
        """Replace ``one``; its job waits for a new process once, then it is given up."""
        self._remove(one)
        job = one.job
        if job is None:
            self._failed_starts += not one.ready
            if self._failed_starts >= STARTS_IN_A_ROW:
                raise WorkerError(f"{why} while it started, {STARTS_IN_A_ROW} times in a row; see grade doctor")
            return []
        self._tries[job.number] = self._tries.get(job.number, 0) + 1
        if self._tries[job.number] < TRIES:
            self._waiting.appendleft(job)
            return []
        del self._tries[job.number]
        return [Done(job.number, None, problem=f"{why}, {TRIES} times")]

    def _remove(self, one: GradingProcess) -> None:
        self._processes.remove(one)
        one.end()
