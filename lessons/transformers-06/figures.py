"""The numbers that the page of transformers-06 states, with the figures that show some of them.

Everything at module level is NumPy float64 from the oracle; the prose is compared
with these names. Drawing starts only when ``draw`` is called.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from grader import drawing
from grader.oracle import losses
from grader.oracle.attention import Floats, softmax
from grader.oracle.losses import cost_gradient, log_softmax, next_token_loss, token_costs

# The two texts of main.py and the table of what follows what.
words = ("the", "cat", "sat", "on", "mat")
tokens = np.array([[0, 1, 2, 3, 0, 4], [0, 4, 2, 0, 0, 0]])
mask = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]], dtype=bool)
follows = np.array(
    [
        [-1.0, 2.0, 0.0, -1.0, 1.0],
        [0.0, -1.0, 3.0, 1.0, -1.0],
        [0.0, -1.0, -1.0, 3.0, 0.0],
        [4.0, 0.0, -1.0, -1.0, 1.0],
        [0.0, 0.0, 1.0, 0.0, -1.0],
    ]
)
logits = follows[tokens]
counted = mask[:, 1:]
n_targets = losses.counted_targets(mask)

# One forecast by hand: what comes after "the"; the target is "mat", which is not the favourite.
after_the = follows[0]
CAT, MAT = words.index("cat"), words.index("mat")
exponentials = np.exp(after_the)
p = softmax(after_the)
each_cost = -log_softmax(after_the)
gradient = cost_gradient(after_the, MAT)
nudged = after_the + 0.1 * np.eye(5)[MAT]
nudge = token_costs(nudged, MAT) - each_cost[MAT]
level = losses.log_sum_exp(after_the)
best_smoothed = losses.smoothed_costs(np.log([0.92, 0.02, 0.02, 0.02, 0.02]), 0, 0.1)
z_loss = 1e-4 * losses.z_loss(after_the)
z_loss_at_height = 1e-4 * losses.z_loss(after_the + 1000)

# The batch: the cost of every target, then ways of averaging them.
costs = token_costs(logits[:, :-1], tokens[:, 1:])
uniform = next_token_loss(0 * logits, tokens, mask)
loss = next_token_loss(logits, tokens, mask)
choices = losses.perplexity(loss)
copied = next_token_loss(20 * np.eye(5)[tokens], tokens, mask)
known = next_token_loss(20 * np.eye(5)[np.roll(tokens, -1, axis=1)], tokens, mask)
sure = next_token_loss(10_000 * np.eye(5)[np.full((2, 6), MAT)], tokens, mask)
row_counts = counted.sum(axis=1)
row_losses = np.array([next_token_loss(logits[row, None], tokens[row, None], mask[row, None]) for row in (0, 1)])
mean_of_means = row_losses.mean()
with_filler = costs.mean()
over_all = (costs * counted).mean()
unshifted = (token_costs(logits, tokens) * mask).sum() / mask.sum()
softmax_twice = next_token_loss(softmax(20 * np.eye(5)[np.roll(tokens, -1, axis=1)]), tokens, mask)
shares = np.array([[1 / (2 * count) for count in row_counts], [1 / n_targets] * 2])  # of one target: means, then tokens

# Exercise 1: the reference's choice. Exercise 2: two models on one text.
my_logits, my_target = np.array([1.0, -2.0, 0.5, 0.0, 3.0]), 2
my_p, my_cost, my_slope = softmax(my_logits), token_costs(my_logits, my_target), cost_gradient(my_logits, my_target)
nats_per_token, tokens_in_text, bytes_in_text = np.array([3.1, 1.9]), np.array([1000, 1800]), 4200
two_perplexities = losses.perplexity(nats_per_token)
bits_per_token = nats_per_token / np.log(2)
bits_per_byte = losses.bits_per_byte(nats_per_token, tokens_in_text, bytes_in_text)

# What the logits of a batch weigh, in GB of 10⁹ bytes: GPT-2's vocabulary and that of Llama 3, float32.
GPT2_WORDS, LLAMA3_WORDS = 50_257, 128_256
gpt2_gb = 8 * 1024 * GPT2_WORDS * 4 / 1e9
llama3_gb = 8192 * LLAMA3_WORDS * 4 / 1e9

# Before training: logits of random numbers with this standard deviation, over 65 characters.
SPREADS = (0.0, 0.02, 1.0, 3.0)
_rng = np.random.default_rng(seed=0)
_standard, _random_targets = _rng.normal(size=(4000, 65)), _rng.integers(0, 65, 4000)
untrained = [float(token_costs(spread * _standard, _random_targets).mean()) for spread in SPREADS]


def trained_on_noise(shift: int, *, steps: int = 200, rate: float = 20.0) -> float:
    """The loss, over its last 20 steps, of a table trained on fresh noise of 16 symbols to say token t + ``shift``."""
    rng = np.random.default_rng(seed=0)
    table, seen = np.zeros((16, 16)), []
    for _ in range(steps):
        noise = rng.integers(0, 16, (32, 12))
        now, targets = noise[:, : 12 - shift].ravel(), noise[:, shift:].ravel()
        seen.append(token_costs(table[now], targets).mean())
        slope = np.zeros_like(table)
        np.add.at(slope, now, cost_gradient(table[now], targets) / len(now))
        table -= rate * slope
    return float(np.mean(seen[-20:]))


chance = np.log(16)
honest, collapsed = trained_on_noise(1), trained_on_noise(0)

# A wrong token leads by a margin; what wrong ways of computing say in float32.
MARGINS = np.arange(0, 124, 4)


def in_float32(margin: float) -> dict[str, float]:
    """The cost of a token that trails one of four others by ``margin``, computed in float32 in two wrong ways.

    A p below the smallest normal float is 0, as in JAX on a CPU.
    """
    scores = np.array([0, margin, 0, 0, 0], dtype=np.float32)
    with np.errstate(all="ignore"):
        stable = np.exp(scores - scores.max())
        plain = np.exp(scores)
        ways = {
            "log(softmax + 1e-7)": (stable / stable.sum())[0] + np.float32(1e-7),
            "log(exp / sum)": (plain / plain.sum())[0],
        }
        return {name: float(-np.log(x if x >= np.finfo(np.float32).tiny else 0 * x)) for name, x in ways.items()}


epsilon_limit = -np.log(1e-7)
overflow = np.log(float(np.finfo(np.float32).max))
underflow = -np.log(float(np.finfo(np.float32).tiny))
fifty = token_costs([0.0, 50.0, 0.0, 0.0, 0.0], 0)

# Cited: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), table 3: the smallest and the
# largest GPT-2, perplexity on WikiText-103 and bits per byte on enwik8.
gpt2 = {"small": 37.50, "large": 17.48, "small_bits": 1.16, "large_bits": 0.93}


def interactive() -> dict[str, Any]:
    """What the page's interactive figures start from."""
    return {"logit-loss": {"tokens": list(words), "logits": after_the.tolist(), "target": MAT}}


# ---- figures ---------------------------------------------------------------------------------------


def draw(
    folder: Path,
    *,
    lm_loss: Callable[..., Any] = next_token_loss,
    perplexity: Callable[..., Any] = losses.perplexity,
) -> None:
    """Write each figure as .svg, .json (the data drawn) and .txt (the text alternative), with these functions."""

    def cost_of(scores: Floats, target: int) -> float:
        """What one target costs: a text of two tokens."""
        both = np.stack([scores, scores])[None]
        return float(lm_loss(both, np.array([[0, target]]), np.array([[True, True]])))

    each = np.array([cost_of(after_the, target) for target in range(5)])
    margins = np.array([cost_of(np.array([0.0, margin, 0.0, 0.0, 0.0]), 0) for margin in MARGINS])
    texts = np.array([float(lm_loss(logits[row, None], tokens[row, None], mask[row, None])) for row in (0, 1)])
    batch = float(lm_loss(logits, tokens, mask))
    with drawing.styled():
        one_forecast(folder, each)
        confident_error(folder, margins)
        ragged(folder, texts, batch, float(perplexity(batch)))


def one_forecast(folder: Path, each: Floats) -> None:
    """one-forecast: bars of p, -ln p and the gradient for each of the five words."""
    figure = drawing.new_figure(9.6, 3.3)
    panels = (
        ("Probability p", p, "{:.3f}", (0, 0.75)),
        ("Cost -ln p, if this word comes", each, "{:.2f}", (0, 4.2)),
        ("Gradient, since mat came", gradient, "{:+.3f}", (-1.0, 0.85)),
    )
    for left, (title, values, style, limits) in zip((0.055, 0.385, 0.715), panels, strict=True):
        axes = figure.add_axes((left, 0.2, 0.265, 0.62))
        drawing.plain_axes(axes)
        colours = [drawing.COLOURS[1] if word == MAT else drawing.COLOURS[0] for word in range(5)]
        bars = axes.bar(range(5), values, color=colours, width=0.7)
        axes.bar_label(bars, labels=[style.format(value) for value in values], padding=2, fontsize=8.5)
        axes.set_xticks(range(5), [f"{w}\n{z:g}" for w, z in zip(words, after_the, strict=True)], fontsize=9)
        axes.set_ylim(*limits)
        axes.axhline(0, color=drawing.INK, linewidth=0.8)
        axes.set_title(title, loc="left", weight="bold", pad=9, fontsize=10.5)
    figure.axes[0].set_xlabel("word after the, with its logit", labelpad=4, fontsize=9)
    data = {
        "words": words,
        "logits": after_the.tolist(),
        "target": MAT,
        "p": drawing.rounded(p),
        "cost": drawing.rounded(each, 5),
        "gradient": drawing.rounded(gradient),
    }
    lines = ["Three bar charts with a bar for each of five words that may come after the; the word that came is mat."]
    lines += [
        f"  {word}, logit {z:g}: p {share:.3f}, cost {cost:.2f}, gradient {slope:+.3f}"
        for word, z, share, cost, slope in zip(words, after_the, p, each, gradient, strict=True)
    ]
    lines.append("The probabilities sum to 1 and the gradients to 0; the gradient of mat alone is below 0.")
    drawing.save(figure, folder, "one-forecast", data=data, words="\n".join(lines))


def confident_error(folder: Path, margins: Floats) -> None:
    """confident-error: the cost of a wrong forecast against its margin, computed in three ways in float32."""
    ways = {name: np.array([in_float32(margin)[name] for margin in MARGINS]) for name in in_float32(0.0)}
    figure = drawing.new_figure(7.6, 4.0)
    axes = figure.add_axes((0.1, 0.15, 0.86, 0.71))
    drawing.plain_axes(axes)
    axes.plot(MARGINS, margins, color=drawing.COLOURS[0], linewidth=5, alpha=0.45, label="log-softmax (right)")
    looks = ((drawing.COLOURS[1], "-", "o"), (drawing.COLOURS[3], "--", "s"))
    for (name, values), (colour, line, marker) in zip(ways.items(), looks, strict=True):
        finite = np.isfinite(values)
        axes.plot(
            MARGINS[finite], values[finite], color=colour, linestyle=line, marker=marker, markersize=3.5, label=name
        )
        if not finite.all():
            last = int(np.flatnonzero(finite)[-1])
            axes.plot(MARGINS[last], values[last], marker="X", color=colour, markersize=10, linestyle="none")
            axes.annotate(
                f"infinite from {MARGINS[last + 1]} on",
                (MARGINS[last], values[last]),
                xytext=(8, -14),
                textcoords="offset points",
                color=colour,
                fontsize=9,
            )
    axes.set_xlabel("margin: how far a wrong token leads")
    axes.set_ylabel("cost of the right token, nats")
    axes.set_ylim(0, 126)
    axes.set_xlim(0, 124)
    axes.set_title("A confident error costs its margin", loc="left", weight="bold", pad=9)
    axes.legend(loc="upper left")
    data = {
        "margins": MARGINS.tolist(),
        "log-softmax": drawing.rounded(margins, 3),
        **{name: [round(x, 3) if np.isfinite(x) else None for x in values.tolist()] for name, values in ways.items()},
    }
    lines = ["A line chart: the cost of a token against the margin by which a wrong one leads, 0 to 120, in float32."]
    lines.append(f"  log-softmax (right): the cost is the margin, up to {margins[-1]:.0f} at {MARGINS[-1]}")
    for name, values in ways.items():
        finite = np.isfinite(values)
        end = f"infinite from {MARGINS[~finite][0]} on" if not finite.all() else f"level at {values[-1]:.1f}"
        lines.append(f"  {name}: right at small margins, then {end}")
    drawing.save(figure, folder, "confident-error", data=data, words="\n".join(lines))


def ragged(folder: Path, texts: Floats, batch: float, batch_choices: float) -> None:
    """ragged-batch: two texts as blocks as wide as they have targets, and four averages of them."""
    figure = drawing.new_figure(9.2, 3.7)
    left, right = figure.add_axes((0.07, 0.19, 0.4, 0.63)), figure.add_axes((0.69, 0.19, 0.26, 0.63))
    for axes in (left, right):
        drawing.plain_axes(axes)
    names = ["the cat sat on the mat", "the mat sat"]
    starts = np.array([0, row_counts[0]])
    left.bar(starts, texts, width=row_counts, align="edge", color=drawing.COLOURS[0], edgecolor=drawing.PAPER)
    for start, count, value, name in zip(starts, row_counts, texts, names, strict=True):
        left.text(start + count / 2, value + 0.03, f"{value:.3f}", ha="center", va="bottom")
        left.text(start + count / 2, -0.07, f"{name}\n{count} targets", ha="center", va="top", fontsize=9)
    left.axhline(batch, color=drawing.COLOURS[1], linewidth=2)
    left.text(0.08, batch + 0.02, f"mean over targets {batch:.3f}", color=drawing.COLOURS[1], va="bottom", fontsize=9)
    left.set_xticks([])
    left.set_xlim(0, 7)
    left.set_ylim(0, 1.35)
    left.set_ylabel("cost of a target, nats")
    left.set_title("Each target is one unit wide", loc="left", weight="bold", pad=9)
    averages = {
        "mean over targets": batch,
        "mean of the two means": float(texts.mean()),
        "filler counts as 0": float(over_all),
        "filler counts as it is": float(with_filler),
    }
    places = np.arange(4)[::-1]
    colours = [drawing.COLOURS[1]] + [drawing.COLOURS[4]] * 3
    bars = right.barh(places, list(averages.values()), color=colours, height=0.6)
    right.bar_label(bars, labels=[f"{value:.3f}" for value in averages.values()], padding=3)
    right.set_yticks(places, list(averages), fontsize=9)
    right.set_xlim(0, 1.8)
    right.set_xlabel("nats")
    right.set_title("Four averages", loc="left", weight="bold", pad=9)
    data = {
        "texts": names,
        "targets": row_counts.tolist(),
        "mean_costs": drawing.rounded(texts, 5),
        "averages": {name: round(value, 5) for name, value in averages.items()},
        "perplexity": round(batch_choices, 4),
    }
    lines = ["Left, two blocks, as wide as a text has targets and as high as its mean cost."]
    lines += [f"  {n}: {c} targets, {v:.3f} nats each" for n, c, v in zip(names, row_counts, texts, strict=True)]
    lines += [
        f"A line at {batch:.3f} is their mean when every target counts alike.",
        "",
        "Right, four averages as bars:",
    ]
    lines += [f"  {name}: {value:.3f}" for name, value in averages.items()]
    lines += ["", f"The first is right; as a perplexity it is {batch_choices:.3f}."]
    drawing.save(figure, folder, "ragged-batch", data=data, words="\n".join(lines))
