"""The kernel's end of a grading: its names answer until the report comes."""

from __future__ import annotations

import _thread
import contextlib
import functools
import os
import signal
import threading
from collections.abc import Callable, Mapping
from types import FrameType, TracebackType
from typing import Any

import numpy as np

from grader.running import protocol
from grader.running.listing import Listing
from grader.running.live import CALL_S, GRACE_S
from grader.running.student_module import Write
from grader.running.worker import answers_about, greeting, writer


def serve_names(names: Mapping[str, Any], listing: Listing, *, questions: int, replies: int) -> bytes | None:
    """Answer what comes from descriptor ``questions`` until the report comes; None when it ends without one.

    Raises KeyboardInterrupt when the learner interrupts, whatever code of theirs runs at that moment.
    """
    answers, write = answers_about(names, listing, anew=True), _writer_to_one_who_may_be_gone(replies)
    write(greeting(0.0))
    write(
        protocol.encode(
            "namespace", (np.frombuffer(listing.text.encode(), np.uint8), np.array(listing.cells, np.int64))
        )
    )
    with Interrupts() as interrupts, open(questions, "rb", closefd=False) as stream:
        while (frame := protocol.read_frame(stream.read)) is not None:
            if frame.kind == "graded":
                return frame.arrays[0].tobytes()
            write(interrupts.stopping(functools.partial(answers.answer, frame)))
    return None


def _writer_to_one_who_may_be_gone(descriptor: int) -> Write:
    write = writer(descriptor)

    def write_if_there(data: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # reading finds out
            write(data)

    return write_if_there


class Interrupts:
    """Tells the learner's interrupt, which ends a grading, from ours, which ends a call that takes too long."""

    def __init__(self) -> None:
        self._in_main_thread = threading.current_thread() is threading.main_thread()  # signals reach no other
        self._asked = self._answering = self._overdue = False

    def __enter__(self) -> Interrupts:
        if self._in_main_thread:
            self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._in_main_thread:
            signal.signal(signal.SIGINT, self._before)

    def stopping(self, answer: Callable[[], bytes]) -> bytes:
        """What ``answer`` gives, stopped when nobody waits for it any more."""
        if not self._in_main_thread:
            return answer()
        self._overdue = False
        timer = threading.Timer(CALL_S + GRACE_S, self._stop)
        timer.daemon = True
        timer.start()
        self._answering = True
        try:
            reply = answer()
        except KeyboardInterrupt:  # between the student's code and the reply
            reply = protocol.encode("error", message="KeyboardInterrupt", line=0)
        finally:
            self._answering = False
            timer.cancel()
        if self._asked:
            raise KeyboardInterrupt
        return reply

    def _stop(self) -> None:
        self._overdue = True
        if os.name == "posix":  # wakes sleep and the like too
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            _thread.interrupt_main()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._overdue:
            self._overdue = False
            if not self._answering:
                return
        else:
            self._asked = True
        raise KeyboardInterrupt
