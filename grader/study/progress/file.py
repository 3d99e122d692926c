"""The file that keeps a learner's progress: TOML that people can read, never lost and never overwritten when broken."""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.errors import UsageError

FORMAT_VERSION = 1
WAIT_S = 10.0
FIRST_LINE = (
    "# What you have done in Headwork's lessons. grade rewrites this file and keeps every entry, but no comments.\n"
    "# To take it to another computer: grade progress --merge FILE\n\n"
)


def progress_path() -> Path:
    """Where progress is kept: $HEADWORK_PROGRESS, else the folder for this user's data by the rules of the system."""
    if chosen := os.environ.get("HEADWORK_PROGRESS"):
        return Path(chosen)
    import platformdirs  # only who keeps progress pays for it

    return platformdirs.user_data_path("headwork", appauthor=False) / "progress.toml"


def read_document(path: Path) -> dict[str, Any]:
    """What the file says; of no file, an empty document. Raises UsageError for a broken one, which stays as it is."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {"format_version": FORMAT_VERSION}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(
            f"{path}: not TOML ({error}); correct that line, or move the file away to begin anew"
        ) from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); see its permissions") from error
    if type(document.get("format_version")) is not int:
        raise UsageError(f"{path}: no progress of Headwork, which has the line format_version = 1; move the file away")
    return document


def change_document(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Read the file, change what it says and put the result in its place, while nobody else does.

    Raises UsageError when the file is broken, cannot be written, or stays locked.
    """
    import filelock

    real = Path(os.path.realpath(path))  # a link, such as into a synchronised folder, stays one
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(real.with_name(f"{real.name}.lock"), timeout=WAIT_S):
            _replace(real, change(read_document(real)))
    except filelock.Timeout as error:
        raise UsageError(f"{path}: locked by another grade for {WAIT_S:g} s; end that one, or try again") from error
    except (OSError, NotImplementedError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: cannot be written ({reason}); see its folder, or set HEADWORK_PROGRESS") from error


def _replace(path: Path, document: dict[str, Any]) -> None:
    import tomli_w

    # A terminal can hand over bytes that are no text.
    content = (FIRST_LINE + tomli_w.dumps(document)).encode("utf-8", "replace")
    descriptor, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
