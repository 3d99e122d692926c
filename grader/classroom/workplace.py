"""The folder that one batch at a time writes to."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import IO, Any

from grader.errors import UsageError

LOCK = ".running"
PREFIX = "headwork-run-"


class Workplace:
    """DIR of a run, locked against a second run; a context manager.

    ``temporary`` is a folder for unpacked sources and the processes' files. It is removed at the end; what a killed
    run left is removed by the next. Raises UsageError when DIR cannot be written or another run works in it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary = Path()
        self._lock: IO[str] | None = None

    def __enter__(self) -> Workplace:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / LOCK).open("a+", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{self.folder}: cannot be written ({error.strerror}); choose another --out") from error
        if not _locked(self._lock):
            self._lock.close()
            raise UsageError(
                f"{self.folder}: another grade batch works in it; wait for its end or choose another --out"
            )
        self._lock.seek(0)
        left = Path(self._lock.read().strip() or ".")
        if left.name.startswith(PREFIX) and left.parent == Path(tempfile.gettempdir()) and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
        self.temporary = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._note(str(self.temporary))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._lock is not None
        shutil.rmtree(self.temporary, ignore_errors=True)
        self._note("")
        self._lock.close()

    def _note(self, text: str) -> None:
        assert self._lock is not None
        self._lock.seek(0)
        self._lock.truncate()
        self._lock.write(text)
        self._lock.flush()


def _locked(stream: IO[str]) -> bool:
    """Take the lock that ends with this process, however it ends; False when another has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # A byte far beyond the text: a locked byte cannot be read by others.
            stream.seek(1 << 20)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


class Stopping:
    """Whether Ctrl-C or SIGTERM asked for the end; a context manager. A second Ctrl-C does not wait."""

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stopping:
        handler: Callable[[int, FrameType | None], None] = self._handle
        self._before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __call__(self) -> bool:
        """Whether to stop."""
        return self.requested

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
