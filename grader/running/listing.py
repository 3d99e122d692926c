"""The text of a submission as the interpreter ran it: which line an error came from, and what that line is called."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

from grader.place import in_words, place


@dataclass(frozen=True)
class Listing:
    """A source with its syntax tree; ``lines_before(file)`` says where the code of a file starts in it.

    ``lines_before`` is None for files that are not the student's. ``cells`` is that of Submission.
    """

    lines_before: Callable[[str], int | None]
    text: str = ""
    cells: tuple[int, ...] = ()
    tree: ast.Module = field(default_factory=lambda: ast.Module([], []))

    def line_of(self, error: BaseException) -> int | None:
        """The last line of the student's own that the error passed through."""
        frames = [(self.lines_before(one.filename), one.lineno) for one in traceback.extract_tb(error.__traceback__)]
        lines = [before + line for before, line in frames if before is not None and line is not None]
        return lines[-1] if lines else None

    def describe(self, error: BaseException) -> str:
        """The interpreter's words; for an error that says nothing, such as a bare assert, the line it is in."""
        said = describe(error)
        if isinstance(error, SyntaxError):  # it may name another line, such as that of the bracket left open
            return re.sub(r"\bon line (\d+)", lambda found: f"on line {self.place(int(found[1]))[0]}", said)
        line = self.line_of(error) if said == type(error).__name__ else None
        text = self.text.splitlines()[line - 1 : line] if line else []
        return f"{said}: {text[0].strip()}" if text and text[0].strip() else said

    def place(self, line: int) -> tuple[int, int | None]:
        """``line`` as (line, cell)."""
        found, cell = place(line, self.cells)
        return found or line, cell

    def in_words(self, line: int) -> str:
        """What ``line`` is called."""
        return in_words(*self.place(line))


def describe(error: BaseException) -> str:
    """The interpreter's own words about ``error`` in one line; never raises."""
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        first = next((line.strip() for line in str(text).splitlines() if line.strip()), "")
        return f"{type(error).__name__}: {first}" if first else type(error).__name__
    except BaseException:
        return type(error).__name__
