"""Compiled programs that the trusted reference left behind: read by children, written by none of them.

One folder per machine, Python and JAX version under the user's cache folder, and in it one per lesson state, made whole
and renamed into place, so that two graders may start at once. Every entry carries its SHA-256; one
that does not match is dropped.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from grader.errors import WorkerError

MANIFEST = "manifest.json"
SUFFIX = "-cache"
ABANDONED_AFTER_S = 3600
SETTINGS = {
    "JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES": "none",  # else the key depends on the folder's path
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}


def cache_root() -> Path:
    """Where this user's caches are, by the rules of the system; $HEADWORK_CACHE overrides them."""
    if chosen := os.environ.get("HEADWORK_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "headwork"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "headwork"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headwork"


def machine_folder() -> Path:
    """The folder for this processor, Python and JAX: compiled code is good for no other."""
    try:
        version("jax")
    except PackageNotFoundError as error:
        raise WorkerError("jax is not installed beside this Python; install it with: pip install jax") from error
    facts = [platform.machine(), platform.processor(), sys.version, version("jax"), version("jaxlib"), _processor()]
    key = hashlib.sha256("\0".join(facts).encode()).hexdigest()[:16]
    return cache_root() / f"compiled-jax-{version('jax')}-{key}"


def _processor() -> str:
    """Features of the processor, where the system tells them."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return "\n".join(sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))}))


def lesson_folder(lesson_id: str, digest: str) -> Path:
    """Where the programs of one state of a lesson are."""
    return machine_folder() / f"{lesson_id}-{digest}"


def fill_environment(folder: Path) -> Mapping[str, str]:
    """Variables with which JAX writes every program it compiles into ``folder``."""
    return {
        **SETTINGS,
        "JAX_COMPILATION_CACHE_DIR": str(folder),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    }


def read_environment(folder: Path) -> Mapping[str, str]:
    """Variables with which JAX looks programs up in ``folder`` and never writes there."""
    return {
        **SETTINGS,
        "JAX_COMPILATION_CACHE_DIR": str(folder),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "1e9",
    }


def new_folder() -> Path:
    """An empty folder beside the final ones, for one filling; those that a killed grader left are removed."""
    root = machine_folder()
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    for left in root.glob("filling-*"):
        if time.time() - left.stat().st_mtime > ABANDONED_AFTER_S:
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix="filling-", dir=root))


def publish(filled: Path, target: Path, *, without: Sequence[str] = ()) -> None:
    """Seal ``filled`` and move it to ``target``; if another grader was faster, its result stays.

    Programs named after the functions in ``without`` are left out: they would show how the reference is written.
    """
    manifest = {}
    for path in list(filled.iterdir()):
        named_after = path.name.removeprefix("jit_").rpartition("-")[0].rpartition("-")[0]
        if not path.name.endswith(SUFFIX) or named_after in without:
            path.unlink()
        else:
            manifest[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    (filled / MANIFEST).write_text(json.dumps(manifest, indent=0), encoding="utf-8")
    try:
        filled.rename(target)
    except OSError:  # it is there already
        shutil.rmtree(filled, ignore_errors=True)


def entries(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Key and content of every entry of ``folder`` that is what was sealed; nothing from a folder of another user."""
    try:
        status = folder.stat()
        if os.name == "posix" and (status.st_uid != os.geteuid() or status.st_mode & 0o022):
            return
        manifest: Mapping[str, str] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    for name, sha256 in manifest.items():
        try:
            content = (folder / name).read_bytes()
        except OSError:
            continue
        if hashlib.sha256(content).hexdigest() == sha256:
            yield name.removesuffix(SUFFIX), content
