"""The facts about this machine on which grading depends, read from the system at one place."""

from __future__ import annotations

import contextlib
import locale
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from grader.errors import UsageError
from grader.study.machine import folders, hardware
from grader.study.machine.mounts import file_system
from grader.study.machine.trial import Trial, trial

PROJECT = "headwork"
ANSWER_S = 20
# Variables that change what JAX or Python does for `python main.py`, and not for the grader.
VARIABLES = ("PYTHONPATH", "PYTHONHOME", "XLA_FLAGS", "LIBTPU_INIT_ARGS")


@dataclass(frozen=True)
class Facts:
    """What decides about grading; sizes in MiB, empty strings where the system does not tell."""

    # Python
    python: str
    executable: str
    python_on_path: str
    same_python: bool  # whether that one is of the same environment
    bits: int
    supported: str  # as a specifier of versions
    tested: tuple[str, ...]
    # packages: name -> version; (who requires, what)
    installed: Mapping[str, str]
    required: tuple[tuple[str, str], ...]
    # machine
    system: str
    machine: str
    kernel: str
    libc: str
    translated: bool  # by Rosetta
    avx: bool | None
    visual_cpp: bool
    long_paths: bool
    memory_mib: Mapping[str, int]  # by what sets the limit
    # surroundings
    variables: Mapping[str, str]
    encoding: str
    terminal: bool
    folder: str
    file_system: str
    shadowing: tuple[str, ...]
    cache: folders.Place
    prepared: int
    temporary: folders.Place
    noexec: bool
    trial: Trial
    progress: str = ""  # what is wrong with where progress is kept


def gather() -> Facts:
    """Look at everything; a worker is started for it."""
    try:
        folder = Path.cwd()
    except OSError as error:
        raise UsageError("this folder is gone; change to another one") from error
    on_path = shutil.which("python") or shutil.which("python3") or ""
    supported, tested = _project()
    return Facts(
        python=platform.python_version(),
        executable=sys.executable,
        python_on_path=on_path,
        same_python=_prefix(on_path) == Path(sys.prefix).resolve(),
        bits=sys.maxsize.bit_length() + 1,
        supported=supported,
        tested=tested,
        installed=dict(_installed()),
        required=tuple(_required()),
        system=sys.platform,
        machine=platform.machine(),
        kernel=platform.release(),
        libc=" ".join(platform.libc_ver()).strip(),
        translated=hardware.translated(),
        avx=hardware.avx(),
        visual_cpp=hardware.visual_cpp(),
        long_paths=hardware.long_paths(),
        memory_mib=dict(hardware.memory_mib()),
        variables={
            name: value for name, value in os.environ.items() if value and (name in VARIABLES or name[:4] == "JAX_")
        },
        encoding=_encoding(),
        terminal=sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb",
        folder=str(folder),
        file_system=file_system(folder),
        shadowing=tuple(folders.shadowing()),
        cache=folders.cache(),
        prepared=folders.prepared(),
        temporary=folders.temporary(),
        noexec=folders.noexec(),
        trial=trial(),
        progress=folders.progress(),
    )


def _prefix(python: str) -> Path | None:
    """The environment of another interpreter; asked of itself, since its path may be that of a launcher."""
    try:
        command = [python, "-I", "-c", "import sys; print(sys.prefix)"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=ANSWER_S)
    except (OSError, subprocess.SubprocessError):
        return None
    return Path(done.stdout.strip()).resolve()


def _project() -> tuple[str, tuple[str, ...]]:
    """The versions of Python that this package allows, and those it was tested with."""
    try:
        facts = metadata.metadata(PROJECT)
    except metadata.PackageNotFoundError:  # run from a folder that was never installed
        return "", ()
    classifiers = [one.rpartition(" :: ") for one in facts.get_all("Classifier") or ()]
    return facts["Requires-Python"] or "", tuple(
        version for family, _, version in classifiers if family == "Programming Language :: Python" and "." in version
    )


def _required() -> Iterator[tuple[str, str]]:
    """What this package and JAX require here, without extras."""
    from packaging.requirements import Requirement

    for who in (PROJECT, "jax", "jaxlib"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            for text in metadata.requires(who) or ():
                requirement = Requirement(text)
                if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                    yield who, f"{requirement.name}{requirement.specifier}"


def _installed() -> Iterator[tuple[str, str]]:
    from packaging.requirements import Requirement

    for name in {PROJECT, *(Requirement(text).name for _, text in _required())}:
        with contextlib.suppress(metadata.PackageNotFoundError):
            yield name, metadata.version(name)


def _encoding() -> str:
    """In what Python reads and prints when nothing else is said; our own streams are UTF-8 by now."""
    chosen = os.environ.get("PYTHONIOENCODING", "").partition(":")[0]
    return chosen or ("utf-8" if sys.flags.utf8_mode else locale.getencoding())
