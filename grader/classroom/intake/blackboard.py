"""Blackboard: the zip of "Assignment File Download", flat, with a text file per attempt.

``<Assignment>_<student>_attempt_<date-time>_<file>`` and ``<Assignment>_<student>_attempt_<date-time>.txt``.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.classroom.intake.attempts import Attempt, Sorted
from grader.classroom.intake.choose import File
from grader.classroom.intake.names import clean, shared
from grader.classroom.intake.tree import Folder, Found
from grader.classroom.nouns import LeftOut
from grader.errors import UsageError
from grader.submission import read_regular_file

PATTERN = re.compile(r"(.+)_attempt_(\d{4}(?:-\d\d){5})(?:_(.*)|\.txt)", re.DOTALL)


@dataclass
class Handed:
    """What one student handed in at one time, while the entries are gone through."""

    files: list[File] = field(default_factory=list)
    text: Found | None = None
    places: list[str] = field(default_factory=list)


def attempts(root: Folder, *, lesson_id: str) -> Sorted | None:
    """The students of a Blackboard download; None when no name is Blackboard's."""
    entries: Sequence[Found | Folder] = [*root.files, *root.folders]
    matches = [(entry, PATTERN.fullmatch(entry.name)) for entry in entries]
    if not any(match for _, match in matches):
        return None
    handed: dict[tuple[str, str], Handed] = {}
    left_out: list[LeftOut] = []
    for entry, match in matches:
        if match is None or _time(match[2]) is None:
            left_out.append(LeftOut(entry.path, "its name is not one of Blackboard's (…_attempt_date-time_file)"))
            continue
        one = handed.setdefault((match[1], match[2]), Handed())
        if match[3] is None and isinstance(entry, Found):
            one.text = entry
            one.places.append(entry.path)
        else:
            one.places.insert(0, entry.path)
            one.files += entry.every() if isinstance(entry, Folder) else [((match[3] or entry.name,), entry)]
    told = {key: _told(one.text) for key, one in handed.items()}
    heads = _students({head for head, _ in handed}, {key[0]: facts.get("login", "") for key, facts in told.items()})
    made: list[Attempt] = []
    for (head, stamp), one in handed.items():
        facts = told[head, stamp]
        student, doubt = heads[head]
        made.append(
            Attempt(
                student=student,
                name=facts.get("name") or student,
                place=one.places[0],
                files=tuple(one.files),
                received_at=_time(stamp),
                identity={"login": student},
                notes=doubt,
            )
        )
    return Sorted("Blackboard download", tuple(made), tuple(left_out))


def _students(heads: set[str], logins: Mapping[str, str]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The student in each "<Assignment>_<student>", with a doubt where it could be read in two ways.

    The text file knows the login; else the assignment is what all begin with.
    """
    common = shared(sorted(heads), separator="_") if len(heads) > 1 else ""
    given = {head[: -len(login) - 1] for head, login in logins.items() if login and head.endswith(f"_{login}")}
    assignment = given.pop() if len(given) == 1 else common
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for head in heads:
        login = logins.get(head, "")
        if login and head.endswith(f"_{login}"):
            found[head] = login, ()
        elif assignment and head.startswith(f"{assignment}_"):
            found[head] = head[len(assignment) + 1 :], ()
        else:
            student = head.rpartition("_")[2]
            doubt = f"{head}: read as the student {student}, what follows the last _; no text file tells the login"
            found[head] = student, (doubt,) if head.count("_") > 1 else ()
    return found


def _told(text: Found | None) -> dict[str, str]:
    """Name and login from the line "Name: Student 001 (s001)" of an attempt's text file."""
    if text is None or text.fault:
        return {}
    try:
        raw = read_regular_file(text.disk, limit=1024 * 1024)
    except UsageError:
        return {}
    match = re.search(r"(?m)^\s*Name:\s*(.*?)\s*\(([^()]+)\)\s*$", raw.decode("utf-8-sig", "replace"))
    return {"name": clean(match[1]), "login": clean(match[2])} if match else {}


def _time(stamp: str) -> datetime.datetime | None:
    """The date-time of a name, which has no zone and is read as UTC."""
    try:
        return datetime.datetime.strptime(stamp, "%Y-%m-%d-%H-%M-%S").replace(tzinfo=datetime.UTC)
    except ValueError:
        return None
