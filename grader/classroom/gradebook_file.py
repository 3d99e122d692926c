"""Opening the gradebook's file: made, brought up to date, or refused with nothing changed."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import struct
from pathlib import Path

from grader.classroom.migrations import APPLICATION_ID, MIGRATIONS, migrate, version_of
from grader.errors import UsageError

# What a file has to say about itself before SQLite is let near it: magic, user_version at 60, application_id at 68.
HEADER = struct.Struct(">16s44xI4xI")
MAGIC = b"SQLite format 3\0"
BUSY_S = 30.0


def open_file(path: Path) -> sqlite3.Connection:
    """A connection to the gradebook at ``path``, made when nothing is there, brought up to this version.

    Raises UsageError, with the file untouched, for a newer version, another program's file or no database.
    """
    try:
        _recognise(path)
        if not path.exists() or path.stat().st_size == 0:
            _create(path)
        return _connect(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); choose another folder") from error


def _recognise(path: Path) -> None:
    """Raise UsageError unless ``path`` is missing, empty or a gradebook that this version understands."""
    if path.is_dir():
        raise UsageError(f"{path}: a folder; a gradebook is a file such as gradebook.sqlite")
    try:
        with path.open("rb") as stream:
            head = stream.read(HEADER.size)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error
    if not head:
        return
    magic, version, application = HEADER.unpack(head.ljust(HEADER.size, b"\0"))
    if magic != MAGIC:
        raise UsageError(f"{path}: not a gradebook, not even a database; nothing was changed, name another --out")
    if application != APPLICATION_ID:
        raise UsageError(f"{path}: a database of another program; nothing was changed, name another --out")
    _refuse_newer(path, version)


def _refuse_newer(path: Path, version: int) -> None:
    if version > len(MIGRATIONS):
        raise UsageError(
            f"{path}: written by a newer Headwork (gradebook version {version}, this one knows {len(MIGRATIONS)}); "
            "nothing was changed, install the newer Headwork"
        )


def _create(path: Path) -> None:
    """Make an empty gradebook beside ``path`` and rename it: there is never half of one."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    try:
        with contextlib.closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            migrate(connection)
        fresh.replace(path)
    except sqlite3.Error as error:
        raise UsageError(f"{path}: cannot be written ({error}); choose another folder") from error
    finally:
        fresh.unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_S)
    connection.row_factory = sqlite3.Row
    try:
        _refuse_newer(path, version_of(connection))
        connection.execute("PRAGMA journal_mode = WAL")
        # FULL: a commit waits for the disk, so that a power cut loses no report that was said to be written.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection)
    except sqlite3.Error as error:
        connection.close()
        raise UsageError(f"{path}: cannot be used as a gradebook ({error}); restore a copy of it") from error
    except UsageError:
        connection.close()
        raise
    return connection
