"""The numbers that the page of transformers-01 states, with the figure that shows two of them.

Everything at module level is NumPy float64 from the oracle; the prose is compared
with these names. Drawing starts only when ``draw`` is called.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from grader.oracle.attention import Floats, scaled_dot_product_attention, softmax

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

# A mixture by hand: two weights on two value rows.
mixture_weights = np.array([0.25, 0.75])
mixture_values = np.array([[2.0, 0.0], [0.0, 4.0]])
mixture_output = mixture_weights @ mixture_values
taller_output = mixture_weights @ np.array([[2.0, 0.0], [0.0, 8.0]])

# The third row lies halfway between the others: two weightings, one output.
redundant_values = np.array([[2.0, 0.0], [0.0, 4.0], [1.0, 2.0]])
halves_output = np.array([0.5, 0.5, 0.0]) @ redundant_values
middle_output = np.array([0.0, 0.0, 1.0]) @ redundant_values

# The fixture of main.py: queries (2, 2), keys (3, 2), values (3, 2).
zero_queries = np.zeros((2, 2))
keys = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
values = np.array([[2.0, 0.0], [0.0, 4.0], [4.0, 2.0]])
value_sum = values.sum(axis=0)
uniform_output, uniform_weights = scaled_dot_product_attention(zero_queries, keys, values)

# The second panel: each query favours one coordinate.
changed_queries = np.array([[3.0, 0.0], [0.0, 3.0]])
changed_products = changed_queries @ keys.T
changed_scores = changed_products / np.sqrt(keys.shape[-1])
changed_exponentials = np.exp(changed_scores - changed_scores.max(axis=-1, keepdims=True))
changed_output, changed_weights = scaled_dot_product_attention(changed_queries, keys, values)

# The experiments: q_new (1, 2), then a shift of every value row.
new_query = np.array([[2.0, 0.0]])
new_scores = new_query @ keys.T / np.sqrt(keys.shape[-1])
new_output, new_weights = scaled_dot_product_attention(new_query, keys, values)
value_shift = np.array([5.0, -2.0])
moved_output, _ = scaled_dot_product_attention(new_query, keys, values + value_shift)
sharp_weights = scaled_dot_product_attention(10.0 * new_query, keys, values)[1]

# Exercise 1: the reference's order; an order that swaps the two tied keys.
order = np.array([2, 0, 1])
tied_order = np.array([2, 1, 0])
paired_output, _ = scaled_dot_product_attention(new_query, keys[order], values[order])
mismatched_output, _ = scaled_dot_product_attention(new_query, keys, values[order])
tied_output, _ = scaled_dot_product_attention(new_query, keys, values[tied_order])

# Exercise 2: values of width 1.
scalar_values = np.array([[3.0], [6.0], [9.0]])
scalar_output, _ = scaled_dot_product_attention(zero_queries, keys, scalar_values)

# Exercise 3: zero scores (2, 3), normalised over the queries, then over the keys.
wrong_weights = softmax(np.zeros((2, 3)), axis=0)
right_weights = softmax(np.zeros((2, 3)))
wrong_output = wrong_weights @ values

TITLES = ("Zero queries", "Changed queries")
COLOUR_SCALE = (0.0, 1.0)
COLOUR_MAP = "YlGnBu"  # light to dark, and distinct in every common colour blindness
INK, PAPER, RULE = "#1f2933", "#fdfdfb", "#d9dde2"
STYLE = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial", "sans-serif"],
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "transformers-01",
}


def draw(folder: Path) -> None:
    """Write two-heatmaps.svg, .json (the data drawn) and .txt (the text alternative)."""
    from matplotlib import style

    folder.mkdir(parents=True, exist_ok=True)
    with style.context(["default", STYLE]):
        heatmaps().savefig(folder / "two-heatmaps.svg", metadata={"Date": None, "Creator": None})
    data = json.dumps(drawn(), indent=2) + "\n"
    (folder / "two-heatmaps.json").write_text(data, encoding="utf-8")
    (folder / "two-heatmaps.txt").write_text(described(), encoding="utf-8")


def drawn() -> dict[str, object]:
    """The data of the figure, rounded to six decimals so that every machine writes the same."""
    panels = [
        {"title": title, "queries": queries.tolist(), "weights": np.round(weights, 6).tolist()}
        for title, queries, weights in panel_data()
    ]
    return {
        "keys": keys.tolist(),
        "colour_scale": list(COLOUR_SCALE),
        "colour_map": COLOUR_MAP,
        "panels": panels,
    }


def described() -> str:
    """The figure in words, for a reader who does not see it."""
    lines = [
        "Two heatmaps of attention weights stand side by side. Both have two rows, one per",
        f"query, and three columns, one per key: {', '.join(labels('k', keys))}. They share one",
        "colour scale from 0 (pale yellow) to 1 (dark blue); every cell shows its weight.",
    ]
    for title, queries, weights in panel_data():
        lines += ["", f"{title}:"]
        for label, row in zip(labels("q", queries), weights, strict=True):
            lines.append(f"  row {label}: {', '.join(f'{weight:.3g}' for weight in row)}; sum {row.sum():.3g}")
    lines += [
        "",
        "On the left all cells have one colour. On the right each row has two darker cells that",
        "tie and one that is almost blank; the column of k2 (1, 1) is among the darker in both.",
    ]
    return "\n".join(lines) + "\n"


def panel_data() -> tuple[tuple[str, Floats, Floats], ...]:
    """Title, queries (2, 2) and weights (2, 3) of each panel."""
    return tuple(zip(TITLES, (zero_queries, changed_queries), (uniform_weights, changed_weights), strict=True))


def labels(letter: str, rows: Floats) -> list[str]:
    """Names of rows with their coordinates, as "k0 (1, 0)"."""
    return [f"{letter}{index} ({', '.join(f'{x:g}' for x in row)})" for index, row in enumerate(rows)]


def heatmaps() -> Figure:
    """The figure: two panels and one colour bar, on a card that reads on light and dark pages."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.2))
    add_card(figure)
    for left, (title, queries, weights) in zip((0.125, 0.545), panel_data(), strict=True):
        axes = figure.add_axes((left, 0.225, 0.315, 0.6))
        mesh = draw_heatmap(axes, title, queries, weights)
    figure.axes[0].set_ylabel("query (one row each)", labelpad=8)
    bar_axes = figure.add_axes((0.89, 0.225, 0.018, 0.6))
    bar = figure.colorbar(mesh, cax=bar_axes, ticks=[0, 0.25, 0.5, 0.75, 1], label="weight")
    if bar.solids is not None:
        bar.solids.set(rasterized=False, edgecolor="face")  # vector shapes, without seams
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
    return figure


def add_card(figure: Figure) -> None:
    """Lay an opaque card with round corners under everything; the page shows around it."""
    from matplotlib.patches import FancyBboxPatch
    from matplotlib.transforms import Affine2D

    figure.patch.set_alpha(0.0)
    width_pt, height_pt = 72.0 * figure.get_size_inches()
    card = FancyBboxPatch(
        (1, 1),
        width_pt - 2,
        height_pt - 2,
        boxstyle="round,pad=0,rounding_size=10",
        facecolor=PAPER,
        edgecolor=RULE,
        zorder=-1,
    )
    card.set_transform(Affine2D().scale(1 / 72) + figure.dpi_scale_trans)
    figure.add_artist(card)


def draw_heatmap(axes: Axes, title: str, queries: Floats, weights: Floats) -> QuadMesh:
    """One panel: weights (2, 3) as cells with their values, rows named by query."""
    low, high = COLOUR_SCALE
    mesh = axes.pcolormesh(weights, cmap=COLOUR_MAP, vmin=low, vmax=high, edgecolors=PAPER, linewidth=2)
    for (row, column), weight in np.ndenumerate(weights):
        ink = readable_on(mesh.to_rgba(weights)[row, column])
        axes.text(column + 0.5, row + 0.5, f"{weight:.3g}", ha="center", va="center", color=ink, size=11.5)
    axes.set_title(title, loc="left", weight="bold", pad=9)
    axes.set_xticks(np.arange(len(keys)) + 0.5, labels("k", keys))
    axes.set_yticks(np.arange(len(queries)) + 0.5, labels("q", queries))
    axes.set_xlabel("key (one column each)", labelpad=7)
    axes.invert_yaxis()  # the first query on top, as a matrix is written
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return mesh


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
