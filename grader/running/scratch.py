"""The private folder of one child: a copy of the submission's folder to work in, and a quota."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from grader.errors import WorkerError
from grader.running.ending import Died

# What is copied of the folder around main.py: the modules and small data files of a course exercise.
FILES_COPIED = 200
BYTES_COPIED = 16 * 1024 * 1024
FILES_KEPT = 2000
LEVELS_KEPT = 16

# What deletes a folder that is too deep for Python, or whose modes were taken away.
LAST_RESORT = {
    "posix": (["chmod", "-R", "u+rwX"], ["rm", "-rf"]),
    "nt": (["attrib", "-R", "/S", "/D"], ["cmd", "/c", "rmdir", "/S", "/Q"]),
}


class Scratch:
    """A folder that only this child writes to; ``work`` is its working directory, ``home`` its home.

    The learner's own folder is never written to, and nothing a child leaves behind is seen by the next.
    """

    def __init__(self, quota_mib: int) -> None:
        try:
            # Resolved, as the child will see it: macOS has a link in it, Windows may have a short name.
            self.path = Path(tempfile.mkdtemp(prefix="headwork-")).resolve()
        except OSError as error:
            raise WorkerError(
                f"the temporary folder cannot be written ({error.strerror}); free space or set TMPDIR to another"
            ) from error
        self.work, self.home = self.path / "work", self.path / "home"
        self.work.mkdir()
        self.home.mkdir()
        self._quota = quota_mib * 1024 * 1024 + BYTES_COPIED

    def copy_in(self, folder: Path) -> None:
        """Copy regular files of ``folder``, links and hidden ones left out, up to the limits.

        Nothing is copied of a folder that holds this package: a main.py in the checkout would get the solutions.
        """
        if Path(__file__).resolve().is_relative_to(folder.resolve()):
            return
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
        """Raise Died when the folder holds more than the quota, or more files or levels than anyone needs."""
        used = 0
        for count, (entry, depth) in enumerate(_entries(self.path)):
            with contextlib.suppress(FileNotFoundError):  # gone in the meantime
                used += entry.stat(follow_symlinks=False).st_size
            if used > self._quota or count > FILES_KEPT or depth > LEVELS_KEPT:
                limit = f"{self._quota // 1024 // 1024} MiB, {FILES_KEPT} files or {LEVELS_KEPT} levels of folders"
                raise Died(f"the program wrote more than {limit} to disk")

    def remove(self) -> None:
        """Delete the folder, whatever the child did to it and to the modes in it."""
        with contextlib.suppress(RecursionError):
            shutil.rmtree(self.path, ignore_errors=True)
        if self.path.exists():
            for command in LAST_RESORT[os.name]:
                subprocess.run([*command, str(self.path)], stderr=subprocess.DEVNULL, check=False)


def _entries(folder: Path) -> Iterator[tuple[os.DirEntry[str], int]]:
    """Every file and folder below ``folder`` with its depth; not below LEVELS_KEPT."""
    todo = [(str(folder), 1)]
    while todo:
        path, depth = todo.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    yield entry, depth
                    if entry.is_dir(follow_symlinks=False) and depth <= LEVELS_KEPT:
                        todo.append((entry.path, depth + 1))
        except FileNotFoundError:  # gone in the meantime
            continue
        except OSError as error:
            raise Died(f"the program made a folder that cannot be looked into ({error.strerror})") from error
