"""nbgrader: the folder ``submitted/<student>/<assignment>/``, with a ``timestamp.txt`` beside the files."""

from __future__ import annotations

import datetime
import re
import zoneinfo

from grader.classroom.intake.attempts import Attempt, Sorted
from grader.classroom.intake.names import alike, distinct
from grader.classroom.intake.tree import Folder, Found, newest
from grader.classroom.nouns import LeftOut
from grader.errors import UsageError
from grader.submission import read_regular_file

STAMP = "timestamp.txt"
TOP = "submitted"


def attempts(root: Folder, *, lesson_id: str) -> Sorted | None:
    """The students of an nbgrader course; None when ``root`` is neither the course nor its folder ``submitted``.

    Raises UsageError when there are several assignments and none is the lesson's.
    """
    inside = [
        folder for folder in root.folders if folder.name == TOP and any(child.folders for child in folder.folders)
    ]
    top = inside[0] if inside else root
    stamped = any(file.name == STAMP for s in top.folders for a in s.folders for file in a.files)
    if not inside and not stamped:
        return None
    assignment = _assignment(top, lesson_id=lesson_id)
    beside: list[Folder | Found] = [*(each for each in root.folders if each is not top), *root.files] if inside else []
    left_out = [LeftOut(entry.path, f"not in the folder {TOP}") for entry in beside]
    left_out += [LeftOut(file.path, "in no student's folder") for file in top.files]
    made: list[Attempt] = []
    for student, (key, notes) in zip(top.folders, distinct([f.name for f in top.folders]), strict=True):
        for other in student.folders:
            if other.name != assignment:
                left_out.append(LeftOut(other.path, f"another assignment than {assignment}"))
        left_out += [LeftOut(file.path, "in no assignment's folder") for file in student.files]
        folder = next((each for each in student.folders if each.name == assignment), Folder(student.name, student.path))
        stamp = next((file for file in folder.files if file.name == STAMP), None)
        at, doubt = _time(stamp) if stamp else (None, ())
        files = tuple(file for file in folder.every() if file[1] is not stamp)
        made.append(
            Attempt(
                student=key,
                name=student.name,
                place=folder.path,
                files=files,
                received_at=at or newest([file for _, file in files]),
                identity={"user id": student.name},
                notes=(*notes, *doubt),
            )
        )
    return Sorted(f"nbgrader course, assignment {assignment}", tuple(made), tuple(left_out))


def _assignment(top: Folder, *, lesson_id: str) -> str:
    names = sorted({folder.name for student in top.folders for folder in student.folders})
    own = [name for name in names if name == lesson_id] or [name for name in names if alike(name) == alike(lesson_id)]
    if len(own) == 1:
        return own[0]
    if len(names) == 1:
        return names[0]
    raise UsageError(
        f"{top.path or top.name}: several assignments ({', '.join(names[:8])}) and none is called {lesson_id}; "
        "leave the one to grade, or give it the lesson's name"
    )


def _time(stamp: Found) -> tuple[datetime.datetime | None, tuple[str, ...]]:
    """The time of a ``timestamp.txt``, such as "2015-02-02 15:58:23.948203 America/Los_Angeles", and a doubt."""
    if stamp.fault:
        return None, (f"{STAMP} {stamp.fault}",)
    try:
        text = read_regular_file(stamp.disk, limit=1000).decode("utf-8-sig", "replace").strip()
    except UsageError:
        return None, (f"{STAMP} cannot be read",)
    match = re.match(r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:[.,]\d+)?\s*(\S*)", text)
    try:
        when = datetime.datetime.fromisoformat(match[1] if match else text)
        zone = match[2] if match else ""
        if when.tzinfo is not None:
            return when.astimezone(datetime.UTC), ()
        if re.fullmatch(r"[+-]\d\d:?\d\d", zone):
            return datetime.datetime.strptime(f"{when} {zone}", "%Y-%m-%d %H:%M:%S %z").astimezone(datetime.UTC), ()
        if zone.upper() not in ("", "UTC", "Z", "GMT"):
            return when.replace(tzinfo=zoneinfo.ZoneInfo(zone)).astimezone(datetime.UTC), ()
        return when.replace(tzinfo=datetime.UTC), ()
    except zoneinfo.ZoneInfoNotFoundError:
        return when.replace(tzinfo=datetime.UTC), (f"{STAMP} names the unknown zone {zone}; read as UTC",)
    except (ValueError, OverflowError, OSError):
        return None, (f"{STAMP} holds no time",)
