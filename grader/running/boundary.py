"""What every kind of worker is, whether it is confined or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from grader.running.protocol import Frame


class TimedOut(Exception):
    """No frame came within the limit."""


class Died(Exception):
    """The process ended, or sent something that is no frame; the text says which."""


@dataclass(frozen=True)
class Output:
    """What a program printed, cut at the limit."""

    stdout: str
    stderr: str
    truncated: bool


class Worker(Protocol):
    """A process in which one submission runs; its first frame is ``ready``."""

    @property
    def sandbox(self) -> str:
        """What keeps it in, for the report."""
        ...

    def request(self, kind: str, arrays: Sequence[np.ndarray] = (), **fields: Any) -> None:
        """Send a frame; a child that does not read it is found out by ``reply``."""
        ...

    def reply(self, wall_s: float) -> Frame:
        """The next frame. Raises TimedOut after ``wall_s`` seconds, Died when there will be none."""
        ...

    def close(self) -> Output:
        """End the process with all that it started, and hand over what it printed."""
        ...
