"""The numbers that the page of transformers-01 states, with the figure that shows two of them.

Everything at module level is NumPy float64 from the oracle; the prose is compared
with these names. Drawing starts only when ``draw`` is called.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import drawing
from grader.oracle.attention import Floats, scaled_dot_product_attention, softmax

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def interactive() -> dict[str, Any]:
    """What the page's interactive figures start from."""
    return {"query-heatmap": {"keys": keys.tolist(), "queries": changed_queries.tolist()}}


TITLES = ("Zero queries", "Changed queries")
Panel = tuple[str, Floats, Floats]


def draw(folder: Path, *, attend: Callable[..., Any] = scaled_dot_product_attention) -> None:
    """Write two-heatmaps.svg, .json (the data drawn) and .txt (the text alternative), of the weights of ``attend``."""
    panels = tuple(
        (title, queries, np.asarray(attend(queries, keys, values)[1], dtype=np.float64))
        for title, queries in zip(TITLES, (zero_queries, changed_queries), strict=True)
    )
    with drawing.styled():
        drawing.save(heatmaps(panels), folder, "two-heatmaps", data=drawn(panels), words=described(panels))


def drawn(panels: tuple[Panel, ...]) -> dict[str, object]:
    """The data of the figure."""
    return {
        "keys": keys.tolist(),
        "colour_scale": [0.0, 1.0],
        "colour_map": drawing.COLOUR_MAP,
        "panels": [
            {"title": title, "queries": queries.tolist(), "weights": drawing.rounded(weights)}
            for title, queries, weights in panels
        ],
    }


def described(panels: tuple[Panel, ...]) -> str:
    """The figure in words, for a reader who does not see it."""
    lines = [
        "Two heatmaps of attention weights stand side by side. Both have two rows, one per",
        f"query, and three columns, one per key: {', '.join(labels('k', keys))}. They share one",
        "colour scale from 0 (pale yellow) to 1 (dark blue); every cell shows its weight.",
    ]
    for title, queries, weights in panels:
        lines += ["", f"{title}:"]
        for label, row in zip(labels("q", queries), weights, strict=True):
            lines.append(f"  row {label}: {', '.join(f'{weight:.3g}' for weight in row)}; sum {row.sum():.3g}")
    lines += [
        "",
        "On the left all cells have one colour. On the right each row has two darker cells that",
        "tie and one that is almost blank; the column of k2 (1, 1) is among the darker in both.",
    ]
    return "\n".join(lines)


def labels(letter: str, rows: Floats) -> list[str]:
    """Names of rows with their coordinates, as "k0 (1, 0)"."""
    return [f"{letter}{index} ({', '.join(f'{x:g}' for x in row)})" for index, row in enumerate(rows)]


def heatmaps(panels: tuple[Panel, ...]) -> Figure:
    """The figure: two panels and one colour bar."""
    figure = drawing.new_figure(8.4, 3.2)
    for left, (title, queries, weights) in zip((0.125, 0.545), panels, strict=True):
        axes = figure.add_axes((left, 0.225, 0.315, 0.6))
        mesh = drawing.heatmap(axes, weights, rows=labels("q", queries), columns=labels("k", keys), title=title)
        axes.set_xlabel("key (one column each)", labelpad=7)
    figure.axes[0].set_ylabel("query (one row each)", labelpad=8)
    drawing.colour_bar(figure, mesh, (0.89, 0.225, 0.018, 0.6), "weight")
    return figure
