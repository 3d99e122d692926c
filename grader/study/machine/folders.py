"""The folders that a grading works in, with what is wrong with them."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from grader.errors import UsageError
from grader.study.progress.file import progress_path, read_document

MIB = 1024 * 1024
PROBE_BYTES = 64 * 1024  # written to see whether a folder takes it


@dataclass(frozen=True)
class Place:
    """A folder that is written to: what is wrong with it, or nothing, and the room in it."""

    path: str
    problem: str
    free_mib: int


def shadowing() -> Iterator[str]:
    """Files here, or in the folder of a lesson here, that Python would import in place of a library."""
    from grader.lesson import lesson_ids
    from grader.submission import USED_BY_EVERY_LESSON

    reserved = sys.stdlib_module_names | USED_BY_EVERY_LESSON
    for folder in (Path(), *map(Path, lesson_ids())):
        yield from sorted(str(path) for path in folder.glob("*.py") if path.stem in reserved)


def cache() -> Place:
    """Where compiled programs are kept."""
    from grader.running.compile_cache import cache_root

    return _place(cache_root())


def prepared() -> int:
    """Lesson states whose compiled programs are there."""
    from grader.errors import WorkerError
    from grader.running.compile_cache import MANIFEST, machine_folder

    with contextlib.suppress(WorkerError, OSError, metadata.PackageNotFoundError):
        return len(list(machine_folder().glob(f"*/{MANIFEST}")))
    return 0


def temporary() -> Place:
    """Where a child gets its folder."""
    try:
        return _place(Path(tempfile.gettempdir()))
    except OSError as error:
        return Place("the temporary folder", error.strerror or str(error), 0)


def _place(folder: Path) -> Place:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
        return Place(str(folder), "", shutil.disk_usage(folder).free // MIB)
    except OSError as error:
        return Place(str(folder), error.strerror or str(error), 0)


def noexec() -> bool:
    """Whether no program may be started from the temporary folder."""
    if not hasattr(os, "ST_NOEXEC"):
        return False
    try:
        return bool(os.statvfs(tempfile.gettempdir()).f_flag & os.ST_NOEXEC)
    except OSError:
        return False


def progress() -> str:
    """What is wrong with the file of progress or its folder, as `where: what; remedy`; nothing when all is well."""
    path = progress_path()
    try:
        read_document(path)
    except UsageError as error:
        return str(error)
    folder = next((one for one in path.absolute().parents if one.exists()), path.absolute().parent)
    if not os.access(path if path.exists() else folder, os.W_OK):
        return f"{path}: cannot be written, so no progress is kept; see its permissions, or set HEADWORK_PROGRESS"
    return ""
