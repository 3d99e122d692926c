"""A submission as it travels to a grading process, with its result on the way back."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from grader.model import Submission
from grader.running.scratch import BYTES_COPIED, FILES_COPIED


@dataclass(frozen=True)
class Job:
    """Number ``number`` of this run."""

    number: int
    submission: Submission


@dataclass(frozen=True)
class Done:
    """What came of a job: a report in its JSON form, or the ``problem`` that left it ungraded.

    ``stages`` are seconds by name.
    """

    number: int
    report: Mapping[str, Any] | None
    stages: Mapping[str, float] = field(default_factory=dict)
    problem: str = ""


class Pool(Protocol):
    """Something that grades many jobs at once."""

    def results(self, jobs: Iterator[Job], *, stopped: Callable[[], bool]) -> Iterator[Sequence[Done]]:
        """The jobs' results as they come, each job's once; ends early when ``stopped`` says so.

        A worker gets its next job only after the caller has asked for more: what was given out is written by then.
        Raises WorkerError when nothing can be graded.
        """
        ...


def neighbours(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Path and content of the regular files in ``folder`` that a grading would see, in order."""
    files, size = 0, 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
        for name in sorted(names):
            path = Path(root) / name
            try:
                status = path.lstat()
                if name.startswith(".") or not stat.S_ISREG(status.st_mode) or size + status.st_size > BYTES_COPIED:
                    continue
                content = path.read_bytes()
            except OSError:  # gone or unreadable for us: as if it were not there
                continue
            files, size = files + 1, size + status.st_size
            if files > FILES_COPIED:
                return
            yield path.relative_to(folder).as_posix(), content


def content_digest(submission: Submission) -> str:
    """SHA-256 over the graded file and its neighbours: another module beside main.py is another submission."""
    digest = hashlib.sha256(submission.sha256.encode())
    for name, content in neighbours(submission.folder) if submission.folder is not None else ():
        # The graded file itself is covered already, whatever it is called.
        if hashlib.sha256(content).hexdigest() != submission.sha256:
            digest.update(name.encode("utf-8", "surrogateescape") + b"\0" + hashlib.sha256(content).digest())
    return digest.hexdigest()


def pack(folder: Path | None) -> bytes:
    """The neighbours in ``folder`` as a zip; nothing when there are none."""
    if folder is None:
        return b""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in neighbours(folder):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def unpack(packed: bytes, folder: Path) -> Path | None:
    """Lay out what ``pack`` made below ``folder``."""
    if not packed:
        return None
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(folder)  # made by pack: relative paths of regular files, 16 MiB at most
    return folder
