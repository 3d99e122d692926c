"""Gradescope: the zip of "Export Submissions", folders ``submission_<id>/`` beside ``submission_metadata.yml``."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.classroom.intake.attempts import Attempt, Sorted
from grader.classroom.intake.names import clean, key
from grader.classroom.intake.tree import Folder, newest
from grader.classroom.intake.yaml_of_ruby import load
from grader.classroom.nouns import LeftOut
from grader.errors import UsageError

METADATA = "submission_metadata.yml"
FOLDER = re.compile(r"submission_(\d+)(?:\.zip)?")

Submitter = Mapping[str, str]


def attempts(root: Folder, *, lesson_id: str) -> Sorted | None:
    """The submitters of a Gradescope export, each member of a group with the group's files; None for another shape.

    Raises UsageError when the metadata cannot be read.
    """
    metadata = next((file for file in root.files if file.name == METADATA), None)
    folders = {match[1]: folder for folder in root.folders if (match := FOLDER.fullmatch(folder.name))}
    if metadata is None and (not folders or 2 * len(folders) < len(root.folders)):
        return None
    if metadata is not None and metadata.fault:
        raise UsageError(f"{metadata.path}: {metadata.fault}; export the submissions again")
    told = _told(metadata.disk, shown=metadata.path) if metadata else {}
    people = {number: _submitters(told[number]) for number in told}
    keys = _keys([person for persons in people.values() for person in persons])
    left_out = [LeftOut(file.path, "in no submission's folder") for file in root.files if file is not metadata]
    left_out += [
        LeftOut(folder.path, "no folder of a submission")
        for folder in root.folders
        if FOLDER.fullmatch(folder.name) is None
    ]
    made: list[Attempt] = []
    for number in sorted({*folders, *told}, key=int):
        folder = folders.get(number, Folder(f"submission_{number}", f"{root.path}/submission_{number}".lstrip("/")))
        facts = told.get(number, {})
        persons = people.get(number, ())
        if not persons:
            made.append(_nameless(number, folder, in_metadata=number in told))
        files = tuple(folder.every())
        for person in persons:
            others = len(persons) - 1
            made.append(
                Attempt(
                    student=keys[_sign(person)],
                    name=person["name"],
                    place=folder.path,
                    files=files,
                    received_at=_time(facts.get("created_at")),
                    late=bool(facts.get("late") or facts.get("lateness")),
                    identity={"submission id": number, **{k: person[v] for k, v in _IDS if person[v]}},
                    notes=(f"group work, handed in with {others} more",) if others else (),
                )
            )
    return Sorted("Gradescope export", tuple(made), tuple(left_out))


_IDS = (("user id", "sid"), ("email", "email"))


def _nameless(number: str, folder: Folder, *, in_metadata: bool) -> Attempt:
    why = f"{METADATA} names no submitter" if in_metadata else f"{METADATA} says nothing about it"
    files = tuple(folder.every())
    return Attempt(
        student=f"submission_{number}",
        name=f"submission {number}",
        place=folder.path,
        files=files,
        received_at=newest([file for _, file in files]),
        identity={"submission id": number},
        notes=(f"{why}; known by its number only",),
    )


def _told(file: Path, *, shown: str) -> dict[str, Mapping[str, Any]]:
    """What the metadata says of each submission by its number, keys without their colons."""
    document = load(file, shown=shown)
    if not isinstance(document, Mapping):
        raise UsageError(f"{shown}: not Gradescope's (no submissions in it); export the submissions again")
    told: dict[str, Mapping[str, Any]] = {}
    for name, facts in document.items():
        match = FOLDER.fullmatch(str(name))
        if match:
            told[match[1]] = _plain_keys(facts)
    return told


def _plain_keys(facts: object) -> dict[str, Any]:
    return {str(name).strip(":"): value for name, value in facts.items()} if isinstance(facts, Mapping) else {}


def _submitters(facts: Mapping[str, Any]) -> Sequence[Submitter]:
    listed = facts.get("submitters")
    people = (
        [_plain_keys(each) for each in listed] if isinstance(listed, Sequence) and not isinstance(listed, str) else []
    )
    found = [{k: clean(str(each.get(k) or "")).strip() for k in ("name", "sid", "email")} for each in people]
    return [{**each, "name": each["name"] or each["email"] or each["sid"]} for each in found if any(each.values())]


def _sign(person: Submitter) -> tuple[str, str]:
    return (person["email"].casefold(), person["sid"]) if person["email"] or person["sid"] else ("", person["name"])


def _keys(people: Sequence[Submitter]) -> dict[tuple[str, str], str]:
    """A key per person: the student id, unless two people give the same; else the address, else the name."""
    everyone = {_sign(person): person for person in people}
    times = Counter(person["sid"] for person in everyone.values())
    return {
        sign: key(person["sid"] if times[person["sid"]] == 1 and person["sid"] else person["email"] or person["name"])
        for sign, person in everyone.items()
    }


def _time(value: object) -> datetime.datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.datetime.fromisoformat(value.strip().replace(" UTC", "+00:00"))
        except ValueError:
            return None
    if not isinstance(value, datetime.datetime):
        return None
    return value.astimezone(datetime.UTC) if value.tzinfo else value.replace(tzinfo=datetime.UTC)
