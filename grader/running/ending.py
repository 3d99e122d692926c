"""How waiting for a child can end other than with a frame, and what it leaves."""

from __future__ import annotations

from dataclasses import dataclass


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
