"""Moodle: the zip of "Download all submissions", by folders or flat.

Folders ``Full name_<participant id>_assignsubmission_file[_]/``, or the older flat form
``Full name_<participant id>_assignsubmission_file_<file>``; text typed in the browser lies in ``…_onlinetext…``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.classroom.intake.attempts import Attempt, Sorted
from grader.classroom.intake.choose import File
from grader.classroom.intake.tree import Folder, Found, newest
from grader.classroom.nouns import LeftOut

# The name may hold "_", so the id is the last number before the plugin's name.
PATTERN = re.compile(r"(?P<name>.*)_(?P<id>\d+)_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL)


@dataclass
class Student:
    """A participant while the entries are gone through."""

    name: str
    places: list[str] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def attempts(root: Folder, *, lesson_id: str) -> Sorted | None:
    """The participants of a Moodle download; None when no name is Moodle's."""
    entries: Sequence[Found | Folder] = [*root.folders, *root.files]
    matches = [(entry, PATTERN.fullmatch(entry.name)) for entry in entries]
    if not any(match for _, match in matches):
        return None
    students: dict[str, Student] = {}
    left_out: list[LeftOut] = []
    for entry, match in matches:
        if match is None:
            left_out.append(
                LeftOut(entry.path, "its name is not one of Moodle's (name_participant id_assignsubmission_…)")
            )
            continue
        student = students.setdefault(match["id"], Student(match["name"]))
        if match["plugin"] == "onlinetext":
            student.texts.append(entry.path)
        elif match["plugin"] == "file":
            student.places.append(entry.path)
            own = tuple(entry.every()) if isinstance(entry, Folder) else (((match["file"] or entry.name,), entry),)
            student.files.extend(own)
        else:
            left_out.append(LeftOut(entry.path, f"a {match['plugin']} of Moodle's, no file of a submission"))
    made = [_attempt(number, student) for number, student in students.items() if student.places or student.texts]
    return Sorted("Moodle download", tuple(made), tuple(left_out))


def _attempt(number: str, student: Student) -> Attempt:
    notes = [f"{text}: text typed into Moodle is not graded" for text in student.texts]
    return Attempt(
        student=number,
        name=student.name,
        place=[*student.places, *student.texts][0],
        files=tuple(student.files),
        received_at=newest([file for _, file in student.files]),
        identity={"participant id": number},
        notes=tuple(notes),
    )
