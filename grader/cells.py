"""The ``# %%`` cells of a main.py: the units that page, solution and equivalents share."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One cell: its title and its text with the ``# %%`` line, without blank lines around."""

    title: str
    text: str

    @property
    def names(self) -> frozenset[str]:
        """Names that the cell sets at the top level, without the throw-away ``_``."""
        return frozenset(name for statement in ast.parse(self.text).body for name in names_set(statement)) - {"_"}


def split_cells(source: str) -> list[Cell]:
    """The cells of ``source``; what stands before the first one belongs to none."""
    cells: list[list[str]] = []
    for line in source.splitlines():
        if line.startswith("# %%"):
            cells.append([])
        if cells:
            cells[-1].append(line)
    return [Cell(lines[0].removeprefix("# %%").strip(), "\n".join(lines).strip()) for lines in cells]


def with_cell(source: str, replacement: Cell) -> str:
    """``source`` with ``replacement`` in place of the cells that set any of its names."""
    parts: list[str] = []
    for cell in split_cells(source):
        if not cell.names & replacement.names:
            parts.append(cell.text)
        elif replacement.text not in parts:
            parts.append(replacement.text)
    return "\n\n\n".join(parts) + "\n"


def names_set(statement: ast.stmt) -> Iterator[str]:
    """Names that a top-level statement sets."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in statement.names)
    else:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
