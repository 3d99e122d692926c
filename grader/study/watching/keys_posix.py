"""The keyboard of a POSIX terminal."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from types import FrameType

# An arrow or function key: several characters, none of them meant as one.
SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)


@contextlib.contextmanager
def without_enter(resumed: Callable[[], None]) -> Iterator[None]:
    """The terminal hands over keys one by one, but stops at Ctrl-Z with its normal mode, and ``resumed`` is called."""
    terminal = sys.stdin.fileno()
    normal = termios.tcgetattr(terminal)

    def stop(number: int, _: FrameType | None) -> None:
        termios.tcsetattr(terminal, termios.TCSANOW, normal)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)  # returns when the process goes on
        signal.signal(number, stop)
        tty.setcbreak(terminal, termios.TCSANOW)
        resumed()

    before = signal.signal(signal.SIGTSTP, stop)
    try:
        tty.setcbreak(terminal, termios.TCSANOW)
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)
        with contextlib.suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(terminal, termios.TCSAFLUSH, normal)  # keys nobody read answer no later question


def read(wall_s: float) -> list[str]:
    """The keys pressed within ``wall_s`` seconds; an empty one when there will be no more."""
    terminal = sys.stdin.fileno()
    if not select.select([terminal], [], [], wall_s)[0]:
        return []
    try:
        text = os.read(terminal, 1024).decode("utf-8", "replace")
    except OSError:  # the terminal is gone
        text = ""
    return list(SEQUENCE.sub("", text)) if text else [""]
