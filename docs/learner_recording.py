"""A terminal recorded as an animated SVG: a strip of frames that jumps past a window."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from string import Template

from pseudo_terminal import Terminal
from pyte.screens import Char
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import MONOKAI
from rich.text import Text

LINE_HEIGHT, CHARACTER_WIDTH, PADDING = 24.4, 12.2, 12  # the first two are those of rich's export
CAPTION_ROWS = 2
CLUTTER = re.compile(r'<text[^>]*>\n</text>| clip-path="[^"]*"')  # ends of lines, and clips that hide nothing here
# No script, and no font is fetched from anywhere. Who asks for less motion, or cannot have it, sees the last frame.
SVG = Template("""<svg viewBox="0 0 $width $height" xmlns="http://www.w3.org/2000/svg" role="img"
 aria-labelledby="title description">
<title id="title">$title</title>
<desc id="description">$description</desc>
<style>
text { font: 20px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
.strip { transform: translateY(${last}px) }
@media (prefers-reduced-motion: no-preference) { .strip { animation: play ${duration}s step-end infinite } }
@keyframes play { $moments }
$styles
</style>
<clipPath id="window"><rect width="$width" height="$window"/></clipPath>
<rect x="1" y="1" width="$inner_width" height="$inner_height" rx="8" fill="#0c0c0c" stroke="#444c56"/>
<g transform="translate($padding $padding)" clip-path="url(#window)"><g class="strip" xml:space="preserve">
$text
</g></g></svg>
""")


@dataclass(frozen=True)
class Frame:
    """What is seen at once, for ``shown_s`` seconds: a caption of ours, and lines of the terminal."""

    caption: str
    lines: Sequence[Text]
    shown_s: float


class RecordedTerminal(Terminal):
    """A terminal whose screen can be seen in colour."""

    def seen(self, rows: int, *, hidden: str, scrolled_back: bool = False) -> list[Text]:
        """The last ``rows`` lines that are used, or the first ones; a path that begins with ``hidden`` begins with …"""
        used = max(len(self.lines), self._screen.cursor.y + 1)
        first = 0 if scrolled_back else max(used - rows, 0)
        return [without(self._line(number), hidden) for number in range(first, min(first + rows, used))]

    def _line(self, number: int) -> Text:
        cells = [self._screen.buffer[number][column] for column in range(self._screen.columns)]
        cursor = self._screen.cursor
        if cursor.y == number and not cursor.hidden and cursor.x < len(cells):
            cells[cursor.x] = cells[cursor.x]._replace(data="█")
        line = Text.assemble(*(("".join(cell.data for cell in run), style) for style, run in groupby(cells, style_of)))
        line.rstrip()
        return line


def without(line: Text, hidden: str) -> Text:
    """``line`` with … in place of ``hidden``."""
    start = line.plain.find(hidden)
    return line if start < 0 else Text.assemble(line[:start], "…", line[start + len(hidden) :])


def style_of(cell: Char) -> Style:
    """The style of a cell in rich's words."""
    return Style(
        color=colour(cell.fg), bgcolor=colour(cell.bg), bold=cell.bold, italic=cell.italics, reverse=cell.reverse
    )


def colour(name: str) -> str | None:
    """A colour of pyte as one of rich."""
    if name in ("default", "brown"):
        return {"default": None, "brown": "yellow"}[name]
    if name.startswith("bright"):
        return f"bright_{name.removeprefix('bright')}".replace("brown", "yellow")
    return name if name.isalpha() else f"#{name}"


def animated_svg(frames: Sequence[Frame], *, columns: int, rows: int, title: str, description: str) -> str:
    """The frames one below the other, of which a window of ``rows`` lines and a caption shows one at a time."""
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for frame in frames:
        shown = [Text(frame.caption, style="italic yellow"), *[Text()] * (CAPTION_ROWS - 1), *frame.lines]
        for line in [*shown, *[Text()] * (CAPTION_ROWS + rows + 1 - len(shown))]:  # one more, to keep them apart
            console.print(line, no_wrap=True, crop=True, highlight=False)
    exported = console.export_svg(
        theme=MONOKAI, code_format="{styles}\0{backgrounds}{matrix}", unique_id="t", font_aspect_ratio=0.61
    )
    styles, text = exported.replace("&#160;", " ").split("\0")
    window, step = LINE_HEIGHT * (CAPTION_ROWS + rows), LINE_HEIGHT * (CAPTION_ROWS + rows + 1)
    width, height = round(CHARACTER_WIDTH * columns + 2 * PADDING), round(window + 2 * PADDING)
    return SVG.substitute(
        title=title,
        description=description,
        width=width,
        height=height,
        inner_width=width - 2,
        inner_height=height - 2,
        window=f"{window:g}",
        padding=PADDING,
        last=f"{-step * (len(frames) - 1):.1f}",
        duration=f"{sum(frame.shown_s for frame in frames):g}",
        moments=" ".join(moments([frame.shown_s for frame in frames], step)),
        styles=styles,
        text=CLUTTER.sub("", text).replace("><text", ">\n<text"),
    )


def moments(shown_s: Sequence[float], step: float) -> Iterator[str]:
    """The keyframes: when the strip jumps, and how far it has moved then."""
    for number, begin_s in enumerate(accumulate(shown_s[:-1], initial=0.0)):
        yield f"{100 * begin_s / sum(shown_s):.2f}% {{ transform: translateY({-step * number:.1f}px) }}"
