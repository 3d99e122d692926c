"""Walks and explanations as a terminal shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich import box
from rich.console import RenderableType
from rich.markdown import Markdown
from rich.table import Table as Grid
from rich.text import Text

from grader.narration import Explanation, Part, Section, Table


def told(parts: Iterable[Part]) -> Iterator[RenderableType]:
    """Paragraphs and tables, a blank line after each."""
    for part in parts:
        yield _grid(part) if isinstance(part, Table) else Markdown(part, hyperlinks=False)
        yield Text()


def walked(section: Section, *, number: int, count: int) -> Iterator[RenderableType]:
    """One step of a walk, computed now."""
    yield Text(f"{number}/{count} · {section.title}\n", style="bold underline")
    yield from told([section.words, *section.tell()])
    yield Text.assemble(("▶ take along: ", "green"), (section.takeaway, "bold"))
    yield Text()


def explained(explanation: Explanation) -> Iterator[RenderableType]:
    """What a check asks: the relation, an example that is computed now, where to look."""
    yield from told([explanation.words])
    yield Text(f"    {explanation.formula}\n", style="bold")
    yield from told(explanation.tell())
    yield Text.assemble(("ask yourself: ", "green"), explanation.asks)
    yield Text.assemble(("look at: ", "green"), explanation.look)


def _grid(table: Table) -> Grid:
    grid = Grid(title=table.title, title_justify="left", title_style="dim", box=box.SIMPLE_HEAD, show_edge=False)
    if table.rows:
        grid.add_column("")
    for column in table.columns:
        grid.add_column(column, justify="right")
    for number, cells in enumerate(table.cells):
        grid.add_row(*map(Text, (*table.rows[number : number + 1], *cells)))
    return grid
