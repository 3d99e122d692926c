"""What every kind of worker is, whether it is confined or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from grader.running.ending import Output
from grader.running.protocol import Frame
from grader.running.scratch import Scratch

# Between the warm worker and the grader: the largest control message, and the exit code of a
# child that could not be confined and so has read nothing of the student's.
MESSAGE_LIMIT = 64 * 1024
CONFINEMENT_FAILED = 97


class Worker(Protocol):
    """A process in which one submission runs; its first frame is ``ready``."""

    @property
    def sandbox(self) -> str:
        """What keeps it in, for the report."""
        ...

    @property
    def scratch(self) -> Scratch:
        """The folder that the process works in."""
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
