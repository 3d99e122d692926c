"""The keyboard of a Windows console."""

from __future__ import annotations

import contextlib
import importlib
import time
from collections.abc import Callable
from typing import Any

LOOK_EVERY_S = 0.05
PREFIXES = ("\x00", "\xe0")  # of a function key: its second half follows


def without_enter(_: Callable[[], None]) -> contextlib.nullcontext[None]:
    """Nothing to prepare: this console can always be asked for keys, and a process is never stopped."""
    return contextlib.nullcontext()


def read(wall_s: float) -> list[str]:
    """The keys pressed within ``wall_s`` seconds."""
    msvcrt: Any = importlib.import_module("msvcrt")  # there on Windows alone
    until = time.monotonic() + wall_s
    while not msvcrt.kbhit():
        if time.monotonic() > until:
            return []
        time.sleep(LOOK_EVERY_S)
    key: str = msvcrt.getwch()
    if key in PREFIXES:
        msvcrt.getwch()
        return []
    return [key]
