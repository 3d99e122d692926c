"""Canvas: one column of the instructor's own gradebook export filled, every other byte the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.classroom.exports.cells import Sheet, changed, read_sheet
from grader.classroom.exports.export import Export
from grader.classroom.exports.filling import fill, only_column
from grader.classroom.exports.harmless import one_line
from grader.classroom.exports.matching import Key, Row
from grader.classroom.exports.points import Points, read_number, written
from grader.classroom.nouns import Graded
from grader.errors import UsageError

# Column -> the names in an identity for what it holds. Other systems call the number of the university a user id too.
IDENTITIES = {
    "ID": ("user id",),
    "SIS User ID": ("sis user id", "user id"),
    "SIS Login ID": ("login", "email", "user id"),
}
WITH_ID = re.compile(r"(?P<title>.*) \((?P<id>\d+)\)", re.DOTALL)


def canvas(
    graded: Sequence[Graded],
    raw: bytes,
    *,
    name: str,
    column: str | None = None,
    points: Points,
    titles: Sequence[str],
) -> Export:
    """The gradebook export ``raw`` with the scores in one column.

    ``column`` is its header, its title or its id; without it the one assignment called like one of ``titles`` is
    taken. Raises UsageError when ``raw`` is no Canvas export or the column is not clear.
    """
    sheet = read_sheet(raw, name=name)
    header = [text.strip() for text in sheet.header]
    if "ID" not in header or not {"Student", "LastName"} & set(header):
        raise UsageError(f"{name}: not a Canvas gradebook export: no columns Student and ID; in Canvas: Export")
    target = _column(header, column, titles, name)
    rows, preamble = _rows(sheet, header)
    possible = next((texts for texts in preamble if texts[0].strip() == "Points Possible"), None)
    if possible is not None and target < len(possible) and possible[target].strip().startswith("(read only"):
        raise UsageError(f"{name}: {one_line(header[target])} is computed by Canvas; name another with --column")
    keys = [
        Key(header.index(title), title, identities, *((_came_from_canvas,) if title == "ID" else ()))
        for title, identities in IDENTITIES.items()
        if title in header
    ]
    filled = fill(sheet, graded, rows=rows, keys=keys, column=target, points=points, refused=_refused)
    notes = [f"column: {one_line(header[target])}"]
    full = read_number(possible[target]) if possible is not None and target < len(possible) else None
    for most in {points.most(one.max_score) for one in graded} - {full}:
        if full is not None:
            notes.append(
                f"Points Possible is {written(full)} and full marks come to {written(most)}; "
                f"--points {written(full)} makes them the same"
            )
    return Export({"canvas.csv": changed(sheet, filled.cells)}, filled.changes, filled.left, tuple(notes))


def _rows(sheet: Sheet, header: Sequence[str]) -> tuple[list[Row], list[tuple[str, ...]]]:
    """The students' rows, and what stands above them (posting policies, Points Possible)."""
    rows: list[Row] = []
    preamble: list[tuple[str, ...]] = []
    identifier = header.index("ID")
    for number, cells in enumerate(sheet.rows[1:], start=1):
        texts = tuple(cell.text for cell in cells)
        if identifier >= len(texts) or not texts[identifier].strip():
            preamble.append(texts)
            continue
        said = dict(zip(header, texts, strict=False))
        name = said.get("Student", f"{said.get('LastName', '')}, {said.get('FirstName', '')}")
        if name.strip() != "Student, Test":  # Canvas's own, made by its student view
            rows.append(Row(number, texts, name))
    return rows, preamble


def _column(header: Sequence[str], wanted: str | None, titles: Sequence[str], name: str) -> int:
    assignments = {index: match for index, text in enumerate(header) if (match := WITH_ID.fullmatch(text))}
    if wanted is None:
        known = {title.casefold() for title in titles}
        found = [index for index, match in assignments.items() if match["title"].strip().casefold() in known]
        if not found:
            found = [i for i, match in assignments.items() if any(t in match["title"].casefold() for t in known)]
        return only_column(found, header, wanted=" or ".join(titles), name=name, choices=list(assignments))
    sought = wanted.strip()
    first = ("Student", "LastName", "FirstName", "Section", "Integration ID", "Root Account", *IDENTITIES)
    allowed = [index for index, text in enumerate(header) if text not in first]
    by_header = [index for index in allowed if header[index] == sought]
    by_id = [index for index, match in assignments.items() if match["id"] == sought.strip("()")]
    by_title = [index for index, m in assignments.items() if m["title"].strip().casefold() == sought.casefold()]
    return only_column(
        by_header or by_id or by_title, header, wanted=one_line(wanted), name=name, choices=list(assignments)
    )


def _came_from_canvas(graded: Graded) -> bool:
    """Whether the user id is Canvas's own: a number, and of no submission in Gradescope."""
    return graded.identity.get("user id", "").isdigit() and "submission id" not in graded.identity


def _refused(row: Row, text: str) -> str:
    del row
    if text.upper() == "EX":
        return "excused in Canvas (EX); its row stays as it is"
    if text.upper() == "N/A":
        return "not assigned to them in Canvas (N/A); its row stays as it is"
    return ""
