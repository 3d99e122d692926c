"""Which lesson a command is about, found from what was typed, this folder and progress."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UsageError
from grader.lesson import find_lesson, lesson_ids
from grader.study.progress.nouns import Progress
from grader.study.progress.tables import RENAMES
from grader.study.watching.saves import NAMES, current_file


@dataclass(frozen=True)
class Place:
    """A lesson with the folder of the learner's own files, if there is one."""

    lesson_id: str
    folder: Path | None

    @property
    def main(self) -> Path:
        """The file of theirs that was saved last. Raises UsageError where the lesson was not begun."""
        if self.folder is None:
            raise UsageError(
                f"{self.lesson_id}: no main.py of yours is here; get one with: grade start {self.lesson_id}"
            )
        return current_file(self.folder)


def this_folder() -> Path:
    """The current folder, or UsageError where it was removed."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError("this folder is gone; change to another one") from error


def lesson_id_of(typed: str) -> str:
    """The id that was meant: itself, a name it once had, or its number. Raises UsageError for an unknown one."""
    known = lesson_ids()
    named = _renamed(typed)
    if named not in known and re.fullmatch(r"\d+", typed):
        numbered = [one for one in known if re.search(rf"(?<!\d)0*{int(typed)}$", one)]
        if len(numbered) > 1:
            raise UsageError(f"{typed}: stands for {' and '.join(numbered)}; write which one")
        named = next(iter(numbered), typed)
    return find_lesson(named).name


def place_of(typed: str | None, progress: Progress, *, here: Path) -> Place:
    """The lesson that was meant; else that of the folder ``here``, the last one worked on, the only one begun here.

    Raises UsageError when there is none or the typed one is unknown.
    """
    lesson_id = lesson_id_of(typed) if typed else current_lesson(progress, here=here)
    if lesson_id is None:
        raise UsageError("which lesson? name one, such as 1 or transformers-01; see: grade list")
    return Place(lesson_id, _folder(lesson_id, progress, here=here))


def current_lesson(progress: Progress, *, here: Path) -> str | None:
    """The lesson of the folder ``here``, else the last one worked on, else the only one begun here."""
    known = lesson_ids()
    if (named := _renamed(here.name)) in known:
        return named
    worked_on = {name: one for name, one in progress.lessons.items() if name in known and (one.folder or one.last_at)}
    if worked_on:
        return max(worked_on, key=lambda name: worked_on[name].last_at or "")
    begun = [one for one in known if has_main(here / one)]
    return begun[0] if len(begun) == 1 else None


def has_main(folder: Path) -> bool:
    """Whether a main.py or a main.ipynb lies in ``folder``."""
    return any((folder / name).exists() for name in NAMES)


def target_folder(lesson_id: str, *, here: Path) -> Path:
    """Where the lesson is laid out: in ``here`` if that bears its name, beside another lesson's folder, else below."""
    if here.name == lesson_id:
        return here
    return (here.parent if _renamed(here.name) in lesson_ids() else here) / lesson_id


def _folder(lesson_id: str, progress: Progress, *, here: Path) -> Path | None:
    candidates = [target_folder(lesson_id, here=here)]
    if _renamed(here.name) == lesson_id:  # a folder from before the lesson got its name
        candidates.append(here)
    if kept := progress.lesson(lesson_id).folder:
        candidates.append(Path(kept))
    return next((folder for folder in candidates if has_main(folder)), None)


def _renamed(name: str) -> str:
    renames = tomllib.loads(RENAMES.read_text(encoding="utf-8"))["lessons"]
    return str(renames.get(name, name))
