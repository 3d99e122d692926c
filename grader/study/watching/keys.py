"""Keys as they are pressed, without Enter."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator

from grader.study.watching.state import Pressed, Resumed

if sys.platform == "win32":
    from grader.study.watching import keys_windows as terminal
else:
    from grader.study.watching import keys_posix as terminal

LOOK_EVERY_S = 0.1


@contextlib.contextmanager
def keys(post: Callable[[Pressed | Resumed], None]) -> Iterator[None]:
    """Hand every key to ``post`` from a thread; at the end the terminal is as it was, whatever happens."""
    ended = threading.Event()

    def read() -> None:
        while not ended.is_set():
            for key in terminal.read(LOOK_EVERY_S):
                post(Pressed(key))
                if not key:  # the input has ended
                    return

    thread = threading.Thread(target=read, daemon=True)
    with terminal.without_enter(lambda: post(Resumed())):
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
