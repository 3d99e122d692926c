"""Putting scores into one column of a table, with a word on every row that did not simply take one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.classroom.exports.cells import Cell, Sheet
from grader.classroom.exports.harmless import one_line
from grader.classroom.exports.matching import Key, Row, match_all
from grader.classroom.exports.points import Points, read_number, written
from grader.classroom.nouns import Graded
from grader.errors import UsageError


@dataclass(frozen=True)
class Filled:
    """New texts of cells, what they replace in words, and whose rows were left as they are."""

    cells: dict[Cell, str]
    changes: tuple[str, ...]
    left: tuple[str, ...]
    rows: dict[int, Graded]


def fill(
    sheet: Sheet,
    graded: Sequence[Graded],
    *,
    rows: Sequence[Row],
    keys: Sequence[Key],
    column: int,
    points: Points,
    refused: Callable[[Row, str], str],
) -> Filled:
    """The score of each of ``graded`` in ``column`` of its row.

    ``refused(row, text)`` says why a row takes no score, given what its cell says now; "" when it does.
    """
    cells: dict[Cell, str] = {}
    changes: list[str] = []
    left: list[str] = []
    taken: dict[int, Graded] = {}
    for one, match in zip(graded, match_all(graded, rows, keys), strict=True):
        who = f"{one_line(one.name)} ({one_line(one.student)})"
        if match.row is None:
            left.append(f"{who}: {match.reason}")
            continue
        taken[match.row.number] = one
        if one.score is None:
            left.append(f"{who}: could not be graded; its row stays as it is")
            continue
        row = sheet.rows[match.row.number]
        if column >= len(row):
            left.append(f"{who}: the row ends before the column; export the file again")
            continue
        before = row[column].text.strip()
        if reason := refused(match.row, before):
            left.append(f"{who}: {reason}")
            continue
        value = points.of(one.score, one.max_score)
        after = written(value, decimal_comma=sheet.decimal_comma)
        how = " (found by name)" if match.by_name else ""
        if before and read_number(before) == value:
            changes.append(f"{who}: {before}, there already{how}")
            continue
        cells[row[column]] = after
        replaced = f" instead of {one_line(before)}" if before else ""
        changes.append(f"{who}: {after}{replaced}{how}")
    left += [
        f"{one_line(row.name)} (row {row.number + 1}): no submission was graded"
        for row in rows
        if row.number not in taken
    ]
    return Filled(cells, tuple(changes), tuple(left), taken)


def only_column(found: Sequence[int], header: Sequence[str], *, wanted: str, name: str, choices: Sequence[int]) -> int:
    """The one column in ``found``; UsageError that lists what there is when it is not one."""
    if len(found) == 1:
        return found[0]
    listed = ", ".join(one_line(header[index]) for index in (found or choices)) or "none"
    problem = f"several columns fit {wanted}" if found else f"no column fits {wanted}"
    raise UsageError(f"{name}: {problem}: {listed}; name one with --column")
