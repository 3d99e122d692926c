"""The names of a live kernel as a program: asked over the pipes of a process that the kernel started."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from typing import Any

from grader.errors import WorkerError
from grader.model import Argument, Array, Event, Reply, Submission
from grader.running import protocol
from grader.running.arguments import lay_out
from grader.running.channel import Channel
from grader.running.ending import Died, Output, TimedOut
from grader.running.remedy import with_remedy
from grader.running.replies import placed, understood

START_S = 60.0
# Generous, since nothing was compiled before: a learner who does not want to wait interrupts the kernel.
CALL_S = 10.0
# The kernel stops a call this long after nobody waits for its answer any more.
GRACE_S = 1.0
BUSY_S = 10.0
STRIKES = 2


class LiveProgram:
    """The Program whose names a kernel holds; nothing is run anew.

    Takes over standard input and output of this process, at whose other ends serving.py answers. A function that does
    not come to an end is not asked any more after STRIKES times. Raises WorkerError when the kernel is gone.
    """

    sandbox = "none: a live kernel"
    events: tuple[Event, ...] = ()
    output = Output("", "", truncated=False)

    def __init__(self) -> None:
        self._answers = os.dup(sys.stdin.fileno())
        self._questions = os.dup(sys.stdout.fileno())
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing that a check prints may come between
        self._channel = Channel(
            requests=os.dup(self._questions),
            replies=self._answers,
            stdout=os.open(os.devnull, os.O_RDONLY),
            stderr=os.open(os.devnull, os.O_RDONLY),
            output_limit=0,
            ended=lambda: "the kernel is gone",
            watch=lambda: None,
        )
        self._strikes: dict[str, list[Reply]] = {}
        self._busy = False
        ready = self._reply(START_S, kind="ready")
        self.versions: dict[str, str] = {name: ready.fields[name] for name in ("python", "jax", "numpy")}
        code, cells = self._reply(START_S, kind="namespace").arrays
        source = code.tobytes()
        self.submission = Submission(
            "notebook", source, hashlib.sha256(source).hexdigest(), cells=tuple(int(one) for one in cells)
        )

    def _reply(self, wall_s: float, *, kind: str) -> protocol.Frame:
        try:
            frame = self._channel.reply(wall_s)
        except (TimedOut, Died) as error:
            raise WorkerError(f"no word from the kernel ({error}); run the cell again") from error
        if frame.kind != kind:
            raise WorkerError(f"the kernel sent {frame.kind} where {kind} is right; restart it")
        return frame

    def call(self, name: str, args: Sequence[Argument], *, outputs: int, transform: str | None = None) -> Reply:
        """Call the function ``name`` of the kernel; see Program."""
        layout, arrays = lay_out(args)
        return self._ask("call", arrays, name=name, outputs=outputs, transform=transform or "", layout=layout)

    def read(self, name: str) -> Reply:
        """Read the variable ``name`` of the kernel; see Program."""
        return self._ask("read", (), name=name)

    def _ask(self, kind: str, arrays: Sequence[Array], **fields: Any) -> Reply:
        strikes = self._strikes.setdefault(fields["name"], [])
        if len(strikes) >= STRIKES:
            return strikes[-1]
        try:
            if self._busy:
                self._channel.reply(BUSY_S)  # the answer that came too late
                self._busy = False
            self._channel.request(kind, arrays, **fields)
            self._busy = True
            frame = self._channel.reply(CALL_S)
            self._busy = False
            reply = understood(frame, fields.get("outputs", 1), self._said)
        except TimedOut:
            strikes.append(Reply("timeout", message=f"was still running after {CALL_S:.0f} s and was stopped"))
            return strikes[-1]
        except Died as error:
            raise WorkerError(f"{error}; run the cell again") from error
        return placed(reply, self.submission.cells)

    def _said(self, message: str, line: int | None) -> str:
        return with_remedy(message, self.submission.source, line)

    def hand_over(self, data: Array) -> None:
        """Send the last frame, what the kernel is to show."""
        self._channel.finish()
        with os.fdopen(self._questions, "wb") as stream:
            stream.write(protocol.encode("graded", (data,)))
