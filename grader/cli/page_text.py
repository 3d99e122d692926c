"""Markdown in the terminal, with code that can be copied from a pipe."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown, TableElement
from rich.table import Table
from rich.text import Text


class WholeLines(CodeBlock):
    """Code as it is written: where there is no terminal, a long line stays one line."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The code, coloured and wrapped for a terminal only."""
        if console.is_terminal:
            yield from super().__rich_console__(console, options)
            return
        for line in str(self.text).rstrip().split("\n"):
            yield Text(line, no_wrap=True, overflow="ignore")


class WholeCells(TableElement):
    """A table whose long words go on in the next line: none is cut."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table of rich, with folding columns."""
        for part in super().__rich_console__(console, options):
            for column in part.columns if isinstance(part, Table) else ():
                column.overflow = "fold"
            yield part


class PageText(Markdown):
    """A page; print it with ``crop=False``."""

    elements = {  # noqa: RUF012 - as in rich
        **Markdown.elements,
        "fence": WholeLines,
        "code_block": WholeLines,
        "table_open": WholeCells,
    }
