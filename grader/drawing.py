"""Drawing the figures of lessons: one style, a card under everything, an SVG with its data and its words beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

COLOUR_MAP = "YlGnBu"  # light to dark, and distinct in every common colour blindness
INK, PAPER, RULE = "#1f2933", "#fdfdfb", "#d9dde2"
# For lines and bars, in this order; distinct in every common colour blindness, and of different lightness.
COLOURS = ("#0b5fa5", "#c8553d", "#2a9d8f", "#8d6cab", "#7a7f87", "#b8860b")
STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial", "sans-serif"],
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.facecolor": PAPER,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "headwork",
}


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of this size in inches, on a card that reads on light and dark pages."""
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyBboxPatch
    from matplotlib.transforms import Affine2D

    figure = Figure(figsize=(width, height))
    figure.patch.set_alpha(0.0)
    card = FancyBboxPatch(
        (1, 1),
        72.0 * width - 2,
        72.0 * height - 2,
        boxstyle="round,pad=0,rounding_size=10",
        facecolor=PAPER,
        edgecolor=RULE,
        zorder=-1,
    )
    card.set_transform(Affine2D().scale(1 / 72) + figure.dpi_scale_trans)
    figure.add_artist(card)
    return figure


def styled() -> Any:
    """The context in which figures are made and saved: ``with styled(): …``."""
    from matplotlib import style

    return style.context(["default", STYLE])


def save(figure: Figure, folder: Path, name: str, *, data: Any, words: str) -> None:
    """Write name.svg, name.json (the data drawn) and name.txt (the text alternative) into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
    (folder / f"{name}.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    (folder / f"{name}.txt").write_text(words.rstrip() + "\n", encoding="utf-8")


def rounded(values: ArrayLike, decimals: int = 6) -> Any:
    """Numbers for the data file, rounded so that every machine writes the same."""
    return (np.round(np.asarray(values, dtype=np.float64), decimals) + 0.0).tolist()


def heatmap(
    axes: Axes,
    values: ArrayLike,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    title: str = "",
    scale: tuple[float, float] = (0.0, 1.0),
    size: float = 11.5,
    digits: int = 3,
) -> QuadMesh:
    """One panel: a matrix (rows, columns) as cells with their values, the first row on top."""
    matrix = np.asarray(values, dtype=np.float64)
    mesh = axes.pcolormesh(matrix, cmap=COLOUR_MAP, vmin=scale[0], vmax=scale[1], edgecolors=PAPER, linewidth=2)
    colours = mesh.to_rgba(matrix)
    for (row, column), value in np.ndenumerate(matrix):
        ink = readable_on(colours[row, column])
        axes.text(column + 0.5, row + 0.5, f"{value:.{digits}g}", ha="center", va="center", color=ink, size=size)
    axes.set_title(title, loc="left", weight="bold", pad=9)
    axes.set_xticks(np.arange(len(columns)) + 0.5, list(columns))
    axes.set_yticks(np.arange(len(rows)) + 0.5, list(rows))
    axes.invert_yaxis()  # the first row on top, as a matrix is written
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return mesh


def colour_bar(figure: Figure, mesh: QuadMesh, place: tuple[float, float, float, float], label: str) -> None:
    """A colour bar for ``mesh`` in the axes at ``place`` (left, bottom, width, height)."""
    bar = figure.colorbar(mesh, cax=figure.add_axes(place), label=label)
    if bar.solids is not None:
        bar.solids.set(rasterized=False, edgecolor="face")  # vector shapes, without seams
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)


def plain_axes(axes: Axes) -> None:
    """Axes of a line or bar chart: no box, a faint grid behind."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color=RULE, linewidth=0.8)
    axes.set_axisbelow(True)


def readable_on(background: ArrayLike) -> str:
    """Dark ink or paper, whichever has the higher WCAG 2 contrast on this sRGB colour (3 or 4,)."""
    from matplotlib.colors import to_rgb

    under = luminance(background)

    def contrast(colour: str) -> float:
        darker, lighter = sorted((under, luminance(to_rgb(colour))))
        return (lighter + 0.05) / (darker + 0.05)

    return max(INK, PAPER, key=contrast)


def luminance(colour: ArrayLike) -> float:
    """Relative luminance, 0 to 1, of an sRGB colour (3 or 4,) (WCAG 2, "relative luminance")."""
    channels = np.asarray(colour, dtype=np.float64)[:3]
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))
