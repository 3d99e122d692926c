"""Where something is in a submission: a line, in a notebook the line of a cell."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence


def place(line: int | None, cells: Sequence[int]) -> tuple[int | None, int | None]:
    """A line of a source as (line, cell).

    ``cells`` holds, for each cell of a notebook, the number of lines that come before its first; a main.py has none.
    """
    number = bisect_left(cells, line) if line else 0
    return (line - cells[number - 1], number) if line and number else (line, None)


def in_words(line: int, cell: int | None = None) -> str:
    """ "line 3", or "cell 2, line 3"."""
    return f"line {line}" if cell is None else f"cell {cell}, line {line}"


def all_in_words(places: Sequence[tuple[int, int | None]]) -> str:
    """Several places in order: "lines 3, 7", or "cell 1, line 3 and cell 2, line 1"."""
    if len(places) == 1 or any(cell is not None for _, cell in places):
        return " and ".join(in_words(*one) for one in places)
    return f"lines {', '.join(str(line) for line, _ in places)}"
