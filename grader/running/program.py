"""A submission held open: runs its file, answers calls, survives what hangs or dies."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

from grader.errors import WorkerError
from grader.model import Argument, Array, Event, Reply, ReplyKind, Submission
from grader.running import protocol
from grader.running.arguments import lay_out
from grader.running.boundary import Worker
from grader.running.ending import Died, Output, TimedOut
from grader.running.limits import Limits
from grader.running.process import PlainProcess
from grader.running.remedy import with_remedy
from grader.running.replies import placed, understood

# A file of an exercise has some fifty statements; more events than this only fill the report.
EVENTS_LIMIT = 200


@dataclass(frozen=True)
class Skipped:
    """A statement that is left out from now on, and the names that it would have set."""

    event: Event
    names: str


class WorkerProgram:
    """The Program that a worker runs; a context manager that leaves no process behind.

    A statement that hangs or kills the process is left out and the file run again, at most
    ``limits.runs`` times in all. A function that hangs or kills the process is asked again in
    a new one; after ``limits.strikes`` of these it is not asked any more.
    """

    def __init__(
        self,
        submission: Submission,
        *,
        limits: Limits | None = None,
        open_worker: Callable[[Limits], Worker] = PlainProcess,
    ) -> None:
        self._submission = submission
        self._nominal = self._limits = limits or Limits()
        self._open_worker = open_worker
        self._worker: Worker | None = None
        self._skip: dict[int, Skipped] = {}
        self._blame: dict[str, Reply] = {}
        self._strikes: dict[str, list[Reply]] = {}
        self._ran: list[Event] = []
        self._runs = 0
        self._here = ""
        self._deadline = float("inf")
        self._hopeless: Reply | None = None
        self.output = Output("", "", truncated=False)
        self.versions: dict[str, str] = {}
        self.sandbox = ""

    def __enter__(self) -> WorkerProgram:
        try:
            self._run_until_it_finishes()
        except BaseException:  # Ctrl-C too: nothing may stay behind
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened to the top-level statements, by line."""
        notes = [Event(None, "note", note) for note in self._submission.notes]
        ran = sorted(
            (*(skipped.event for skipped in self._skip.values()), *self._ran), key=lambda event: event.line or 0
        )
        return (*notes, *(placed(event, self._submission.cells) for event in ran))

    # ---- running the file -------------------------------------------------------

    def _run_until_it_finishes(self) -> None:
        while self._worker is None and self._hopeless is None:
            self._start()
            self._runs += 1
            self._run_once()
            if self._worker is None and (self._runs >= self._nominal.runs or self._time_left() <= 0):
                last = list(self._skip.values())[-1].event
                kind: ReplyKind = "timeout" if last.kind == "timeout" else "died"
                self._hopeless = Reply(kind, message=f"main.py did not come to its end: {last.message}", line=last.line)

    def _start(self) -> None:
        worker = self._worker = self._open_worker(self._nominal)
        try:
            ready = worker.reply(self._nominal.warmup_s)
        except (TimedOut, Died) as error:
            self._close()
            reason = str(error) or f"no answer within {self._nominal.warmup_s:g} s"
            said = self.output.stderr.strip()[-1500:]
            raise WorkerError(f"worker: {reason}; is jax installed here? {said}") from error
        self._limits = self._nominal.calibrated(ready.fields["warmup_s"])
        self.versions = {name: ready.fields[name] for name in ("python", "jax", "numpy")}
        self.sandbox = worker.sandbox
        if self._deadline == float("inf"):
            self._deadline = time.monotonic() + self._limits.total_s

    def _run_once(self) -> None:
        """Run the file; leave ``_worker`` open on success, else close it and skip the culprit."""
        assert self._worker is not None
        self._ran, self._blame = [], {}
        work = self._worker.scratch.work
        if self._submission.folder is not None:
            self._worker.scratch.copy_in(self._submission.folder)
        self._here = str(work) + os.sep
        source = np.frombuffer(self._submission.source, np.uint8), np.array(self._submission.cells, np.int64)
        self._worker.request("run", source, path=self._here + "main.py", folder=str(work), skip=sorted(self._skip))
        for skipped in self._skip.values():
            self._note_blame(skipped.event, skipped.names)
        index, line, names = -1, 0, ""
        until = time.monotonic() + self._limits.run_s
        try:
            while (frame := self._worker.reply(until - time.monotonic())).kind != "finished":
                if frame.kind == "statement":
                    index, line, names = frame.fields["index"], frame.fields["line"], frame.fields["names"]
                elif frame.kind == "event":
                    self._take_event(frame)
                else:
                    raise Died("something in the program wrote to the grader's channel")
            return
        except TimedOut:
            event = Event(line, "timeout", f"was still running after {self._limits.run_s:.0f} s and was stopped")
        except Died as error:
            event = Event(line, "died", str(error))
        self._close()
        self._skip[index] = Skipped(event, names)

    def _take_event(self, frame: protocol.Frame) -> None:
        kind, line, message = frame.fields["event"], frame.fields["line"] or None, frame.fields["message"]
        if kind not in ("raised", "exit", "unreadable", "unrun"):
            raise Died("something in the program wrote to the grader's channel")
        missing = re.match(r"NameError: name '(\w+)' is not defined", message)
        if missing and missing[1] in self._blame:
            self._follow(missing[1], line, frame.fields["names"])
            return
        event = Event(line, kind, self._said(message, line))
        if kind == "unreadable":
            self._hopeless = Reply("error", message=event.message, line=line)
        if not message.startswith("NotImplementedError") and len(self._ran) < EVENTS_LIMIT:
            self._ran.append(event)
        self._note_blame(event, frame.fields["names"])

    def _follow(self, missing: str, line: int | None, names: str) -> None:
        """A statement failed because another one did: that one is to blame for its names too."""
        if len(self._ran) < EVENTS_LIMIT:
            self._ran.append(Event(line, "unrun", f"needs {missing}, which a line above should have set"))
        for name in names.split():
            self._blame.setdefault(name, self._blame[missing])

    def _note_blame(self, event: Event, names: str) -> None:
        """Remember why the names that a statement should have set are missing."""
        if event.message.startswith("NotImplementedError") or "ellipsis" in event.message:
            reply = Reply("unfilled", message="needs something that is not written yet")
        else:
            cause = self._cause if event.kind == "unrun" else event.kind
            kind: ReplyKind = "timeout" if cause == "timeout" else "died" if cause == "died" else "error"
            reply = Reply(kind, message=event.message, line=event.line)
        for name in names.split():
            self._blame.setdefault(name, reply)

    @property
    def _cause(self) -> str:
        return next(iter(self._skip.values())).event.kind

    def _said(self, message: str, line: int | None) -> str:
        """What the child said, without the path of this machine, and what to do about it."""
        return with_remedy(message.replace(self._here, ""), self._submission.source, line)

    # ---- answering --------------------------------------------------------------

    def call(self, name: str, args: Sequence[Argument], *, outputs: int, transform: str | None = None) -> Reply:
        """Call the function ``name`` of the submission; see Program."""
        layout, arrays = lay_out(args)
        fields = {"name": name, "outputs": outputs, "transform": transform or "", "layout": layout}
        return placed(self._ask("call", arrays, **fields), self._submission.cells)

    def read(self, name: str) -> Reply:
        """Read the variable ``name`` of the submission; see Program."""
        return placed(self._ask("read", (), name=name), self._submission.cells)

    def _ask(self, kind: str, arrays: Sequence[Array], **fields: Any) -> Reply:
        name = fields["name"]
        if self._time_left() <= 0:
            return Reply("timeout", message=f"was not asked: the whole grading took {self._limits.total_s:.0f} s")
        strikes = self._strikes.setdefault(name, [])
        if len(strikes) >= self._nominal.strikes:
            return strikes[-1]
        self._run_until_it_finishes()
        if self._hopeless is not None:
            return self._hopeless
        assert self._worker is not None
        wall_s = min(self._limits.call_s, self._time_left())
        try:
            if wall_s <= 0:
                raise TimedOut
            self._worker.request(kind, arrays, **fields)
            frame = self._worker.reply(wall_s)
            reply = self._understand(frame, name, fields.get("outputs", 1))
        except TimedOut:
            reply = Reply("timeout", message=f"was still running after {max(wall_s, 0):.0f} s and was stopped")
        except Died as error:
            reply = Reply("died", message=str(error))
        if reply.kind in ("timeout", "died"):
            strikes.append(reply)
            self._close()
        return reply

    def _understand(self, frame: protocol.Frame, name: str, outputs: int) -> Reply:
        reply = understood(frame, outputs, self._said)
        return self._blame.get(name, reply) if reply.kind == "absent" else reply

    def _time_left(self) -> float:
        return self._deadline - time.monotonic()

    def _close(self) -> None:
        if self._worker is not None:
            output = self._worker.close()
            here = self._here.rstrip(os.sep)
            stdout, stderr = (
                text.replace(self._here, "").replace(here, ".") if here else text
                for text in (output.stdout, output.stderr)
            )
            self.output = Output(stdout, stderr, output.truncated)
            self._worker = None
