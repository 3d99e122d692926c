"""The private folder of one child: a copy of the submission's folder to work in, and a quota."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

from grader.running.ending import Died

# What is copied of the folder around main.py: the modules and small data files of a course exercise.
FILES_COPIED = 200
BYTES_COPIED = 16 * 1024 * 1024


class Scratch:
    """A folder that only this child writes to; ``work`` is its working directory, ``home`` its home.

    The learner's own folder is never written to, and nothing a child leaves behind is seen by the next.
    """

    def __init__(self, quota_mib: int) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="headwork-"))
        self.work, self.home = self.path / "work", self.path / "home"
        self.work.mkdir()
        self.home.mkdir()
        self._quota = quota_mib * 1024 * 1024 + BYTES_COPIED

    def copy_in(self, folder: Path) -> None:
        """Copy regular files of ``folder``, links and hidden ones left out, up to the limits."""
        files, size = 0, 0
        for root, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
            for name in sorted(names):
                source = Path(root) / name
                target = self.work / source.relative_to(folder)
                with contextlib.suppress(OSError):  # gone or unreadable for us: as if it were not there
                    status = source.lstat()
                    if name.startswith(".") or not stat.S_ISREG(status.st_mode) or size + status.st_size > BYTES_COPIED:
                        continue
                    files, size = files + 1, size + status.st_size
                    if files > FILES_COPIED:
                        return
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, target)

    def check_quota(self) -> None:
        """Raise Died when the folder holds more than the quota, or more files than anyone needs."""
        used = 0
        for count, path in enumerate(_files(self.path)):
            with contextlib.suppress(OSError):  # gone in the meantime
                used += path.stat(follow_symlinks=False).st_size
            if used > self._quota or count > 10 * FILES_COPIED:
                limit = f"{self._quota // 1024 // 1024} MiB or {10 * FILES_COPIED} files"
                raise Died(f"the program wrote more than {limit} to disk")

    def remove(self) -> None:
        """Delete the folder, whatever the child did to it and to the modes in it."""
        for root, folders, _ in os.walk(self.path):
            for name in folders:
                with contextlib.suppress(OSError):
                    if not (Path(root) / name).is_symlink():
                        (Path(root) / name).chmod(0o700)
        shutil.rmtree(self.path, ignore_errors=True)


def _files(folder: Path) -> list[os.DirEntry[str]]:
    found: list[os.DirEntry[str]] = []
    todo: list[str] = [str(folder)]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    found.append(entry)
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
        except OSError:  # gone in the meantime
            continue
    return found
