"""The reference beside a learner's own file: which cells belong together, which lines differ."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from grader.cells import Cell, split_cells

WHOLE_FILE = "main.py"


@dataclass(frozen=True)
class Pair:
    """The same part of both files; ``mine`` is empty where the learner's has none."""

    title: str
    mine: str
    reference: str


@dataclass(frozen=True)
class Row:
    """Lines that stand beside each other; None where a file has none."""

    mine: str | None
    reference: str | None

    @property
    def same(self) -> bool:
        """Whether both files agree here."""
        return self.mine == self.reference


def pairs(mine: str, *, scaffold: str, reference: str, whole: bool) -> list[Pair]:
    """The cells that the learner had to write, or the ``whole`` files; also where the learner's has no cells."""
    own = split_cells(mine)
    if whole or not own:
        return [Pair(WHOLE_FILE, mine.rstrip(), reference.rstrip())]
    given = {cell.text for cell in split_cells(scaffold)}
    return [
        Pair(cell.title, "\n\n\n".join(one.text for one in _counterparts(cell, own)), cell.text)
        for cell in split_cells(reference)
        if cell.text not in given
    ]


def rows(pair: Pair) -> Iterator[Row]:
    """Both texts line by line, equal lines beside each other."""
    mine, reference = pair.mine.splitlines(), pair.reference.splitlines()
    matcher = difflib.SequenceMatcher(None, mine, reference, autojunk=False)
    for _, first, last, start, end in matcher.get_opcodes():
        for offset in range(max(last - first, end - start)):
            yield Row(
                mine[first + offset] if first + offset < last else None,
                reference[start + offset] if start + offset < end else None,
            )


def _counterparts(cell: Cell, own: list[Cell]) -> list[Cell]:
    """The learner's cells with that title, else those that set any of its names, as in a notebook."""
    titled = [one for one in own if one.title == cell.title]
    return titled or [one for one in own if _names(one) & cell.names]


def _names(cell: Cell) -> frozenset[str]:
    try:
        return cell.names
    except SyntaxError:
        return frozenset()
