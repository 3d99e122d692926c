"""Reading a submission from disk: a main.py, a notebook or the folder that holds one."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from pathlib import Path

from grader.errors import UsageError
from grader.model import Submission
from grader.notebook_code import code_cells, joined

SOURCE_LIMIT = 1024 * 1024
NOTEBOOK_LIMIT = 32 * 1024 * 1024  # figures are stored inside
USED_BY_EVERY_LESSON = frozenset({"jax", "jaxlib", "numpy", "scipy", "matplotlib", "grader"})


def read_submission(path: Path) -> Submission:
    """The submission at ``path``: a .py, an .ipynb or a folder with main.py or main.ipynb.

    Raises UsageError when there is nothing that could be graded.
    """
    try:
        file = _main_in(path) if path.is_dir() else path
    except OSError as error:  # a name longer than the system allows, say
        raise UsageError(f"{path}: cannot be read ({error.strerror}); check its name") from error
    if file.suffix.lower() not in (".py", ".ipynb"):
        raise UsageError(f"{file}: neither .py nor .ipynb; a submission is a Python file or a notebook")
    raw = read_regular_file(file, limit=NOTEBOOK_LIMIT if file.suffix.lower() == ".ipynb" else SOURCE_LIMIT)
    digest, folder, notes = hashlib.sha256(raw).hexdigest(), file.parent.resolve(), _shadowing(file)
    if file.suffix.lower() == ".ipynb" or _looks_like_notebook(raw):
        code = joined(code_cells(raw, name=file.name))
        if len(code.source) > SOURCE_LIMIT:
            raise UsageError(f"{file}: more than {SOURCE_LIMIT // 1024} KiB of code; a submission is a short program")
        return Submission(str(path), code.source, digest, folder, (*notes, *code.notes), code.cells)
    return Submission(str(path), raw, digest, folder, notes)


def read_regular_file(file: Path, *, limit: int) -> bytes:
    """The bytes of ``file``, or UsageError: missing, a pipe or device, unreadable, over ``limit`` bytes."""
    try:
        # O_NONBLOCK: opening a pipe that nobody writes to must not wait for ever.
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError as error:
        raise UsageError(f"{file}: no such file; check its name (grade start lays out a main.py)") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{file}: cannot be read ({reason}); check its name and permissions") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{file}: not a regular file; a submission is a Python file or a notebook")
    with os.fdopen(descriptor, "rb") as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise UsageError(f"{file}: larger than {limit // 1024} KiB; a submission is a short program")
    return data


def _main_in(folder: Path) -> Path:
    for name in ("main.py", "main.ipynb"):
        if (folder / name).exists():
            return folder / name
    raise UsageError(
        f"{folder}: holds neither main.py nor main.ipynb; name the file itself, or get one with: grade start"
    )


def _shadowing(file: Path) -> tuple[str, ...]:
    """Notes on neighbours that Python would import in place of a library."""
    reserved = sys.stdlib_module_names | USED_BY_EVERY_LESSON
    ours = Path(__file__).parent
    files = {path.stem: path.name for path in file.parent.glob("*.py")}
    folders = {
        path.parent.name: f"{path.parent.name}/"
        for path in file.parent.glob("*/__init__.py")
        if path.parent.resolve() != ours
    }
    return tuple(
        f"{shown} beside {file.name} has the name of a library: `python {file.name}` would import it instead. "
        "The grader used the library; rename yours."
        for name, shown in sorted((folders | files).items())
        if name in reserved and name != file.stem
    )


def _looks_like_notebook(raw: bytes) -> bool:
    head = raw[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith(b"{") and b'"cells"' in raw and b'"nbformat"' in raw
