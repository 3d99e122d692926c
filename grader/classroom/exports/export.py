"""An export before it is written: every file with its bytes, every remark about a row."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.classroom.exports.harmless import one_line
from grader.classroom.nouns import Graded
from grader.errors import UsageError


@dataclass(frozen=True)
class Export:
    """What an export writes, by path inside its folder, and what it says while doing so.

    A preview says all of it and writes none; the bytes are the same ones either way.
    """

    files: Mapping[str, bytes]
    changes: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())


def file_for_each(
    graded: Iterable[Graded], *, name: Callable[[Graded], str], content: Callable[[Graded], bytes], without_score: str
) -> Export:
    """One file for each student with a score; whom the grader failed has none, for the reason ``without_score``."""
    files: dict[str, bytes] = {}
    changes: list[str] = []
    left: list[str] = []
    for one in graded:
        who = f"{one_line(one.name)} ({one_line(one.student)})"
        if one.score is None:
            left.append(f"{who}: {without_score}")
            continue
        files[name(one)] = content(one)
        changes.append(f"{who}: {one.score} of {one.max_score} in {name(one)}")
    return Export(files, tuple(changes), tuple(left))


def write(export: Export, folder: Path) -> None:
    """Write every file of ``export``, each whole or not at all. Raises UsageError where that is impossible."""
    for name, content in export.files.items():
        put(folder / name, content)


def put(path: Path, content: bytes) -> None:
    """Write one file whole or not at all, or raise UsageError."""
    filling = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        filling.write_bytes(content)
        filling.replace(path)
    except OSError as error:
        filling.unlink(missing_ok=True)
        raise UsageError(f"{path}: cannot be written ({error.strerror}); name another place with --to") from error
