"""A worker that is kept for many programs of ours: solutions, equivalents, mutants.

Never for a submission: whatever one program does to the process, the next one meets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from grader.running import protocol
from grader.running.ending import Died, Output, TimedOut
from grader.running.limits import Limits
from grader.running.process import PlainProcess
from grader.running.scratch import Scratch

WORKERS = 2

T = TypeVar("T")
R = TypeVar("R")


def with_each(function: Callable[[T, KeptWorker], R], items: Sequence[T]) -> list[R]:
    """``function(item, worker)`` of every item, in order; several workers share the items."""

    def part(start: int) -> list[R]:
        with KeptWorker() as worker:
            return [function(item, worker) for item in items[start::WORKERS]]

    with ThreadPoolExecutor(WORKERS) as pool:
        parts = list(pool.map(part, range(WORKERS)))
    return [parts[index % WORKERS][index // WORKERS] for index in range(len(items))]


class KeptWorker:
    """Stands in for a new process each time; replaced when a program hangs or kills it."""

    sandbox = PlainProcess.sandbox

    def __init__(self) -> None:
        self._process: PlainProcess | None = None
        self._ready: protocol.Frame | None = None
        self._greeted = False

    def __enter__(self) -> KeptWorker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def open(self, limits: Limits) -> KeptWorker:
        """What WorkerProgram calls to get a worker."""
        if self._process is None:
            self._process = PlainProcess(limits)
            self._ready = None
        self._greeted = False
        return self

    @property
    def scratch(self) -> Scratch:
        """See Worker."""
        assert self._process is not None
        return self._process.scratch

    def request(self, kind: str, arrays: Sequence[np.ndarray] = (), **fields: Any) -> None:
        """See PlainProcess."""
        assert self._process is not None
        self._process.request(kind, arrays, **fields)

    def reply(self, wall_s: float) -> protocol.Frame:
        """See PlainProcess; the first reply to each program is the greeting of the process."""
        assert self._process is not None
        if not self._greeted and self._ready is not None:
            self._greeted = True
            return self._ready
        try:
            frame = self._process.reply(wall_s)
        except (TimedOut, Died):
            self._end()
            raise
        if self._ready is None:
            self._ready, self._greeted = frame, True
        return frame

    def close(self) -> Output:
        """Keeps the process; nobody reads what these programs print."""
        return Output("", "", truncated=False)

    def _end(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None
