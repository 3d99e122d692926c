"""Noticing that the learner has saved something."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from threading import Event

from grader.errors import UsageError
from grader.submission import read_submission

NAMES = ("main.py", "main.ipynb")
SUFFIXES = (".py", ".ipynb")
LOOK_EVERY_S = 1.0
QUIET_MS, LONGEST_MS = 50, 500  # an editor writes a file in several steps


def current_file(folder: Path) -> Path:
    """The main.py or main.ipynb in ``folder``, whichever was saved last; main.py where there is neither."""
    saved: dict[Path, int] = {}
    for path in (folder / name for name in NAMES):
        with contextlib.suppress(OSError):  # not there, if only while an editor replaces it
            saved[path] = path.stat().st_mtime_ns
    return max(saved, key=saved.__getitem__, default=folder / NAMES[0])


def saves(folder: Path, stop: Event) -> Iterator[Path]:
    """The file to grade: at once, then whenever it or a module beside it has other content, until ``stop`` is set.

    Events of the file system only make this quick. Where none arrive (network folders, mounts of
    another system, links that lead elsewhere) the times and sizes of the files are looked at every second.
    """
    stamps, content = _stamps(folder), ""
    for noticed in _moments(folder, stop):
        before, stamps = stamps, _stamps(folder)
        if noticed or stamps != before:
            file = current_file(folder)
            last, content = content, _content(file)
            if content != last:
                yield file


def _moments(folder: Path, stop: Event) -> Iterator[bool]:
    """When to look; True when something has happened, as it always has at the start."""
    from watchfiles import watch

    yield True
    try:
        for changes in watch(
            folder,
            recursive=False,
            watch_filter=lambda _, path: path.endswith(SUFFIXES),
            step=QUIET_MS,
            debounce=LONGEST_MS,
            rust_timeout=int(LOOK_EVERY_S * 1000),
            yield_on_timeout=True,
            stop_event=stop,
        ):
            yield bool(changes)
    except (OSError, RuntimeError):  # the system has no more watches to give, say
        while not stop.wait(LOOK_EVERY_S):
            yield False


def _modules(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if path.name not in NAMES)


def _stamps(folder: Path) -> list[tuple[str, int, int, int]]:
    found = []
    for path in (*(folder / name for name in NAMES), *_modules(folder)):
        with contextlib.suppress(OSError):
            status = path.stat()
            found.append((path.name, status.st_mtime_ns, status.st_size, status.st_ino))
    return found


def _content(file: Path) -> str:
    """Identifies what a grading would run: of a notebook the code, not its outputs."""
    digest = hashlib.sha256(file.name.encode())
    try:
        digest.update(read_submission(file).source)
        for path in _modules(file.parent):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    except (UsageError, OSError) as error:
        digest.update(str(error).encode())
    return digest.hexdigest()
