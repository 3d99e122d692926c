"""Plain folders: ``<student>/main.py``, ``<student>.py``, or either of them some folders deeper."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from grader.classroom.intake.attempts import Attempt, Sorted
from grader.classroom.intake.choose import File
from grader.classroom.intake.names import alike, distinct, is_code, split, without_zip
from grader.classroom.intake.tree import Folder, Found, newest
from grader.classroom.nouns import LeftOut

ATTEMPT = re.compile(r"(?i)(?:attempt|try|submission|version|upload|v)[\s_-]*(\d{1,4})(?:\.zip)?")
COPY = re.compile(r"(.+?)\s*\((\d{1,4})\)")
INNER = ("src", "code", "submission", "solution", "answer")  # folders that no student is called


@dataclass(frozen=True)
class Owned:
    """What one student has at one place: a folder, or files of one stem."""

    name: str
    place: str
    files: tuple[File, ...]
    number: int | None = None


def attempts(root: Folder, *, lesson_id: str) -> Sorted:
    """The students of any folder: the folders that hold code, and the files of code outside of them."""
    top = _top(root, lesson_id=lesson_id)
    if _is_one_student(top):
        owned = [Owned(without_zip(top.name), top.path or top.name, tuple(top.every()))]
        return Sorted("one student's folder", tuple(_attempts(owned)))
    level: Sequence[Folder] = [top]
    while any(_is_group(folder, lesson_id=lesson_id) for each in level for folder in each.folders) and not any(
        _has_code(folder) for each in level for folder in each.folders
    ):
        level = [folder for each in level for folder in each.folders]
    folders = [folder for each in level for folder in each.folders]
    owned = [one for folder in folders for one in _of_folder(folder)]
    loose = [file for each in level for file in each.files]
    if level != [top]:
        loose = [*top.files, *loose]
    mine = [file for file in loose if is_code(file.name) and not file.fault and not _is_main(file)]
    by_stem = _by_stem(mine)
    taken = {file.path for file in mine}
    left_out = [LeftOut(file.path, _why_loose(file)) for file in loose if file.path not in taken and not file.fault]
    return Sorted("plain folder", tuple(_attempts([*owned, *by_stem])), tuple(left_out))


def _top(root: Folder, *, lesson_id: str) -> Folder:
    """``root`` without extra top folders: those that lie alone and are no student's."""
    top = root
    while len(top.folders) == 1 and not top.files:
        only = top.folders[0]
        if any(_is_main(file) for file in only.files) or not (only.folders or any(map(_is_file_of_code, only.files))):
            break
        if len(only.folders) == 1:
            inner = only.folders[0]
            if without_zip(inner.name).casefold() in INNER or alike(inner.name) == alike(lesson_id):
                break
        top = only
    return top


def _is_one_student(top: Folder) -> bool:
    return any(_is_main(file) for file in top.files) and not any(
        _is_main(file) for folder in top.folders for _, file in folder.every()
    )


def _is_group(folder: Folder, *, lesson_id: str) -> bool:
    """Whether a folder holds students, such as a section: no code of its own, but several folders with some."""
    with_code = [child for child in folder.folders if any(is_code(parts[-1]) for parts, _ in child.every())]
    students = [child for child in with_code if not ATTEMPT.fullmatch(child.name)]
    return not _has_code(folder) and len(students) > 1


def _of_folder(folder: Folder) -> list[Owned]:
    """A student's folder: one attempt, or one per folder when these are called "attempt 1", "attempt 2"."""
    numbers = {child.name: match for child in folder.folders if (match := ATTEMPT.fullmatch(child.name))}
    name = without_zip(folder.name)
    if not numbers or _has_code(folder) or len(numbers) < len(folder.folders):
        return [Owned(name, folder.path, tuple(folder.every()))]
    return [
        Owned(name, child.path, tuple(child.every()), number=int(numbers[child.name][1])) for child in folder.folders
    ]


def _by_stem(files: Sequence[Found]) -> list[Owned]:
    """Files called after their students; "s001.py", "s001.ipynb" and the copy "s001 (1).py" are one student's."""
    stems: dict[tuple[str, str], list[Found]] = {}
    for file in files:
        above = file.path.rpartition("/")[0]
        stems.setdefault((above, split(file.name)[0]), []).append(file)
    owned: list[Owned] = []
    for (above, stem), own in sorted(stems.items()):
        copy = COPY.fullmatch(stem)
        is_copy = copy is not None and (above, copy[1]) in stems
        name, number = (copy[1], int(copy[2]) + 1) if copy and is_copy else (stem, 1)
        named = tuple((("main" + split(file.name)[1],), file) for file in own)
        owned.append(Owned(name, own[0].path, named, number=number))
    return owned


def _attempts(owned: Sequence[Owned]) -> list[Attempt]:
    """The attempts, keyed by name; what has one name but lies in different places is different students'.

    Namesakes are keyed by their places, so that nobody's key depends on who else is there.
    """
    homes = [(one.name, _home(one)) for one in owned]
    unique = list(dict.fromkeys(homes))
    times = Counter(name.casefold() for name, _ in unique)
    names = [name if times[name.casefold()] == 1 else home.strip("/") for name, home in unique]
    keys = {
        home: (key, (*notes, f"{times[home[0].casefold()]} submissions bear the name {home[0]}; this one is {key}"))
        if times[home[0].casefold()] > 1
        else (key, notes)
        for home, (key, notes) in zip(unique, distinct(names), strict=True)
    }
    return [
        Attempt(
            student=keys[home][0],
            name=one.name,
            place=one.place,
            files=one.files,
            received_at=newest([file for _, file in one.files]),
            number=one.number,
            notes=keys[home][1],
        )
        for one, home in zip(owned, homes, strict=True)
    ]


def _home(one: Owned) -> str:
    """The place that the attempts of one student have in common."""
    above, _, last = one.place.rpartition("/")
    if ATTEMPT.fullmatch(last):
        return above
    is_file = len(one.files) > 0 and one.files[0][1].path == one.place
    return f"{above}/{one.name} (files)" if is_file else one.place


def _has_code(folder: Folder) -> bool:
    return any(is_code(file.name) for file in folder.files)


def _is_file_of_code(file: Found) -> bool:
    return is_code(file.name)


def _is_main(file: Found) -> bool:
    return is_code(file.name) and split(file.name)[0].casefold() == "main"


def _why_loose(file: Found) -> str:
    if _is_main(file):
        return "in no student's folder, and its name is no student's"
    return "neither a student's folder nor a Python file or notebook"
