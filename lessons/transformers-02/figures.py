"""The numbers that the page of transformers-02 states, with the figures that show some of them.

Everything at module level is NumPy float64 from the oracle; the prose is compared
with these names. Drawing starts only when ``draw`` is called.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from grader import drawing
from grader.oracle import causal
from grader.oracle.attention import Floats, scaled_dot_product_attention, softmax, softmax_jacobian, sqrt_dk_experiment
from grader.oracle.causal import causal_attention

# Three words that "it" looks at: scores to weights, then the scores from vectors.
three_words = ("animal", "tired", "street")
three_scores = np.array([2.0, 1.0, 0.5])
three_exponentials = np.exp(three_scores)
three_weights = softmax(three_scores)
three_shares = three_scores / three_scores.sum()
it_query = np.array([1.0, 1.0, 1.0, 1.0])
three_keys = np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
three_values = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
raw_scores = three_keys @ it_query
blend = three_weights @ three_values
small_product = np.array([1.0, 2.0]) @ np.array([3.0, 0.5])
doubled_weights = softmax(2 * three_scores)
negative_shares = (three_scores - 2) / (three_scores - 2).sum()

# How weights answer to scores; the norms are for even, ordinary and settled weights.
jacobian = softmax_jacobian(three_weights)
nudged_change = softmax(three_scores + np.array([0.1, 0, 0])) - three_weights
jacobian_norms = [float(np.linalg.norm(softmax_jacobian(softmax(f * three_scores)))) for f in (0, 1, 10)]

# The root: all sums of four products ±1, then the experiment with Gaussian rows.
sign_sums = np.array([sum(signs) for signs in itertools.product((-1, 1), repeat=4)])
spread_128 = np.sqrt(128)
WIDTHS = tuple(2**power for power in range(1, 11))
experiment = sqrt_dk_experiment(WIDTHS, trials=200)
unscaled, scaled = ([row for row in experiment if row.scaled == wanted] for wanted in (False, True))
norm_fall = unscaled[0].mean_jacobian_norm / unscaled[-1].mean_jacobian_norm

# Forecasts of noise: 4 symbols, 10 positions; the head looks for the position after its own, as sharply as it may.
chance = np.log(4)
STEEPNESS = (0, 2, 4, 8)
noise = np.random.default_rng(seed=1).integers(0, 4, size=(2000, 10))
symbols = np.eye(4)[noise]  # (2000, 10, 4)
positions = np.eye(10)


def forecast(steepness: float, attention: Callable[..., Any]) -> tuple[float, float]:
    """Mean loss of the forecasts and share of right ones, for positions 0 to 8."""
    looks_for_next = steepness * np.sqrt(10) * np.roll(positions, 1, axis=1)  # row i is position i + 1
    _, weights = attention(looks_for_next, positions, positions)
    shares = 0.96 * (weights @ symbols)[:, :-1] + 0.01
    of_next = np.take_along_axis(shares, noise[:, 1:, None], axis=-1)[..., 0]
    return float(-np.log(of_next).mean()), float((shares.argmax(axis=-1) == noise[:, 1:]).mean())


leaky = [forecast(steepness, scaled_dot_product_attention) for steepness in STEEPNESS]
honest = [forecast(steepness, causal_attention) for steepness in STEEPNESS]

# The rule: square, the last queries alone, and what another convention makes of those.
mask_4 = causal.causal_mask(4, 4)
mask_2_5 = causal.causal_mask(2, 5)

# Softmax over what is visible, by hand.
row_scores = np.array([2.0, 0.0, 1.0])
row_mask = np.array([True, True, False])
row_weights = causal.masked_softmax(row_scores, row_mask)
row_exponentials = np.exp(row_scores - 2.0)
zero_filled = softmax(row_scores * row_mask)
added = softmax(row_scores + row_mask)
cut_after = softmax(row_scores) * row_mask
low_scores = np.array([-20000.0, -20001.0, -20000.0])
low_weights = causal.masked_softmax(low_scores, row_mask)
low_filled = softmax(np.where(row_mask, low_scores, -1e4))

# Four positions with scores of their own, before and after the mask.
triangle_scores = np.array([[1.0, 2, 0, 1], [0, 1, 2, 2], [2, 1, 1, 3], [1, 0, 1, 2]])
before = softmax(triangle_scores)
after = causal.masked_softmax(triangle_scores, mask_4)

# The ten words of main.py.
words = ("The", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "tired")
searching = {
    "animal": [-1, 0, -1, 0],
    "cross": [1, 1, 0, 1],
    "street": [-2, 0, -2, 0],
    "it": [1, 1, 1, 1],
    "tired": [2, 2, 0, 2],
}
offering = {
    "the": [-1, 0, -1, 0],
    "animal": [1, 1, 1, 1],
    "didn't": [0, -1, 0, -1],
    "cross": [0, 1, -1, -1],
    "street": [1, 0, 0, 0],
    "because": [-1, -1, 0, 0],
    "it": [0, 0, 0, 0],
    "was": [0, 0, -1, 0],
    "tired": [1, 1, 0, 0],
}
queries = np.array([searching.get(word, [0, 0, 0, 0]) for word in words], dtype=float)
keys = np.array([offering[word.lower()] for word in words], dtype=float)
values = np.array([[len(word), word in ("animal", "street")] for word in words], dtype=float)
scores = queries @ keys.T / np.sqrt(4)
output, weights = causal_attention(queries, keys, values)
_, free_weights = scaled_dot_product_attention(queries, keys, values)
means, _ = causal_attention(0 * queries, keys, values)
IT, TIRED = words.index("it"), words.index("tired")
it_exponentials = np.exp(scores[IT])
visible_total = it_exponentials[: IT + 1].sum()
free_total = it_exponentials.sum()

# Exercise 1: the reference's ending. Exercise 2: a window of three. Exercise 3: the last three queries.
late = np.arange(10)[:, None] > 6
changed = causal_attention(queries, np.where(late, 3.0, keys), np.where(late, -5.0, values))[0]
distance = np.arange(10)[:, None] - np.arange(10)
window_weights = causal.masked_softmax(np.zeros((10, 10)), (distance >= 0) & (distance < 3))
two_layers = window_weights @ window_weights
forgotten = causal.masked_softmax(scores[-3:], np.tri(3, 10, dtype=bool))
repaired = causal.masked_softmax(scores[-3:], causal.causal_mask(3, 10))

# Cited: Liu et al., "Lost in the Middle" (2023), table of GPT-3.5-Turbo with 20 documents, percent right.
middle = {"first": 75.8, "tenth": 53.8, "none": 56.1}
# Cited: Jiang et al., "Mistral 7B" (2023).
mistral_window, mistral_layers = 4096, 32


def interactive() -> dict[str, Any]:
    """What the page's interactive figures start from."""
    return {
        "sentence-heatmap": {"words": list(words), "scores": scores.tolist(), "word": IT},
        "saturation": {"normals": np.random.default_rng(seed=3).normal(size=16).tolist()},
    }


# ---- figures ---------------------------------------------------------------------------------------


def draw(
    folder: Path,
    *,
    causal_mask: Callable[..., Any] = causal.causal_mask,
    masked_softmax: Callable[..., Any] = causal.masked_softmax,
    causal_attend: Callable[..., Any] = causal_attention,
) -> None:
    """Write each figure as .svg, .json (the data drawn) and .txt (the text alternative), with these functions."""
    mask = np.asarray(causal_mask(4, 4), dtype=bool)
    all_true = np.ones((4, 4), dtype=bool)
    pair = [np.asarray(masked_softmax(triangle_scores, shown), dtype=np.float64) for shown in (all_true, mask)]
    sentence = np.asarray(causal_attend(queries, keys, values)[1], dtype=np.float64)
    with drawing.styled():
        sharpens(folder)
        saturates(folder)
        triangle(folder, mask, *pair)
        causal_heatmap(folder, sentence)


def sharpens(folder: Path) -> None:
    """softmax-sharpens: shares of the raw scores beside shares after softmax."""
    figure = drawing.new_figure(7.2, 3.1)
    axes = figure.add_axes((0.1, 0.16, 0.86, 0.66))
    drawing.plain_axes(axes)
    places = np.arange(3)
    for offset, shares, label, colour in (
        (-0.19, three_shares, "score / sum of scores", drawing.COLOURS[4]),
        (0.19, three_weights, "softmax", drawing.COLOURS[0]),
    ):
        bars = axes.bar(places + offset, shares, width=0.36, color=colour, label=label)
        axes.bar_label(bars, labels=[f"{share:.2f}" for share in shares], padding=2)
    axes.set_xticks(places, [f"{w}\nscore {s:g}" for w, s in zip(three_words, three_scores, strict=True)])
    axes.set_ylim(0, 0.8)
    axes.set_ylabel("share of the total")
    axes.set_title("Softmax sharpens", loc="left", weight="bold", pad=9)
    axes.legend(loc="upper right")
    data = {
        "words": three_words,
        "scores": three_scores.tolist(),
        "plain_shares": drawing.rounded(three_shares),
        "softmax": drawing.rounded(three_weights),
    }
    lines = [
        "Three pairs of bars, one pair for each word; the first bar is the score's plain share, the second softmax."
    ]
    lines += [
        f"  {word}, score {score:g}: plain share {share:.2f}, softmax {weight:.2f}"
        for word, score, share, weight in zip(three_words, three_scores, three_shares, three_weights, strict=True)
    ]
    lines.append("Softmax gives the highest score more than its plain share and the others less.")
    drawing.save(figure, folder, "softmax-sharpens", data=data, words="\n".join(lines))


def saturates(folder: Path) -> None:
    """sqrt-dk: mean largest weight and mean norm of the Jacobian against the width, unscaled and scaled."""
    figure = drawing.new_figure(8.4, 3.4)
    for left, title, attribute, top in (
        (0.08, "Mean largest weight", "mean_largest_weight", 1.0),
        (0.57, "Mean norm of the Jacobian", "mean_jacobian_norm", 0.45),
    ):
        axes = figure.add_axes((left, 0.17, 0.4, 0.66))
        drawing.plain_axes(axes)
        for rows, label, colour, marker in (
            (unscaled, "unscaled", drawing.COLOURS[1], "o"),
            (scaled, "divided by √Dk", drawing.COLOURS[0], "s"),
        ):
            axes.plot(WIDTHS, [getattr(row, attribute) for row in rows], marker=marker, color=colour, label=label)
        axes.set_xscale("log", base=2)
        axes.set_xticks(WIDTHS, [str(width) for width in WIDTHS], fontsize=8)
        axes.minorticks_off()
        axes.set_ylim(0, top)
        axes.set_xlabel("width Dk of queries and keys")
        axes.set_title(title, loc="left", weight="bold", pad=9)
    figure.axes[0].legend(loc="upper left")
    data = [
        {
            "width": row.width,
            "scaled": row.scaled,
            "score_std": drawing.rounded(row.score_std, 4),
            "mean_largest_weight": drawing.rounded(row.mean_largest_weight, 4),
            "mean_jacobian_norm": drawing.rounded(row.mean_jacobian_norm, 4),
        }
        for row in experiment
    ]
    lines = ["Two line charts against the width of queries and keys, 2 to 1024. Queries and 16 keys are Gaussian."]
    for name, rows in (("unscaled", unscaled), ("divided by √Dk", scaled)):
        lines += ["", f"{name}:"]
        lines += [
            f"  width {row.width}: largest weight {row.mean_largest_weight:.2f}, "
            f"norm of the Jacobian {row.mean_jacobian_norm:.3f}"
            for row in rows
        ]
    lines += ["", "Unscaled, the largest weight climbs towards 1 and the norm falls; scaled, both stay level."]
    drawing.save(figure, folder, "sqrt-dk", data=data, words="\n".join(lines))


def triangle(folder: Path, mask: Any, first: Floats, second: Floats) -> None:
    """triangle: the mask, the weights without it and the weights with it."""
    figure = drawing.new_figure(9.6, 3.2)
    names = [f"key {j}" for j in range(4)]
    rows = [f"query {i}" for i in range(4)]
    panels = (("Mask (1: may look)", mask.astype(float)), ("Before: nothing hidden", first), ("After: masked", second))
    for left, (title, panel) in zip((0.08, 0.375, 0.67), panels, strict=True):
        axes = figure.add_axes((left, 0.14, 0.235, 0.68))
        mesh = drawing.heatmap(
            axes, panel, rows=rows if left < 0.1 else [""] * 4, columns=names, title=title, size=10, digits=2
        )
    drawing.colour_bar(figure, mesh, (0.925, 0.14, 0.014, 0.68), "weight")
    data = {
        "scores": triangle_scores.tolist(),
        "mask": mask.tolist(),
        "before": drawing.rounded(first),
        "after": drawing.rounded(second),
    }
    lines = ["Three squares of four queries (rows) by four keys (columns), on one colour scale from 0 to 1."]
    for title, panel in panels:
        lines += ["", f"{title}:"]
        lines += [
            f"  query {i}: {', '.join(f'{x:.2g}' for x in row)}; sum {row.sum():.3g}" for i, row in enumerate(panel)
        ]
    lines += ["", "After the mask all cells above the diagonal are exactly 0, and every row still sums to 1."]
    drawing.save(figure, folder, "triangle", data=data, words="\n".join(lines))


def causal_heatmap(folder: Path, sentence: Floats) -> None:
    """causal-heatmap: the weights of the ten words."""
    figure = drawing.new_figure(8.6, 6.2)
    axes = figure.add_axes((0.125, 0.06, 0.735, 0.83))
    mesh = drawing.heatmap(
        axes,
        sentence,
        rows=words,
        columns=words,
        title="Ten words, each looking at itself and back",
        size=8.5,
        digits=2,
    )
    axes.set_ylabel("query (one row each)", labelpad=8)
    drawing.colour_bar(figure, mesh, (0.885, 0.06, 0.02, 0.83), "weight")
    data = {"words": words, "scores": scores.tolist(), "weights": drawing.rounded(sentence)}
    lines = ["A heatmap of ten query words (rows) by ten key words (columns); colours from 0 (pale) to 1 (dark)."]
    for i, word in enumerate(words):
        seen = ", ".join(f"{words[j]} {sentence[i, j]:.2f}" for j in range(10) if sentence[i, j] > 0)
        lines.append(f"  {word}: {seen}")
    lines.append("Every cell above the diagonal is exactly 0; every row sums to 1.")
    drawing.save(figure, folder, "causal-heatmap", data=data, words="\n".join(lines))
