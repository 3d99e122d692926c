"""Choosing what student code runs in: a confined child of a warm worker where the system can, else a plain process."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from grader.errors import WorkerError
from grader.running.boundary import Worker
from grader.running.compile_cache import read_environment
from grader.running.limits import Limits
from grader.running.process import PlainProcess
from grader.running.warm import ForkServer


class Runner:
    """Opens a worker for each submission; a context manager that leaves no process behind.

    ``cache`` are folders of compiled programs. With ``strict`` a system that cannot confine is an error
    (WorkerError) and not a reason to fall back. Starting takes place in the background until the first ``open``;
    ``server`` is the warm worker, or None where there is none.
    """

    def __init__(self, cache: Sequence[Path] = (), preload: Sequence[str] = (), *, strict: bool = False) -> None:
        self._cache, self._strict = list(cache), strict
        self._obstacle = _obstacle()
        self.server = None if self._obstacle else ForkServer(cache, preload)
        self._proved = False

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        if self.server is not None:
            self.server.stop()

    def open(self, limits: Limits) -> Worker:
        """A worker for one submission."""
        if not self._proved:
            self._prove()
        if self.server is not None:
            return self.server.open(limits)
        return PlainProcess(limits, read_environment(self._cache[0]) if self._cache else None)

    def weakness(self) -> str:
        """Why student code is not confined here, or nothing. Waits until the warm worker has tried."""
        return self.server.weakness() if self.server is not None else self._obstacle

    def _prove(self) -> None:
        self._obstacle = self.weakness()
        if self._obstacle and self.server is not None:
            self.server.stop()
            self.server = None
        if self._obstacle and self._strict:
            raise WorkerError(
                f"student code cannot be confined here: {self._obstacle}; "
                "see grade doctor, or pass --allow-weak-sandbox"
            )
        self._proved = True


def _obstacle() -> str:
    """What this system or this Python lacks for a warm worker, or nothing."""
    if sys.platform != "linux":
        return f"confinement needs Linux, this is {sys.platform}"
    lacking = [name for name in ("fork", "pidfd_open") if not hasattr(os, name)]
    if lacking:
        return f"this Python was built without os.{lacking[0]}"
    try:
        for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET):
            end.close()
    except OSError as error:  # as in WSL 1
        return f"no sockets for the warm worker ({error.strerror})"
    return ""
