"""Markdown in the terminal, with code that can be copied from a pipe."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown
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


class PageText(Markdown):
    """A page; print it with ``crop=False``."""

    elements = {**Markdown.elements, "fence": WholeLines, "code_block": WholeLines}  # noqa: RUF012 - as in rich
