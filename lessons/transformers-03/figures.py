"""The numbers that the page of transformers-03 states, with the figures that show them.

Everything at module level is NumPy float64 from the oracle; the prose is compared
with these names. Drawing starts only when ``draw`` is called.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import drawing
from grader.oracle.attention import Floats, attention_cost, merge_heads, split_heads
from grader.oracle.attention import multi_head_attention as reference

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Experiment 1: twelve numbers in three heads.
numbers = np.arange(12.0).reshape(2, 6)
cut = split_heads(numbers, 3)
cut_by_reshape = numbers.reshape(3, 2, 2)
cut_interleaved = numbers.reshape(2, 2, 3).transpose(2, 0, 1)
joined = merge_heads(cut)
joined_by_reshape = cut.reshape(2, 6)

# A sum over heads by hand: what two heads of width 2 found for one token.
found = np.array([[1.0, 2.0], [3.0, 4.0]])
wo_by_hand = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
part_of_head_0, part_of_head_1 = found[0] @ wo_by_hand[:2], found[1] @ wo_by_hand[2:]
sum_by_hand = found.ravel() @ wo_by_hand

# The layer of main.py: four heads on two key/value heads of width 2, five words of width 3.
words = ("animal", "street", "it", "was", "tired")
features = ("thing", "pronoun", "state")
thing, pronoun, state = np.eye(3)
none = np.zeros(3)
x = np.stack([thing + state / 2, thing, pronoun, none, state])
params = {
    "wq": 4 * np.stack([pronoun, pronoun / 4, none, thing, state, none, pronoun, state], axis=1),
    "wk": np.stack([thing, state, pronoun, state], axis=1),
    "wv": np.stack([state, thing, thing, pronoun], axis=1),
    "wo": np.stack([state, thing, state, thing / 4, thing, pronoun, thing / 4, pronoun / 2]),
}
past = np.tri(5, dtype=bool)
output, weights = reference(params, x, 4, 2)
masked, masked_weights = reference(params, x, 4, 2, past)

# The row of "it" in head 0, step by step.
queries, keys, values = (split_heads(x @ params[name], heads) for name, heads in (("wq", 4), ("wk", 2), ("wv", 2)))
it_query, it_keys, it_values = queries[0, 2], keys[0], values[0]
it_products = it_keys @ it_query
it_scores = it_products / np.sqrt(2)
it_exponentials = np.exp(it_scores)
it_found = weights[0, 2] @ it_values


def contributions_of(layer: dict[str, Floats], tables: Floats) -> Floats:
    """What each of the four heads adds to the output, (4, 5, 3), given the weights (4, 5, 5)."""
    mixed = tables @ np.repeat(split_heads(x @ layer["wv"], 2), 2, axis=0)
    return mixed @ layer["wo"].reshape(4, 2, 3)


contributions = contributions_of(params, weights)
it_added = contributions[0, 2]
changes = np.linalg.norm(contributions, axis=-1)  # (4, 5): how far each row moves when a head is dropped
without = output - contributions[1]
uniform_mean = reference(params | {"wq": 0 * params["wq"]}, x, 4, 2)[0][3]

# Exercise 3: the weight of each key under queries of zeros, 4 heads and 3 tokens.
port_weight, right_weight = 1 / 4, 1 / 3

# Query head h uses key/value head h // (H/G): 6 heads on 2.
served_by = np.arange(6) // (6 // 2)
served_by_tile = np.arange(6) % 2
wide_wk = np.repeat(params["wk"].reshape(3, 2, 2), 2, axis=1).reshape(3, 8)

# A cache shaped like that of Llama 3 8B: 32 layers, heads of width 128, 16-bit numbers.
LAYERS, HEAD_WIDTH, NUMBER_BYTES, MODEL_WIDTH = 32, 128, 2, 4096
kv_heads = np.array([32, 8, 1])
token_bytes = 2 * LAYERS * kv_heads * HEAD_WIDTH * NUMBER_BYTES
gigabytes_32k = token_bytes * 32_000 / 1e9
gigabytes_128k = token_bytes * 128_000 / 1e9
free_gigabytes = 80 - 16
conversations = np.floor(free_gigabytes / gigabytes_32k)
layer_params = 2 * MODEL_WIDTH**2 + 2 * MODEL_WIDTH * kv_heads * HEAD_WIDTH

# Work of one layer, d_model 4096.
lengths = np.array([1_000, 2_000, 4_096, 8_192, 16_384, 32_000, 128_000])
costs = [attention_cost(int(n), MODEL_WIDTH) for n in lengths]
score_flops = np.array([cost.score_and_mix_flops for cost in costs], dtype=np.float64)
projection_flops = np.array([cost.projection_flops for cost in costs], dtype=np.float64)
ratios = score_flops / projection_flops
crossing = 2 * MODEL_WIDTH
scores_per_head = np.array([cost.scores_per_head for cost in costs], dtype=np.float64)
window_reach = 4_096 * 32


def interactive() -> dict[str, Any]:
    """What the page's interactive figures start from."""
    return {"heads": {"words": list(words), "weights": weights.tolist(), "parts": contributions.tolist()}}


def draw(folder: Path, *, multi_head_attention: Callable[..., Any] = reference) -> None:
    """Write heads, ablation and cost (.svg, .json, .txt), the first two of ``multi_head_attention``."""
    tables = np.asarray(multi_head_attention(params, x, 4, 2, None)[1], dtype=np.float64)
    moved = np.stack([row_changes(multi_head_attention, head) for head in range(4)])
    with drawing.styled():
        drawing.save(
            small_multiples(tables),
            folder,
            "heads",
            data={"words": words, "colour_scale": [0.0, 1.0], "weights": drawing.rounded(tables)},
            words=heads_in_words(tables),
        )
        drawing.save(
            bars(moved),
            folder,
            "ablation",
            data={"words": words, "change_of_row": drawing.rounded(moved)},
            words=ablation_in_words(moved),
        )
        drawing.save(
            lines(),
            folder,
            "cost",
            data={
                "tokens": lengths.tolist(),
                "score_and_mix_flops": score_flops.tolist(),
                "projection_flops": projection_flops.tolist(),
                "crossing": crossing,
            },
            words=cost_in_words(),
        )


def row_changes(function: Callable[..., Any], head: int) -> Floats:
    """How far each word's output row (3,) moves when the rows of wo of one head are 0, (5,)."""
    emptied = params["wo"].copy()
    emptied[2 * head : 2 * head + 2] = 0.0
    before, after = (
        np.asarray(function(layer, x, 4, 2, None)[0], dtype=np.float64) for layer in (params, params | {"wo": emptied})
    )
    return np.linalg.norm(before - after, axis=-1)


def small_multiples(tables: Floats) -> Figure:
    """Four tables of weights side by side, on one colour scale."""
    figure = drawing.new_figure(10.6, 3.3)
    for head, table in enumerate(tables):
        axes = figure.add_axes((0.095 + 0.207 * head, 0.24, 0.187, 0.6))
        rows = words if head == 0 else [""] * len(words)
        mesh = drawing.heatmap(
            axes, table, rows=rows, columns=words, title=f"head {head} (keys {head // 2})", size=8, digits=2
        )
        axes.tick_params(axis="x", labelrotation=45)
        axes.set_xlabel("key", labelpad=2)
    figure.axes[0].set_ylabel("query (one row each)", labelpad=6)
    drawing.colour_bar(figure, mesh, (0.93, 0.24, 0.014, 0.6), "weight")
    return figure


def heads_in_words(tables: Floats) -> str:
    """The small multiples in words."""
    text = [
        "Four heatmaps of attention weights stand side by side, one for each head, on one colour",
        "scale from 0 (pale yellow) to 1 (dark blue). Rows are queries, columns are keys; both are",
        f"the words {', '.join(words)}. Heads 0 and 1 share one key head, heads 2 and 3 the other.",
    ]
    for head, table in enumerate(tables):
        text += ["", f"Head {head}:"]
        text += [
            f"  row {word}: {', '.join(f'{weight:.2f}' for weight in row)}"
            for word, row in zip(words, table, strict=True)
        ]
    return "\n".join(
        [*text, "", "In every head the row of was is even: its query is zero. The dark cells differ from head to head."]
    )


def bars(moved: Floats) -> Figure:
    """How far each word's row moves without each head."""
    figure = drawing.new_figure(8.4, 3.6)
    axes = figure.add_axes((0.09, 0.2, 0.68, 0.68))
    for column, word in enumerate(words):
        places = np.arange(4) + 0.16 * (column - 2)
        axes.bar(places, moved[:, column], width=0.15, color=drawing.COLOURS[column], label=word)
    drawing.plain_axes(axes)
    axes.grid(visible=False, axis="x")
    axes.set_xticks(np.arange(4), [f"head {head}" for head in range(4)])
    axes.set_xlabel("the head that is dropped", labelpad=7)
    axes.set_ylabel("change of the output row")
    axes.set_title("Drop one head", loc="left", weight="bold", pad=9)
    figure.legend(loc="center left", bbox_to_anchor=(0.79, 0.55), title="row of")
    return figure


def ablation_in_words(moved: Floats) -> str:
    """The bars in words."""
    text = [
        "A bar chart with four groups, one for each head that is dropped. In each group five bars",
        "say how far the output row of a word moves then, as the length of the difference.",
        "",
    ]
    text += [
        f"  without head {head}: {', '.join(f'{word} {change:.2f}' for word, change in zip(words, row, strict=True))}"
        for head, row in enumerate(moved)
    ]
    return "\n".join([*text, "", "No bar is 0: a head without a preference still adds the mean of its values."])


def lines() -> Figure:
    """The two parts of a layer's work over the length of the sequence, both axes logarithmic."""
    figure = drawing.new_figure(8.4, 4.0)
    axes = figure.add_axes((0.11, 0.165, 0.84, 0.72))
    for flops, label, colour, style in (
        (score_flops, "scores and mixing, 4·n²·D", drawing.COLOURS[1], "-"),
        (projection_flops, "four projections, 8·n·D²", drawing.COLOURS[0], "--"),
    ):
        axes.loglog(lengths, flops, style, color=colour, linewidth=2, label=label)
    meeting = attention_cost(crossing, MODEL_WIDTH).projection_flops
    axes.plot([crossing], [meeting], "o", color=drawing.INK)
    axes.annotate(
        f"equal at {crossing:,} tokens", (crossing, meeting), xytext=(10, -16), textcoords="offset points", ha="left"
    )
    axes.annotate(
        f"{ratios[-1]:.1f} times as much\nat 128,000 tokens",
        (lengths[-1], score_flops[-1]),
        xytext=(-75, -4),
        textcoords="offset points",
        ha="right",
        va="center",
    )
    drawing.plain_axes(axes)
    ticks = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000]
    axes.set_xticks(ticks, [f"{n // 1000}k" for n in ticks])
    axes.minorticks_off()
    axes.set_xlabel("tokens n")
    axes.set_ylabel("FLOPs of one layer")
    axes.set_title("Work of one layer, D = 4096", loc="left", weight="bold", pad=9)
    axes.legend(loc="upper left")
    return figure


def cost_in_words() -> str:
    """The two lines in words."""
    text = [
        "A chart with logarithmic axes: tokens from 1,000 to 128,000, and FLOPs of one layer of",
        "width 4096. Two straight lines: scores and mixing rise with slope 2, the four projections",
        f"with slope 1. They cross at {crossing:,} tokens.",
        "",
    ]
    text += [
        f"  {n:>7,} tokens: scores and mixing {quadratic:.3g}, projections {linear:.3g}, ratio {ratio:.3g}"
        for n, quadratic, linear, ratio in zip(lengths, score_flops, projection_flops, ratios, strict=True)
    ]
    return "\n".join(text)
