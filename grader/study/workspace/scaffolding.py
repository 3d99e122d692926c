"""Laying out a lesson's files in a learner's folder, and putting them back; nothing of the learner's is ever lost."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from grader.errors import UsageError


def lay_out(folder: Path, files: Mapping[str, bytes], *, remedy: str) -> None:
    """Write ``files`` by name into ``folder``. Raises UsageError where one is there already, and writes none then."""
    for name in files:
        if os.path.lexists(folder / name):
            raise UsageError(f"{folder / name}: already there and left as it is; {remedy}")
    path = folder
    try:
        folder.mkdir(exist_ok=True)
        for path, content in ((folder / name, content) for name, content in files.items()):
            _write_new(path, content)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); try another folder") from error


def put_back(folder: Path, files: Mapping[str, bytes], *, now: datetime) -> list[Path]:
    """Put ``files`` in the place of those of their names, which are kept beside them; the paths of what was kept.

    A file that has the content already is left alone. Raises UsageError when the folder cannot be written.
    """
    kept = []
    try:
        for name, content in files.items():
            path = folder / name
            if path.is_file() and path.read_bytes() == content:
                continue
            aside = _set_aside(path, now=now)
            try:
                _write_new(path, content)
            except OSError:
                aside.replace(path)
                raise
            kept.append(aside)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror}); see its permissions") from error
    return kept


def _set_aside(path: Path, *, now: datetime) -> Path:
    """Rename ``path`` to a dated name of its own, such as main.2026-11-30T10-15-00.py."""
    for number in itertools.count(1):
        again = f"-{number}" if number > 1 else ""
        aside = path.with_name(f"{path.stem}.{now:%Y-%m-%dT%H-%M-%S}{again}{path.suffix}")
        try:
            aside.touch(exist_ok=False)  # the name is ours from here on
        except FileExistsError:
            continue
        path.replace(aside)
        break
    return aside


def _write_new(path: Path, content: bytes) -> None:
    """Write a file that is not there yet, whole or not at all."""
    try:
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise
    except OSError:
        path.unlink(missing_ok=True)
        raise
