"""The list of who takes the course, compared with who handed in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.nouns import Received
from grader.errors import UsageError
from grader.submission import read_regular_file

ROSTER_LIMIT = 32 * 1024 * 1024
# Headers as the systems write them, in lower case; several columns may identify a student.
IDS = frozenset(
    {"id", "student id", "student_id", "user id", "userid", "sid", "student number", "id number", "identifier"}
    | {"sis user id", "sis login id", "login", "login id", "username", "user name", "github_username"}
    | {"email", "email address", "e-mail", "mail"}
)
NAMES = ("name", "student", "full name", "student name", "student_name", "display name")
FIRST, LAST = ("first name", "given name", "firstname"), ("last name", "surname", "family name", "lastname")
NOT_OF_THE_STUDENT = frozenset({"submission id"})  # its numbers could be another student's id


@dataclass(frozen=True)
class Enrolled:
    """A row of the roster: a name, and whatever identifies the student, in lower case."""

    name: str
    ids: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} ({self.ids[0]})" if self.name else self.ids[0]


def read_roster(path: Path) -> tuple[Enrolled, ...]:
    """The rows of a CSV with a header: id, name, email, or the columns of a learning-management system.

    Raises UsageError when the file cannot be read or no column identifies a student.
    """
    raw = read_regular_file(path, limit=ROSTER_LIMIT)
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = raw.decode("utf-16", "replace")
    else:
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:  # a spreadsheet of Windows
            text = raw.decode("cp1252", "replace")
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise UsageError(f"{path}: not a CSV ({error}); export the roster again") from error
    header = [cell.strip().casefold() for cell in rows[0]] if rows else []
    identifying = [column for column, cell in enumerate(header) if cell in IDS]
    if not identifying:
        raise UsageError(f"{path}: no column called id, login or email in its first line; name one of its columns so")
    return tuple(
        Enrolled(name, ids)
        for row in rows[1:]
        for name, ids in [(_name(header, row), _ids(identifying, row))]
        if ids and not name.casefold().startswith(("points possible", "student, test"))
    )


def _ids(columns: Iterable[int], row: list[str]) -> tuple[str, ...]:
    cells = [row[column].strip().casefold() for column in columns if column < len(row)]
    return tuple(cell.removeprefix("participant ") for cell in cells if cell)


def _name(header: list[str], row: list[str]) -> str:
    def cell(titles: Iterable[str]) -> str:
        found = [header.index(title) for title in titles if title in header]
        return row[found[0]].strip() if found and found[0] < len(row) else ""

    return cell(NAMES) or f"{cell(FIRST)} {cell(LAST)}".strip()


def missing(roster: Iterable[Enrolled], received: Iterable[Received]) -> tuple[Enrolled, ...]:
    """Who is on the roster and handed nothing in."""
    there = {one for each in received for one in _known_as(each)}
    return tuple(row for row in roster if not there.intersection(row.ids))


def not_enrolled(roster: Iterable[Enrolled], received: Iterable[Received]) -> tuple[Received, ...]:
    """Submissions of nobody on the roster."""
    known = {one for row in roster for one in row.ids}
    return tuple(one for one in received if not known.intersection(_known_as(one)))


def _known_as(received: Received) -> set[str]:
    values = [value for key, value in received.identity.items() if key not in NOT_OF_THE_STUDENT]
    return {value.strip().casefold().removeprefix("participant ") for value in (received.student, *values) if value}
