"""Staging one student's files in a folder of their own, from which the submission is read."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.intake.choose import File
from grader.classroom.intake.names import portable, split
from grader.classroom.intake.tree import Parts
from grader.errors import UsageError
from grader.model import Submission
from grader.submission import read_submission

FILES = 500  # beside main.py; a submission that needs more is no submission
LONGEST = 400  # bytes of a path inside the folder; systems end at 1024 to 4096, its own place included
BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Plan:
    """What to stage where: ``main`` becomes main.py (or main.ipynb) in ``folder``, its neighbours stay beside it.

    ``reason`` says why there is no ``main``; ``shown`` is the path that an instructor sees.
    """

    folder: Path
    shown: str
    main: File | None
    reason: str
    files: tuple[File, ...]
    notes: tuple[str, ...] = ()


def read_staged(plan: Plan) -> Submission:
    """The submission of ``plan``; a second call reads the same folder again.

    Raises UsageError: nothing was handed in, it is unclear which file is meant, or the file cannot be read.
    """
    if plan.main is None:
        raise UsageError(f"{plan.shown}: {plan.reason}")
    main = plan.folder / _name_of_main(plan.main)
    try:
        dropped = _stage(plan, plan.main)
    except OSError as error:
        raise UsageError(f"{plan.shown}: cannot be read ({error.strerror or error})") from error
    try:
        submission = read_submission(main)
    except UsageError as error:
        raise UsageError(_about(plan.shown, main, str(error))) from error
    return dataclasses.replace(submission, path=plan.shown, notes=(*plan.notes, *dropped, *submission.notes))


def _name_of_main(main: File) -> str:
    return "main" + split(main[0][-1])[1]


def _about(shown: str, main: Path, message: str) -> str:
    """A message of the reader about the file that the instructor knows."""
    for name in (str(main), main.name):
        if message.startswith(name):
            return shown + message[len(name) :]
    return f"{shown}: {message.replace(str(main.parent), '').replace(str(main), shown)}"


def _stage(plan: Plan, main: File) -> tuple[str, ...]:
    """Copy the files; notes on what was not copied. Complete or not there: the folder gets its name at the end."""
    chosen, dropped = _neighbours(plan.files, main)
    if plan.folder.exists():
        return dropped
    plan.folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=plan.folder.parent))
    try:
        for parts, disk in [((_name_of_main(main),), main[1].disk), *chosen]:
            target = new.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(disk, target, follow_symlinks=False)
        new.chmod(0o755)
        new.rename(plan.folder)
    except OSError:
        shutil.rmtree(new, ignore_errors=True)
        if not plan.folder.exists():  # else somebody else was first
            raise
    return dropped


def _neighbours(files: tuple[File, ...], main: File) -> tuple[list[tuple[Parts, Path]], tuple[str, ...]]:
    """The files in the folder of ``main`` and below, with their paths from there, and notes on what stays out."""
    above = main[0][:-1]
    taken = {_name_of_main(main).casefold()}
    chosen: list[tuple[Parts, Path]] = []
    notes: list[str] = []
    size = 0
    for parts, file in files:
        inside = parts[len(above) :]
        shown = "/".join(parts)
        if file is main[1] or parts[: len(above)] != above:
            continue
        if file.fault:
            notes.append(f"{shown} is not beside main.py in the grading: {file.fault}")
        elif not all(map(portable, inside)) or len("/".join(inside).encode()) > LONGEST:
            notes.append(f"{shown} is not beside main.py in the grading: not every system allows its name")
        elif "/".join(inside).casefold() in taken:
            notes.append(f"{shown} is not beside main.py in the grading: its name is taken where case does not count")
        elif size + file.size > BYTES or len(chosen) == FILES:
            notes.append(f"{shown} and what follows it is not beside main.py in the grading: too much")
            break
        else:
            size += file.size
            taken |= {"/".join(inside[: depth + 1]).casefold() for depth in range(len(inside))}
            chosen.append((inside, file.disk))
    return _without_clashes(chosen), tuple(notes)


def _without_clashes(chosen: list[tuple[Parts, Path]]) -> list[tuple[Parts, Path]]:
    """Those whose folders are not files themselves, as they may be in a zip."""
    files = {parts for parts, _ in chosen}
    return [
        (parts, disk) for parts, disk in chosen if not any(parts[:depth] in files for depth in range(1, len(parts)))
    ]
