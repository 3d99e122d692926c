"""The grader's side of the warm worker: confined children, one at a time, in milliseconds."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from grader.errors import WorkerError
from grader.running import protocol
from grader.running.boundary import CONFINEMENT_FAILED, MESSAGE_LIMIT
from grader.running.channel import Channel
from grader.running.compile_cache import read_environment
from grader.running.ending import Output
from grader.running.environment import environment
from grader.running.limits import Limits
from grader.running.process import how_it_ended
from grader.running.scratch import Scratch

START_S = 120.0
CHILDREN_PER_SERVER = 1000


class ForkServer:
    """A warm worker process; ``open`` forks a confined child in it.

    Starting is asynchronous: JAX is imported there while the grader goes on here. ``process`` is
    replaced after CHILDREN_PER_SERVER children and whenever it breaks.
    """

    def __init__(self, cache: Sequence[Path] = (), preload: Sequence[str] = ()) -> None:
        self._cache, self._preload = list(cache), list(preload)
        self.process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._scratch: Scratch | None = None
        self._ready = False
        self._children = 0
        self.cpu_s = 0.0
        self.protections: dict[str, bool] = {}
        self.reason = ""
        self.warmup_s = 0.0
        self.start()

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start the process without waiting for it."""
        self._scratch = Scratch(quota_mib=64)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        env = {
            **environment(self._scratch.home),
            **read_environment(self._scratch.home),
            # One thread before the fork; the child's backend starts its own.
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, "-P", "-m", "grader.running.fork_server", str(theirs.fileno())]
        arguments = [json.dumps([str(path) for path in self._cache]), json.dumps(self._preload)]
        with theirs:
            self.process = subprocess.Popen(
                [*command, *arguments],
                env=env,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        self._control, self._ready, self._children = ours, False, 0

    def stop(self) -> None:
        """End the process and with it any child."""
        if self._control is not None:
            self._control.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            if self.process.stderr is not None:
                self.process.stderr.close()
        if self._scratch is not None:
            self._scratch.remove()
        self.process = self._control = self._scratch = None

    def open(self, limits: Limits) -> ConfinedChild:
        """A new child. Raises WorkerError when the process cannot be had."""
        if self.process is None or self._children >= CHILDREN_PER_SERVER:
            self.stop()
            self.start()
        self._wait_until_ready()
        self._children += 1
        return ConfinedChild(self, self._children, limits)

    def weakness(self) -> str:
        """Why this process does not confine its children, or nothing. Waits until it has tried."""
        self._wait_until_ready()
        open_doors = [name for name, holds in self.protections.items() if not holds]
        return self.reason or (f"not protected: {', '.join(open_doors)}" if open_doors else "")

    def _wait_until_ready(self) -> None:
        if not self._ready:
            message = self.receive(START_S)
            if message is None or "ready" not in message:
                raise self._broken("did not start")
            self._ready, self.reason = True, str(message["reason"])
            self.warmup_s = float(message["warmup_s"])
            self.protections = {str(name): bool(holds) for name, holds in message["protections"].items()}

    def send(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Send a message; raises WorkerError when the process is gone."""
        assert self._control is not None
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], list(descriptors))
        except OSError as error:
            raise self._broken("is gone") from error

    def receive(self, wall_s: float) -> dict[str, Any] | None:
        """The next message, or None when there is none within ``wall_s`` seconds."""
        if self._control is None or not select.select([self._control], [], [], max(wall_s, 0.0))[0]:
            return None
        with contextlib.suppress(OSError):
            if message := self._control.recv(MESSAGE_LIMIT):
                return dict(json.loads(message))
        return None

    def _broken(self, how: str) -> WorkerError:
        said = ""
        if self.process is not None and self.process.stderr is not None:
            self.process.kill()
            said = self.process.stderr.read().decode("utf-8", "replace").strip()[-1500:]
        self.stop()
        return WorkerError(f"the warm worker {how}; is jax installed here? {said}".strip())


class ConfinedChild:
    """One child of a ForkServer, behind Landlock and seccomp; a final Worker."""

    sandbox = "Landlock and seccomp"

    def __init__(self, server: ForkServer, number: int, limits: Limits) -> None:
        self._server, self._number = server, number
        self._ended: dict[str, Any] | None = None
        self._confined = False
        self.scratch = Scratch(limits.disk_mib)
        pipes = [os.pipe() for _ in range(4)]
        (theirs_in, ours_out), *outgoing = pipes
        theirs = [theirs_in, *(write for _, write in outgoing)]
        request = {
            "child": number,
            "scratch": str(self.scratch.path),
            "memory_mib": limits.memory_mib,
            "disk_mib": limits.disk_mib,
            "cpu_s": math.ceil(limits.calibrated(server.warmup_s).cpu_s),
        }
        try:
            server.send(request, theirs)
        except WorkerError:
            self.scratch.remove()
            for descriptor in (ours_out, *(read for read, _ in outgoing)):
                os.close(descriptor)
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        replies, stdout, stderr = (read for read, _ in outgoing)
        self._channel = Channel(
            requests=ours_out,
            replies=replies,
            stdout=stdout,
            stderr=stderr,
            output_limit=limits.output_kib * 1024,
            ended=self._how_it_ended,
            watch=self.scratch.check_quota,
        )

    def request(self, kind: str, arrays: Sequence[np.ndarray] = (), **fields: Any) -> None:
        """See Worker."""
        self._channel.request(kind, arrays, **fields)

    def reply(self, wall_s: float) -> protocol.Frame:
        """See Worker."""
        frame = self._channel.reply(wall_s)
        self._confined = True  # it speaks only once it is
        return frame

    def close(self) -> Output:
        """See Worker."""
        if self._status(0.0) is None:
            with contextlib.suppress(WorkerError):
                self._server.send({"kill": self._number})
            if self._status(5.0) is None:
                self._server.stop()  # the next child gets a new one
        output = self._channel.finish()
        self.scratch.remove()
        return output

    def _status(self, wall_s: float) -> dict[str, Any] | None:
        """The worker's report of this child's end, once it is there."""
        until = time.monotonic() + wall_s
        while self._ended is None:
            message = self._server.receive(until - time.monotonic())
            if message is None:
                return None
            if message.get("ended") == self._number:
                self._ended = message
                self._server.cpu_s += message["cpu_s"]
        return self._ended

    def _how_it_ended(self) -> str:
        ended = self._status(2.0)
        if ended is None:
            return "the program closed the grader's channel"
        code = os.waitstatus_to_exitcode(ended["status"])
        if code == CONFINEMENT_FAILED and not self._confined:
            return "the child could not be confined"
        return how_it_ended(code)
