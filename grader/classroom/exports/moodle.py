"""Moodle: the grading worksheet filled, with the pages of feedback in a zip under its folder names."""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Callable, Sequence
from decimal import Decimal

from grader.classroom.exports.cells import changed, read_sheet
from grader.classroom.exports.export import Export
from grader.classroom.exports.feedback import summary
from grader.classroom.exports.filling import fill, only_column
from grader.classroom.exports.harmless import cleaned, one_line
from grader.classroom.exports.matching import Key, Row
from grader.classroom.exports.points import Points, read_number, written
from grader.classroom.nouns import Graded
from grader.errors import UsageError

OURS = "<p>Headwork: "  # how a comment of ours begins; no other is replaced
FOLDER = re.compile(r"[^/]*_(?P<id>\d+)_assignsubmission_file_?")
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same feedback gives the same bytes


def moodle(
    graded: Sequence[Graded],
    raw: bytes,
    *,
    name: str,
    column: str | None = None,
    points: Points,
    page: Callable[[Graded], bytes | None],
) -> Export:
    """The worksheet ``raw`` with grade and comment in, and feedback.zip of what ``page`` gives.

    "Last modified (grade)" stays: Moodle compares it to notice that someone graded in the meantime. Raises UsageError
    when ``raw`` is no grading worksheet or has no such ``column``.
    """
    sheet = read_sheet(raw, name=name)
    header = [text.strip() for text in sheet.header]
    if len(header) < 3 or not any(re.fullmatch(r"\D+\d+", row[0].text.strip()) for row in sheet.rows[1:]):
        raise UsageError(
            f'{name}: not a grading worksheet: no "Participant 123" in its first column; '
            "in Moodle: Download grading worksheet"
        )
    wanted = column or "Grade"
    found = [index for index, text in enumerate(header) if text.casefold() == wanted.casefold() and index]
    target = only_column(found, header, wanted=one_line(wanted), name=name, choices=range(1, len(header)))
    names = _index(header, "Full name", "Name")
    rows = []
    for number, row_cells in enumerate(sheet.rows[1:], start=1):
        texts = tuple(cell.text for cell in row_cells)
        texts = (re.sub(r"^\D+", "", texts[0].strip()), *texts[1:])
        rows.append(Row(number, texts, texts[names] if names is not None and names < len(texts) else ""))
    keys = [Key(0, "Identifier", ("participant id",), sure=lambda graded: True)]
    for title, identities in (("ID number", ("id number",)), ("Email address", ("email",)), ("Username", ("login",))):
        if (index := _index(header, title)) is not None:
            keys.append(Key(index, title, identities))
    can, most = _index(header, "Grade can be changed"), _index(header, "Maximum Grade")
    full = max((points.most(one.max_score) for one in graded), default=Decimal(0))

    def refused(row: Row, text: str) -> str:
        del text
        if can is not None and can < len(row.texts) and row.texts[can].strip().casefold() == "no":
            return "locked in Moodle (Grade can be changed: No); its row stays as it is"
        limit = read_number(row.texts[most]) if most is not None and most < len(row.texts) else None
        if limit is not None and full > limit:
            return f"full marks come to {written(full)}, Moodle's maximum is {written(limit)}; use --points {limit:f}"
        return ""

    filled = fill(sheet, graded, rows=rows, keys=keys, column=target, points=points, refused=refused)
    cells, kept = dict(filled.cells), 0
    if (comments := _index(header, "Feedback comments")) is not None:
        for number, one in filled.rows.items():
            if one.score is None or comments >= len(sheet.rows[number]) or refused(rows[number - 1], ""):
                continue
            cell = sheet.rows[number][comments]
            if not cell.text.strip() or cell.text.startswith(OURS):
                new = f"{OURS}{html.escape(summary(one))}</p>"
                if new != cell.text:
                    cells[cell] = new
            else:
                kept += 1
    notes = [f"column: {one_line(header[target])}"]
    if kept:
        notes.append(f"{kept} feedback comments of someone else stay as they are")
    feedback, without = _feedback([(one, rows[number - 1]) for number, one in sorted(filled.rows.items())], page)
    if without:
        notes.append(f"{without} students have no page in reports/ and so none in feedback.zip")
    files = {"moodle.csv": changed(sheet, cells), "feedback.zip": feedback}
    return Export(files, filled.changes, filled.left, tuple(notes))


def _index(header: Sequence[str], *titles: str) -> int | None:
    return next((index for index, text in enumerate(header) if text in titles), None)


def folder_name(graded: Graded, row: Row) -> str:
    """The folder that Moodle itself gives to the student: as it came in the download, else built as Moodle does."""
    for piece in graded.file.split("/")[:-1]:
        match = FOLDER.fullmatch(piece)
        if match is not None and match["id"] == row.texts[0]:
            return piece
    plain = re.sub(r'[\\/:*?"<>|\n]', "", cleaned(row.name or graded.name)).replace("_", " ").strip(" .")
    return f"{plain or 'Participant'}_{row.texts[0]}_assignsubmission_file_"


def _feedback(people: Sequence[tuple[Graded, Row]], page: Callable[[Graded], bytes | None]) -> tuple[bytes, int]:
    buffer, without = io.BytesIO(), 0
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for graded, row in people:
            content = page(graded)
            if content is None:
                without += 1
                continue
            entry = zipfile.ZipInfo(f"{folder_name(graded, row)}/feedback.html", EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue(), without
