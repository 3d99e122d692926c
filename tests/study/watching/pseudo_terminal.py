"""A program in a terminal of the test's own, whose screen can be read."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import pyte

LIMIT_S = 240.0
# Makes the terminal that it was given its own, as a login does, then becomes the program.
TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
)


class Terminal:
    """Runs ``command`` in a terminal of ``columns`` times ``rows``; ``sent`` is all that the program wrote."""

    def __init__(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], columns: int = 100, rows: int = 60
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.sent = b""
        self._ours, self._theirs = pty.openpty()
        self.resize(columns, rows)
        self.mode_before = self.mode()
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, *command],
            cwd=cwd,
            env={**{name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}, **env},
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            start_new_session=True,
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.ends()
        os.close(self._ours)
        os.close(self._theirs)

    @property
    def lines(self) -> list[str]:
        """What is on the screen, without the space at the right and the empty lines at the end."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip().split("\n")

    def resize(self, columns: int, rows: int) -> None:
        """What a window does when its frame is dragged."""
        self._screen.resize(rows, columns)
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def mode(self) -> list[Any]:
        """Whether the terminal echoes, waits for Enter and so on."""
        return termios.tcgetattr(self._theirs)

    def press(self, keys: str) -> None:
        """Type ``keys``."""
        os.write(self._ours, keys.encode())

    def shows(self, text: str) -> None:
        """Wait until ``text`` is on the screen."""
        self.until(lambda: text in "\n".join(self.lines), f"{text!r} to be shown")

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait for ``condition``, reading what the program writes."""
        end = time.monotonic() + LIMIT_S
        while not condition():
            in_vain = time.monotonic() > end or self.process.poll() is not None
            self._read(0.1)
            assert condition() or not in_vain, f"waited in vain for {what}; on the screen:\n" + "\n".join(self.lines)

    def ends(self) -> int:
        """Wait for the end of the program; its exit code."""
        self.until(lambda: self.process.poll() is not None, "the end")
        self._read(0.0)
        return self.process.wait()

    def _read(self, wall_s: float) -> None:
        while select.select([self._ours], [], [], wall_s)[0]:
            with contextlib.suppress(OSError):
                data = os.read(self._ours, 1 << 16)
                self.sent += data
                self._stream.feed(data)
            wall_s = 0.0
