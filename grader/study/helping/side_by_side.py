"""Two versions of a text in the terminal: beside each other where there is room, else one after the other."""

from __future__ import annotations

from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from grader.study.helping.comparison import Pair, Row, rows

DIFFERENT, SAME = "≠ ", "  "


def print_pair(pair: Pair, screen: Console) -> None:
    """Print yours and the reference; lines that differ bear a mark, so that colour only repeats it."""
    lines = list(rows(pair))
    widest = max((len(text) for line in lines for text in (line.mine, line.reference) if text), default=0)
    screen.print(Text(f"\n{pair.title}", style="bold underline"))
    if all(line.same for line in lines):
        screen.print(Text("Yours is the reference, line for line.", style="dim"))
        return
    if not pair.mine:
        screen.print(Text("Your file has no part that belongs to this.", style="dim"))
    elif screen.is_terminal and 2 * (widest + len(SAME)) + 3 <= screen.width:
        _print_beside(lines, screen)
        return
    else:
        screen.print(Text("yours", style="bold"))
        for line in lines:
            if line.mine is not None:
                screen.print(_shown(line, line.mine), soft_wrap=True)
    screen.print(Text("\nthe reference", style="bold"))
    for line in lines:
        if line.reference is not None:
            screen.print(_shown(line, line.reference), soft_wrap=True)


def _print_beside(lines: list[Row], screen: Console) -> None:
    table = Table("yours", "the reference", box=None, expand=True, padding=(0, 3, 0, 0), header_style="bold")
    for line in lines:
        table.add_row(_shown(line, line.mine), _shown(line, line.reference))
    screen.print(table)


def _shown(line: Row, text: str | None) -> Text:
    if text is None:
        return Text()
    code = Syntax(text, "python", background_color="default").highlight(text)
    code.rstrip()
    mark = Text(SAME) if line.same else Text(DIFFERENT, style="bold yellow")
    return mark.append_text(code)
