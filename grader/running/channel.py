"""The grader's ends of the pipes to one child: frames, and what it prints."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from grader.running import protocol
from grader.running.ending import Died, Output, TimedOut

WATCH_EVERY_S = 0.25
FRAMES_WAITING = 4


class Channel:
    """Frames over two pipes, standard output and error drained and cut at ``output_limit`` bytes.

    Reading happens in threads, so that a child which floods or stops reading never blocks the grader.
    ``ended`` says how the child came to its end, once its pipe is closed; ``watch`` is called while
    waiting and raises Died when the child takes too much of something.
    """

    def __init__(
        self,
        *,
        requests: int,
        replies: int,
        stdout: int,
        stderr: int,
        output_limit: int,
        ended: Callable[[], str],
        watch: Callable[[], None],
    ) -> None:
        self._ended, self._watch = ended, watch
        # Few: a child that sends what nobody asked for waits, and does not fill the grader's memory.
        self._frames: queue.Queue[protocol.Frame | Exception | None] = queue.Queue(maxsize=FRAMES_WAITING)
        self._finished = threading.Event()
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stdout, self._stderr = _Drain(stdout, output_limit), _Drain(stderr, output_limit)
        threading.Thread(target=self._receive, args=(replies,), daemon=True).start()
        threading.Thread(target=self._send, args=(requests,), daemon=True).start()

    def request(self, kind: str, arrays: Sequence[np.ndarray] = (), **fields: Any) -> None:
        """See Worker."""
        self._requests.put(protocol.encode(kind, arrays, **fields))

    def reply(self, wall_s: float) -> protocol.Frame:
        """See Worker."""
        until = time.monotonic() + wall_s
        while True:
            left = until - time.monotonic()
            if left <= 0:  # however many frames wait
                raise TimedOut
            try:
                item = self._frames.get(timeout=min(left, WATCH_EVERY_S))
                break
            except queue.Empty:
                self._watch()
        if isinstance(item, protocol.ProtocolError):
            raise Died(f"something in the program wrote to the grader's channel ({item})")
        if not isinstance(item, protocol.Frame):
            raise Died(self._ended())
        return item

    def finish(self) -> Output:
        """Stop sending and hand over the output; the child has ended."""
        self._finished.set()
        self._requests.put(None)
        return Output(self._stdout.text(), self._stderr.text(), self._stdout.truncated or self._stderr.truncated)

    def _receive(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb") as stream:
            try:
                while (frame := protocol.read_frame(stream.read)) is not None:
                    self._hand_over(frame)
                self._hand_over(None)
            except (protocol.ProtocolError, OSError) as error:
                self._hand_over(error)

    def _hand_over(self, item: protocol.Frame | Exception | None) -> None:
        while not self._finished.is_set():
            with contextlib.suppress(queue.Full):
                self._frames.put(item, timeout=WATCH_EVERY_S)
                return

    def _send(self, descriptor: int) -> None:
        try:
            with os.fdopen(descriptor, "wb", buffering=0) as stream:
                while (data := self._requests.get()) is not None:
                    view = memoryview(data)
                    while view:
                        view = view[stream.write(view) or 0 :]
        except OSError:  # the child is gone: the reader finds out and says how
            pass


class _Drain:
    """Reads a stream to its end, keeping the first bytes."""

    def __init__(self, descriptor: int, limit: int) -> None:
        self._descriptor, self._limit = descriptor, limit
        self._kept = bytearray()
        self.truncated = False
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        with os.fdopen(self._descriptor, "rb", buffering=0) as stream:
            while chunk := stream.read(1 << 16):
                room = self._limit - len(self._kept)
                self._kept += chunk[:room]
                self.truncated |= len(chunk) > room

    def text(self) -> str:
        self._thread.join(timeout=1)  # longer only when a process that escaped still holds the pipe
        text = bytes(self._kept).decode("utf-8", "replace").replace("\r\n", "\n")
        return "".join(c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
