"""This grader as a wheel with one lesson, made from the code that is running, installed or a checkout alike."""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import io
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grader import __version__
from grader.errors import UsageError
from grader.lesson import PACKAGE, content_root

DISTRIBUTION = "headwork"
WHEEL = f"{DISTRIBUTION}-{__version__}-py3-none-any.whl"
INFO = f"{DISTRIBUTION}-{__version__}.dist-info"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same code gives the same bytes
LINUX = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "extra": ""}


def wheel(lesson_id: str) -> bytes:
    """A wheel of this package whose content is the lesson ``lesson_id`` alone; the same bytes each time."""
    files = dict(_package_files())
    files |= dict(_content_files(lesson_id))
    requires = "".join(f"Requires-Dist: {one}\n" for one in requirements())
    files[f"{INFO}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {__version__}\n{requires}".encode()
    )
    files[f"{INFO}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: headwork\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{INFO}/entry_points.txt"] = b"[console_scripts]\ngrade = grader.cli.app:main\n"
    files[f"{INFO}/RECORD"] = _record(files).encode()
    return zipped(files)


def pins() -> list[str]:
    """Every package that grading needs on Linux, at the version that is installed here.

    One that is not installed here, because this is no Linux, keeps the range that asks for it.
    """
    found: dict[str, str] = {}
    waiting = requirements()
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker is not None and not requirement.marker.evaluate(LINUX)):
            continue
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = f"{name}{requirement.specifier}"
            continue
        found[name] = f"{name}=={distribution.version}"
        waiting.extend(distribution.requires or [])
    return sorted(found.values())


def requirements() -> list[str]:
    """What this package requires, without extras: from the checkout's pyproject.toml, else as it was installed."""
    project = PACKAGE.parent / "pyproject.toml"
    if project.exists():
        facts = tomllib.loads(project.read_text(encoding="utf-8")).get("project", {})
        if facts.get("name") == DISTRIBUTION:
            return [str(one) for one in facts["dependencies"]]
    try:
        required = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError as error:
        raise UsageError(f"{DISTRIBUTION}: not installed, so its requirements are unknown; pip install it") from error
    return [one for one in required if "extra ==" not in one]


def zipped(files: Mapping[str, bytes], executable: tuple[str, ...] = ()) -> bytes:
    """A zip of ``files``, the same bytes for the same content; those named in ``executable`` may be run."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, also when made on Windows: else the mode counts for nothing
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def _package_files() -> Iterator[tuple[str, bytes]]:
    for path in _sources(PACKAGE):
        name = path.relative_to(PACKAGE)
        if name.parts[0] != "content":
            yield f"grader/{name.as_posix()}", path.read_bytes()


def _content_files(lesson_id: str) -> Iterator[tuple[str, bytes]]:
    root = content_root()
    for kind in ("lessons", "scaffolds", "solutions"):
        for path in _sources(root / kind / lesson_id):
            yield f"grader/content/{path.relative_to(root).as_posix()}", path.read_bytes()


def _sources(folder: Path) -> list[Path]:
    """The files below ``folder`` that are not made by running it."""
    return sorted(
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts and path.name[0] != "."
    )


def _record(files: Mapping[str, bytes]) -> str:
    def line(name: str, content: bytes) -> str:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        return f"{name},sha256={digest},{len(content)}\n"

    return "".join(line(name, content) for name, content in files.items()) + f"{INFO}/RECORD,,\n"
