"""Canvas: the zip of "Download Submissions", one flat file per attachment.

``<name>[_LATE]_<user id>_<attachment id>_<file>``, or ``anon_<anonymous id>[_LATE]_<attachment id>_<file>``; a text
entry is ``…_<user id>_text.html``. Canvas numbers a file that was handed in again: ``main-1.py``, ``main-2.py``.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.classroom.intake.attempts import Attempt, Sorted
from grader.classroom.intake.choose import File
from grader.classroom.intake.names import alike, numbered, split, without_zip
from grader.classroom.intake.tree import Folder, Found, newest
from grader.classroom.nouns import LeftOut

TEXT_ENTRIES = ("text.html", "link.html")


@dataclass(frozen=True)
class Label:
    """A file name of Canvas, taken apart: who handed in what."""

    name: str
    user: str
    attachment: str
    file: str
    late: bool
    anonymous: bool = False
    doubtful: bool = False


@dataclass(frozen=True)
class Item:
    """An attachment: a file or an opened zip, the name that the student gave it, and how often it came before."""

    label: Label
    base: str
    version: int
    path: str
    files: tuple[File, ...]


def attempts(root: Folder, *, lesson_id: str) -> Sorted | None:
    """The students of a Canvas download; None when fewer than half of the names are Canvas's.

    An attachment has an id of its own: where most share one, the numbers mean something else, such as a date.
    """
    entries: list[Found | Folder] = [*root.files, *root.folders]
    read = {entry.name: readings(entry.name) for entry in entries if _is_attachment(entry)}
    if not entries or 2 * sum(map(bool, read.values())) < len(entries):
        return None
    labels = agreed(read)
    attachments = [label.attachment for label in labels.values() if label.attachment]
    if 2 * len(set(attachments)) <= len(attachments) and len(attachments) > 1:
        return None
    left_out = [
        LeftOut(entry.path, "its name is not one of Canvas's (name_user id_attachment id_file)")
        for entry in entries
        if entry.name not in labels
    ]
    students: dict[tuple[bool, str], list[tuple[Label, Found | Folder]]] = {}
    for entry in entries:
        if entry.name in labels:
            label = labels[entry.name]
            students.setdefault((label.anonymous, label.user), []).append((label, entry))
    found = [attempt for own in students.values() for attempt in _of_student(own, lesson_id=lesson_id)]
    return Sorted("Canvas download", tuple(found), tuple(left_out))


def _is_attachment(entry: Found | Folder) -> bool:
    return isinstance(entry, Found) or entry.name != without_zip(entry.name)


def readings(name: str) -> list[Label]:
    """Every way to read a name as Canvas's, from left to right; most names have one, others none."""
    pieces = name.split("_")
    late = [piece.upper() == "LATE" for piece in pieces]
    number = [piece.isascii() and piece.isdigit() for piece in pieces]
    if pieces[0].casefold() == "anon" and len(pieces) > 2:
        at = 3 if late[2] else 2
        if len(pieces) > at + 1 and number[at]:
            return [Label("", pieces[1], pieces[at], "_".join(pieces[at + 1 :]), at == 3, anonymous=True)]
        if "_".join(pieces[at:]) in TEXT_ENTRIES:
            return [Label("", pieces[1], "", pieces[at], at == 3, anonymous=True)]
    found: list[Label] = []
    for at in range(1, len(pieces) - 1):
        is_late = at > 1 and late[at - 1]
        who = "_".join(pieces[: at - is_late])
        if number[at] and number[at + 1] and any(pieces[at + 2 :]):
            found.append(Label(who, pieces[at], pieces[at + 1], "_".join(pieces[at + 2 :]), is_late))
        elif number[at] and pieces[at + 1 :] in [[entry] for entry in TEXT_ENTRIES]:
            found.append(Label(who, pieces[at], "", pieces[at + 1], is_late))
    return found


def agreed(read: Mapping[str, Sequence[Label]]) -> dict[str, Label]:
    """One reading per name. Where a name holds several pairs of numbers, the pair like the others of the download.

    Ids of one Canvas are about equally long. Without others to compare with it is the leftmost pair: Canvas writes
    numbers in names as "-7-".
    """
    certain = [found[0] for found in read.values() if len(found) == 1 and not found[0].anonymous]
    user = statistics.median([len(label.user) for label in certain] or [0])
    attachment = statistics.median([len(label.attachment) for label in certain if label.attachment] or [0])

    def unlike(label: Label) -> float:
        return abs(len(label.user) - user) + abs(len(label.attachment) - attachment) if certain else 0.0

    return {
        name: min(found, key=unlike) if len(found) == 1 else _doubted(min(found, key=unlike))
        for name, found in read.items()
        if found
    }


def _doubted(label: Label) -> Label:
    return Label(label.name, label.user, label.attachment, label.file, label.late, doubtful=True)


def _of_student(own: Sequence[tuple[Label, Found | Folder]], *, lesson_id: str) -> list[Attempt]:
    """One attempt per number that Canvas gave: the newest version of each file up to then."""
    bases = {label.file for label, _ in own}
    items = sorted(
        (_item(label, entry, bases, lesson_id) for label, entry in own),
        key=lambda item: (item.version, int(item.label.attachment or 0), item.path),
    )
    label = items[-1].label
    key = f"anon_{label.user}" if label.anonymous else label.user
    doubts = [f"{item.path}: several pairs of numbers; read as user {item.label.user}" for item in items]
    made: list[Attempt] = []
    for version in sorted({item.version for item in items}):
        latest = {item.base: item for item in items if item.version <= version}
        older = {item.path for item in items if item.version <= version} - {item.path for item in latest.values()}
        again = [path for path in sorted(older) if version == 0]
        files = tuple(file for item in latest.values() for file in item.files)
        made.append(
            Attempt(
                student=key,
                name=label.name or key,
                place=max(latest.values(), key=lambda item: item.version).path,
                files=files,
                received_at=newest([file for _, file in files]),
                late=any(item.label.late for item in latest.values()),
                number=version + 1,
                identity={"anonymous id" if label.anonymous else "user id": label.user},
                notes=(
                    *(doubt for doubt, item in zip(doubts, items, strict=True) if item.label.doubtful),
                    *(f"{path} came before a file of the same name" for path in again),
                ),
            )
        )
    return made


def _item(label: Label, entry: Found | Folder, bases: set[str], lesson_id: str) -> Item:
    stem, extension = split(label.file)
    base, version = numbered(stem) if stem.endswith(tuple("0123456789")) and "-" in stem else (stem, 0)
    is_again = alike(stem) != alike(lesson_id) and (
        base.casefold() == "main"
        or alike(base) == alike(lesson_id)
        or any(split(b) == (base, extension) for b in bases)
    )
    if not is_again:
        base, version = stem, 0
    name = f"{base}{extension}"
    files = tuple(entry.every()) if isinstance(entry, Folder) else (((name,), entry),)
    return Item(label, name, version, entry.path, files)
