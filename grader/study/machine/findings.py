"""What the facts about a machine mean for grading, as findings with remedies."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from grader.running.limits import Limits
from grader.study.machine.facts import PROJECT, Facts
from grader.study.machine.folders import Place
from grader.study.machine.hardware import ADDRESSES
from grader.study.machine.mounts import reports_changes
from grader.study.machine.remedies import (
    ARM_PYTHON,
    BUILDS,
    CONFINEMENT,
    ELSEWHERE,
    MEANINGS,
    NO_AVX,
    REINSTALL,
    SYMPTOMS,
    VISUAL_CPP,
)


class Level(StrEnum):
    """How much a finding matters; an obstacle prevents grading, one's own file's or a class's."""

    GOOD = "good"
    WARNING = "warning"
    OBSTACLE = "obstacle"


@dataclass(frozen=True)
class Finding:
    """What was found; the remedy is empty for what is good."""

    level: Level
    what: str
    remedy: str = ""


OLDEST_GLIBC = Version("2.27")

NEEDED_MIB = 1024  # grader and worker take less than half of it
ROOM_MIB = 200  # twice the scratch folder of one grading
LONGEST_PATH = 259
LONGEST_NAME_IN_CACHE = 190
SYNCED = r"[\\/](OneDrive|Dropbox|Google ?Drive|My Drive|iCloudDrive|Mobile Documents|CloudStorage|Nextcloud)\b"


def findings(facts: Facts) -> list[Finding]:
    """All that is to be said, the proof last."""
    found = [finding for look in LOOKS for finding in look(facts)]
    return [*found, _proof(facts, explained=not grading_works(found))]


def grading_works(found: Sequence[Finding]) -> bool:
    """Whether nothing stands in the way."""
    return all(finding.level is not Level.OBSTACLE for finding in found)


def _good(what: str) -> Finding:
    return Finding(Level.GOOD, what)


def _warning(what: str, remedy: str) -> Finding:
    return Finding(Level.WARNING, what, remedy)


def _cause(facts: Facts, what: str, remedy: str) -> Finding:
    """What can keep a worker from starting: an obstacle only where none starts."""
    return Finding(Level.OBSTACLE if facts.trial.error else Level.WARNING, what, remedy)


def _pip(facts: Facts) -> str:
    return f"{'python' if facts.same_python else facts.executable} -m pip"


def _python(facts: Facts) -> Iterator[Finding]:
    version = Version(facts.python)
    newest = max(map(Version, facts.tested), default=version)
    if facts.supported and not SpecifierSet(facts.supported).contains(version, prereleases=True):
        remedy = "Install a newer Python and make an environment with it."
        yield _cause(facts, f"Python {facts.python} is too old: {PROJECT} needs {facts.supported}", remedy)
    elif version.release[:2] > newest.release[:2]:
        remedy = f"If something fails here, use Python {newest}."
        yield _warning(f"Python {facts.python} is newer than {newest}, the newest one that was tested", remedy)
    else:
        yield _good(f"{PROJECT} {facts.installed.get(PROJECT, '')}, Python {facts.python}")
    if facts.bits != 64:
        yield _cause(facts, f"a Python of {facts.bits} bits: jaxlib needs 64", "Install a 64-bit Python.")
    if not facts.same_python:
        found = f"`python` is {facts.python_on_path}" if facts.python_on_path else "no `python` is found on PATH"
        remedy = "Activate the environment that holds grade, or run `{}` in place of python."
        yield _warning(
            f"{found}, but grade runs {facts.executable}: `python main.py` may lack jax",
            remedy.format(facts.executable),
        )


def _packages(facts: Facts) -> Iterator[Finding]:
    wrong: dict[str, Finding] = {}
    for who, text in facts.required:
        requirement = Requirement(text)
        name, version = requirement.name, facts.installed.get(requirement.name)
        if version is None:
            remedy = f'{_pip(facts)} install "{text}"'
            wrong.setdefault(name, _cause(facts, f"{name} is not installed; {who} needs {text}", remedy))
        elif not requirement.specifier.contains(version, prereleases=True):
            remedy = f'{_pip(facts)} install --upgrade "{text}"'
            wrong.setdefault(name, _cause(facts, f"{name} {version} does not fit: {who} needs {text}", remedy))
    yield from wrong.values()
    if not wrong:
        yield _good(", ".join(f"{name} {facts.installed.get(name, '?')}" for name in ("jax", "jaxlib", "numpy")))


def _platform(facts: Facts) -> Iterator[Finding]:
    here = facts.system, facts.machine.lower()
    if facts.translated:
        what = "a Python for Intel processors, which Rosetta translates for Apple silicon: jaxlib needs a native one"
        yield _cause(facts, what, ARM_PYTHON)
    elif here not in BUILDS:
        remedy = ELSEWHERE.get(here, "Use another computer, or a hosted notebook.")
        yield _cause(facts, f"jaxlib is not built for {facts.system} on {facts.machine}", remedy)
    elif facts.avx is False:
        yield _cause(facts, "a processor without AVX instructions, which jaxlib needs", NO_AVX)
    if facts.system == "linux" and not _recent_glibc(facts.libc) and facts.trial.error:
        what = f"no glibc of {OLDEST_GLIBC} or newer ({facts.libc or 'as on Alpine'}), which jaxlib needs"
        yield _cause(facts, what, "Use a newer system or another container image, such as python:3.12-slim.")
    if not facts.visual_cpp:
        yield _cause(facts, "no runtime of Visual C++, which jaxlib needs", VISUAL_CPP)
    if "microsoft" in facts.kernel.lower() and "wsl2" not in facts.kernel.lower():
        remedy = "In PowerShell: wsl --list --verbose, then wsl --set-version NAME 2."
        yield _warning("WSL 1, which cannot confine student code", remedy)
    if not facts.long_paths and len(facts.cache.path) + LONGEST_NAME_IN_CACHE > LONGEST_PATH:
        remedy = r"Enable long paths (LongPathsEnabled) in Windows, or set HEADWORK_CACHE to a short one: C:\headwork."
        yield _warning(f"paths below {facts.cache.path} grow too long for Windows: nothing is cached", remedy)
    for limit, mib in facts.memory_mib.items():
        needed = Limits().memory_mib if limit == ADDRESSES else NEEDED_MIB
        if mib < needed:
            yield _cause(facts, f"{limit} allows {mib} MiB of memory", f"Allow {needed} MiB or more.")


def _recent_glibc(libc: str) -> bool:
    name, _, version = libc.partition(" ")
    return name == "glibc" and Version(version) >= OLDEST_GLIBC


def _surroundings(facts: Facts) -> Iterator[Finding]:
    if facts.variables:
        names = ", ".join(sorted(facts.variables))
        remedy = "Unset what you do not need: it can make your file do something else than what is graded."
        yield _warning(f"set for `python main.py`, and not for the grader: {names}", remedy)
    if _codec(facts.encoding) != "utf-8":
        remedy = "Set PYTHONUTF8=1, so that your programs read and print every character."
        yield _warning(f"Python reads and prints {facts.encoding} here", remedy)
    if facts.shadowing:
        names = ", ".join(facts.shadowing)
        yield _warning(f"`python main.py` imports these in place of libraries: {names}", "Rename them.")
    how = "a terminal: grade watch takes keys" if facts.terminal else "no terminal: grade watch prints plain lines"
    yield _good(how)


def _codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        return name


def _folders(facts: Facts) -> Iterator[Finding]:
    if not reports_changes(facts.file_system):
        better = "~/" if "microsoft" in facts.kernel.lower() else "a folder on this computer's own disk"
        what = f"{facts.folder} ({facts.file_system}) reports no saves: grade watch looks every second"
        yield _warning(what, f"That works; in {better} it is quicker.")
    if synced := re.search(SYNCED, facts.folder, re.IGNORECASE):
        remedy = "Work in a folder that is not synchronised: a file can be locked or replaced while you work."
        yield _warning(f"{facts.folder} is kept in step by {synced[1]}", remedy)
    cache, temporary = facts.cache, facts.temporary
    if cache.problem or cache.free_mib < ROOM_MIB:
        remedy = "Free space, or set HEADWORK_CACHE to a folder that can be written."
        yield _warning(f"nothing is cached in {cache.path} ({_trouble(cache)}): grading takes longer", remedy)
    else:
        yield _good(f"lesson states with compiled programs in {cache.path}: {facts.prepared}")
    if temporary.problem or temporary.free_mib < ROOM_MIB:
        remedy = "Free space, or set TMPDIR (on Windows TEMP) to a folder that can be written."
        yield _cause(facts, f"{temporary.path} for temporary files: {_trouble(temporary)}", remedy)
    elif facts.noexec:
        remedy = "Grading works; a package that compiles when it is used needs TMPDIR set to another folder."
        yield _warning(f"no program may be run from {temporary.path} (noexec)", remedy)


def _trouble(place: Place) -> str:
    return place.problem or f"{place.free_mib} MiB free"


def _sandbox(facts: Facts) -> Iterator[Finding]:
    weakness, protections = facts.trial.weakness, facts.trial.protections
    if facts.system != "linux":
        remedy = "Right for your own file. Other people's belongs on Linux, where it is confined."
        yield _warning("student code runs in a process of its own with limits, and is not confined", remedy)
    elif protections and all(protections.values()):
        yield _good(f"student code is confined: {', '.join(protections)}")
    elif protections:
        for name in (name for name, holds in protections.items() if not holds):
            yield Finding(Level.OBSTACLE, f"student code is not confined against {MEANINGS[name]}", CONFINEMENT)
    elif weakness:
        remedy = "Raise the limits of this shell (ulimit) or job." if "maximum limit" in weakness else CONFINEMENT
        yield Finding(Level.OBSTACLE, f"student code cannot be confined: {weakness}", remedy)


def _proof(facts: Facts, *, explained: bool) -> Finding:
    error = facts.trial.error
    if not error:
        return _good(f"a worker starts and answers ({facts.trial.wall_s:.1f} s)")
    lines = [line.strip() for line in error.splitlines()]
    said = next((line for line in reversed(lines) if re.match(r"[\w.]*(Error|Exception)\b", line)), lines[0])
    otherwise = "First do what is asked for above." if explained else f"Install again: {REINSTALL}"
    remedy = next((remedy for symptom, remedy in SYMPTOMS if re.search(symptom, error)), otherwise)
    return Finding(Level.OBSTACLE, f"no worker starts: {said}", remedy.format(pip=_pip(facts)))


def _progress(facts: Facts) -> Iterator[Finding]:
    if facts.progress:
        what, _, remedy = facts.progress.partition("; ")
        yield _warning(what, remedy[:1].upper() + remedy[1:] + ".")


LOOKS = (_python, _packages, _platform, _surroundings, _folders, _progress, _sandbox)
