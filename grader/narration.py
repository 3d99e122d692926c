"""Parts of a lesson that are told with numbers computed as they are told: walk.py, explain.py."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from grader.errors import LessonError


@dataclass(frozen=True)
class Table:
    """A small table: ``cells`` are text already; ``rows`` are labels in front of each row, or none."""

    title: str
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    rows: tuple[str, ...] = ()


Part = str | Table
Telling = Callable[[], Iterator[Part]]


@dataclass(frozen=True)
class Section:
    """One step of a walk: paragraphs and tables that ``tell()`` computes, and one thing to take away."""

    title: str
    words: str
    takeaway: str
    tell: Telling


@dataclass(frozen=True)
class Explanation:
    """What one check asks: a question, the relation in words and as a formula, a small example, where to look."""

    checks: tuple[str, ...]
    asks: str
    words: str
    formula: str
    look: str
    tell: Telling


def section(title: str, *, takeaway: str) -> Callable[[Telling], Section]:
    """Make a generator of paragraphs and tables a section of a walk; its docstring opens the section."""

    def decorate(function: Telling) -> Section:
        return Section(title, _words(function), takeaway, function)

    return decorate


def explains(*checks: str, asks: str, formula: str, look: str) -> Callable[[Telling], Explanation]:
    """Make a generator of paragraphs and tables the explanation of these checks; its docstring is the relation."""

    def decorate(function: Telling) -> Explanation:
        return Explanation(checks, asks, _words(function), formula, look, function)

    return decorate


def table(
    title: str,
    values: ArrayLike,
    *,
    columns: Sequence[str],
    rows: Sequence[str] = (),
    digits: int = 4,
) -> Table:
    """Numbers (rows, columns), or one row of them, as a table with ``digits`` significant digits."""
    matrix = np.atleast_2d(np.asarray(values))
    if matrix.shape[1] != len(columns) or (rows and matrix.shape[0] != len(rows)):
        raise LessonError(f"table {title!r}: values {matrix.shape} for {len(rows)} rows and {len(columns)} columns")
    cells = tuple(tuple(number(value, digits=digits) for value in row) for row in matrix)
    return Table(title, tuple(columns), cells, tuple(rows))


def number(value: object, *, digits: int = 4) -> str:
    """One number as it is told: 0.3333, 2, -0.675, 1.2e-05; text and truth values as they are."""
    if isinstance(value, str | bool | np.bool_):
        return str(value)
    rounded = float(f"{float(value):.{digits}g}") + 0.0  # type: ignore[arg-type]
    return f"{rounded:.{digits}g}"


def row(values: ArrayLike, *, digits: int = 4) -> str:
    """An array in brackets: [2, 0.6748]."""
    array = np.asarray(values)
    if array.ndim == 0:
        return number(array[()], digits=digits)
    return f"[{', '.join(row(part, digits=digits) for part in array)}]"


def _words(function: Telling) -> str:
    words = inspect.getdoc(function)
    if not words:
        raise LessonError(f"{getattr(function, '__name__', 'section')} has no docstring; write what opens it")
    return words
