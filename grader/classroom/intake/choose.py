"""Choosing the file to grade among the files of one attempt: by name and place, and never by a guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.classroom.intake.names import alike, is_code, numbered, split
from grader.classroom.intake.tree import Found, Parts

SHOWN = 8  # names in a message

File = tuple[Parts, Found]


@dataclass(frozen=True)
class Choice:
    """The file to grade, or None with the reason; ``notes`` say what else could have been meant."""

    main: File | None
    reason: str = ""
    notes: tuple[str, ...] = ()


def choose(files: Sequence[File], *, lesson_id: str) -> Choice:
    """The file to grade: main.py, else a numbered one, else the lesson's name, else the only Python file or notebook.

    Of files that differ in nothing that counts, none is taken.
    """
    code = [file for file in files if is_code(file[0][-1]) and not file[1].fault]
    for fits in (_is_main, _is_numbered_main, lambda parts: _is_of_lesson(parts, lesson_id)):
        tier = sorted((file for file in code if fits(file[0])), key=_rank)
        if tier:
            return _first(tier)
    for extension in (".py", ".ipynb"):
        own = [file for file in code if split(file[0][-1])[1] == extension and not _is_of_a_package(file[0])]
        if len(own) == 1:
            passed = tuple(f"also holds {_shown(file)}; {_shown(own[0])} was taken" for file in code if file not in own)
            name = own[0][0][-1]
            return Choice(own[0], notes=(f"graded {name}, the only {_kind(extension)} there; no main.py", *passed))
        if own:
            return Choice(None, reason=f"holds {len(own)} files, none called main.py: {_some(own)}; which one is it?")
    return Choice(None, reason=_nothing(files))


def _first(tier: list[File]) -> Choice:
    best, *others = tier
    same = [file for file in others if _rank(file)[:-1] == _rank(best)[:-1]]
    if same:
        return Choice(None, reason=f"holds several that could be meant: {_some([best, *same])}; which one is it?")
    notes = [f"also holds {_shown(other)}; {_shown(best)} was taken" for other in others]
    if best[0][-1] not in ("main.py", "main.ipynb"):
        notes.insert(0, f"graded {best[0][-1]} as {'main' + split(best[0][-1])[1]}")
    return Choice(best, notes=tuple(notes))


def _rank(file: File) -> tuple[int, int, bool, bool, str]:
    """Highest in the folders first, then the newest copy, Python before a notebook, the exact name; last the path."""
    parts = file[0]
    stem, extension = split(parts[-1])
    return (len(parts), -numbered(stem)[1], extension != ".py", parts[-1] != "main" + extension, "/".join(parts))


def _is_main(parts: Parts) -> bool:
    return split(parts[-1])[0].casefold() == "main"


def _is_numbered_main(parts: Parts) -> bool:
    return numbered(split(parts[-1])[0])[0].casefold() == "main"


def _is_of_lesson(parts: Parts, lesson_id: str) -> bool:
    stem = split(parts[-1])[0]
    return alike(lesson_id) in (alike(stem), alike(numbered(stem)[0]))


def _is_of_a_package(parts: Parts) -> bool:
    return parts[-1] in ("__init__.py", "__main__.py", "setup.py", "conftest.py")


def _nothing(files: Sequence[File]) -> str:
    faults = [f"{_shown(file)}: {file[1].fault}" for file in files if file[1].fault]
    if faults:
        return "; ".join(faults[:SHOWN])
    if files:
        return f"holds neither a Python file nor a notebook: {_some(files)}; a main.py or main.ipynb is needed"
    return "nothing was handed in that can be graded; a main.py or main.ipynb is needed"


def _kind(extension: str) -> str:
    return "Python file" if extension == ".py" else "notebook"


def _shown(file: File) -> str:
    return "/".join(file[0])


def _some(files: Sequence[File]) -> str:
    more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    return ", ".join(_shown(file) for file in files[:SHOWN]) + more
