"""A CSV file as bytes whose cells are known by their place, so that one changes and no other byte does."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass

from grader.errors import UsageError

DELIMITERS = (b",", b";", b"\t")


@dataclass(frozen=True)
class Cell:
    """One cell: where its bytes are (with its quotes) and what it says."""

    start: int
    end: int
    text: str
    quoted: bool


@dataclass(frozen=True)
class Sheet:
    """A CSV file: its bytes, its delimiter, its rows of cells. The first row is the header."""

    raw: bytes
    delimiter: str
    encoding: str
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def header(self) -> tuple[str, ...]:
        """The texts of the first row."""
        return tuple(cell.text for cell in self.rows[0])

    @property
    def decimal_comma(self) -> bool:
        """Whether the file's numbers are written 7,5."""
        texts = [cell.text.strip() for row in self.rows[1:] for cell in row]
        commas = any(re.fullmatch(r"-?\d+,\d{1,2}", text) for text in texts)
        return commas and not any(re.fullmatch(r"-?\d+\.\d{1,2}", text) for text in texts)


def read_sheet(raw: bytes, *, name: str) -> Sheet:
    """The cells of the CSV file ``raw``. Raises UsageError for what is no CSV in UTF-8 or an 8-bit encoding."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in raw:
        raise UsageError(f"{name}: not a CSV in UTF-8; give the file as your system exported it, not saved as Unicode")
    start = len(codecs.BOM_UTF8) if raw.startswith(codecs.BOM_UTF8) else 0
    if not raw[start:].strip():
        raise UsageError(f"{name}: empty; give the file that your system exported")
    try:
        raw.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:  # Excel on Windows; only shown and compared, never written
        encoding = "cp1252"
    delimiter = _delimiter(raw, start)
    rows = _rows(raw, start, delimiter, encoding, name)
    return Sheet(raw, delimiter.decode(), encoding, tuple(rows))


def _delimiter(raw: bytes, start: int) -> bytes:
    """The delimiter that the first line has most of, outside quotes."""
    line = re.sub(rb'"[^"]*"', b"", raw[start:].lstrip(b"\r\n").splitlines()[0])
    return max(DELIMITERS, key=line.count)


def _rows(raw: bytes, start: int, delimiter: bytes, encoding: str, name: str) -> list[tuple[Cell, ...]]:
    """Every row; a line without anything is none."""
    cell = re.compile(rb'(?:"(?P<quoted>(?:[^"]|"")*+)")?+[^' + re.escape(delimiter) + rb"\r\n]*+")
    rows: list[tuple[Cell, ...]] = []
    row: list[Cell] = []
    while start < len(raw):
        match = cell.match(raw, start)
        assert match is not None  # the pattern matches nothing too
        quoted = match["quoted"]
        if raw[start : start + 1] == b'"' and quoted is None:
            line = raw.count(b"\n", 0, start) + 1
            raise UsageError(f"{name}: line {line}: a quote that is never closed; export the file again")
        content = match[0] if quoted is None else quoted.replace(b'""', b'"')
        row.append(Cell(start, match.end(), content.decode(encoding, errors="replace"), quoted is not None))
        start = match.end()
        if raw.startswith(delimiter, start):
            start += 1
            if start < len(raw):
                continue
            row.append(Cell(start, start, "", False))
        if len(row) > 1 or row[0].start < row[0].end:
            rows.append(tuple(row))
        row = []
        start += 2 if raw.startswith(b"\r\n", start) else 1
    return rows


def changed(sheet: Sheet, new: Mapping[Cell, str]) -> bytes:
    """The file's bytes with the cells in ``new`` replaced; a cell that was quoted stays quoted."""
    pieces: list[bytes] = []
    at = 0
    for cell in sorted(new, key=lambda one: one.start):
        text = new[cell]
        if cell.quoted or any(sign in text for sign in (sheet.delimiter, '"', "\n", "\r")):
            text = '"' + text.replace('"', '""') + '"'
        pieces += [sheet.raw[at : cell.start], text.encode(sheet.encoding, errors="xmlcharrefreplace")]
        at = cell.end
    return b"".join([*pieces, sheet.raw[at:]])
