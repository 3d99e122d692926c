"""The numbers that the page of transformers-05 states, with the three figures that show some of them.

Everything at module level is NumPy float64 from the oracle; the prose is compared with these names. Drawing starts
only when ``draw`` is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import drawing
from grader.oracle.attention import Floats
from grader.oracle.block_parts import block, block_from_parts, gelu, minus_mean, silu, swiglu
from grader.oracle.norms import layer_norm, rms_norm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# ---- norms by hand ------------------------------------------------------------------------------------------

ROW = np.array([1.0, 7.0, 7.0, 1.0])
numbers = np.stack([ROW, ROW + 10.0, 3.0 * ROW])
ones, zeros = np.ones(4), np.zeros(4)
mean, variance, mean_square = ROW.mean(), ROW.var(), np.square(ROW).mean()
deviation, root_mean_square = np.sqrt(variance), np.sqrt(mean_square)
layer_row, rms_row = minus_mean(ROW) / deviation, ROW / root_mean_square
layer_normed = layer_norm(numbers, ones, zeros, 1e-5)
rms_normed = rms_norm(numbers, ones, 1e-5)
shifted_mean_square = np.square(numbers[1]).mean()
sample_variance = ROW.var(ddof=1)
token_mean = numbers.mean(axis=0)

# Gain and bias, on the same row.
gain, bias = np.array([2.0, 1.0, 0.5, 0.0]), np.array([0.0, 0.0, 5.0, 5.0])
affine_row = gain * layer_row + bias
gain_first = layer_norm(gain * ROW, ones, zeros, 0.0)

# Where eps stands: a variance of 3 with an eps of 1.
inside_root, outside_root = np.sqrt(3.0 + 1.0), np.sqrt(3.0) + 1.0
tiny_row = np.array([1.0, -1.0]) / 1000
tiny_normed = rms_norm(tiny_row, np.ones(2), 1e-5)

# ---- the gated MLP --------------------------------------------------------------------------------------------

GATES = np.array([-4.0, -1.0, 0.0, 1.0, 4.0])
gate_values = silu(GATES)
silu_at_minus_one, gelu_at_minus_one = float(silu(-1.0)), float(gelu(-1.0))
silu_at_two = float(silu(2.0))
hand_x, hand_gate, hand_up = np.array([1.0, 2.0]), np.array([1.0, -1.0]), np.array([4.0, -1.0])
hand_product = float(silu(hand_x @ hand_gate) * (hand_x @ hand_up))
swapped_product = float(silu(hand_x @ hand_up) * (hand_x @ hand_gate))
bent_product = float(silu((hand_x @ hand_gate) * (hand_x @ hand_up)))
lowest_at = float(np.linspace(-3, 0, 30001)[silu(np.linspace(-3, 0, 30001)).argmin()])
lowest = float(silu(lowest_at))

# What an MLP costs: two matrices of D · 4D, or three of D · F.
plain_params = 2 * 4096 * 4 * 4096
equal_width = 8 / 3 * 4096
llama_two = 3 * 4096 * 11008
llama_three = 3 * 4096 * 14336
attention_params = 2 * 4096 * 128 * (32 + 8)
layer_params = np.array([2 * 4096, attention_params, llama_three])
mlp_share = llama_three / layer_params.sum()
all_layers = 32 * layer_params.sum()

# ---- the lesson's block -----------------------------------------------------------------------------------------


def waves(start: int, rows: int, columns: int) -> Floats:
    """The lesson's numbers between -1 and 1, (rows, columns)."""
    return np.sin(np.arange(start, start + rows * columns).reshape(rows, columns))


params = {
    "norm_attention": np.array([1.0, 0.5, 2.0, 1.0]),
    "wq": waves(0, 4, 6),
    "wk": waves(30, 4, 2),
    "wv": waves(40, 4, 2),
    "wo": waves(50, 6, 4),
    "norm_mlp": np.array([2.0, 1.0, 1.0, 0.5]),
    "w_gate": waves(80, 4, 5),
    "w_up": waves(100, 4, 5),
    "w_down": waves(120, 5, 4),
}
x = np.array([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, -1.0, 2.0]])
attention_only = params | {"w_down": np.zeros((5, 4))}
output = block(params, x, 3, 1)
change = block(attention_only, x, 3, 1) - x
scaled_change = block(attention_only, 8 * x, 3, 1) - 8 * x
whole_change = output - x
whole_scaled = block(params, 8 * x, 3, 1) - 8 * x

# Exercise 2.
stored = np.array([-0.5, 0.0, 0.5, 1.0])
from_stored = rms_norm(numbers, 1 + stored, 1e-5)
stored_as_gain = rms_norm(numbers, stored, 1e-5)

# Exercise 3.
half = (params["norm_mlp"], params["w_gate"], params["w_up"], params["w_down"])
from_repair = x + swiglu(rms_norm(x, half[0], 0.1), *half[1:])

# ---- 24 layers --------------------------------------------------------------------------------------------------

LAYERS, TOKENS, WIDTH, HIDDEN, HEADS, KV_HEADS = 24, 16, 64, 168, 4, 2
FLOAT32_MAX = float(np.finfo(np.float32).max)
Block = Callable[..., Any]


def random_layer(rng: np.random.Generator) -> dict[str, Floats]:
    """Params of one block with gains of 1 and weights that keep the size of what passes."""
    head = WIDTH // HEADS
    shapes = {
        "wq": (WIDTH, HEADS * head),
        "wk": (WIDTH, KV_HEADS * head),
        "wv": (WIDTH, KV_HEADS * head),
        "wo": (HEADS * head, WIDTH),
        "w_gate": (WIDTH, HIDDEN),
        "w_up": (WIDTH, HIDDEN),
        "w_down": (HIDDEN, WIDTH),
    }
    weights = {name: rng.normal(size=shape) / np.sqrt(shape[0]) for name, shape in shapes.items()}
    return weights | {"norm_attention": np.ones(WIDTH), "norm_mlp": np.ones(WIDTH)}


def stream_sizes(one: Block, *, seed: int = 0) -> Floats:
    """The root mean square of the stream before the first and after each of 24 random blocks, (25,)."""
    rng = np.random.default_rng(seed)
    stream = rng.normal(size=(TOKENS, WIDTH))
    sizes = [np.sqrt(np.square(stream).mean())]
    with np.errstate(all="ignore"):
        for _ in range(LAYERS):
            stream = np.asarray(one(random_layer(rng), stream, HEADS, KV_HEADS), dtype=np.float64)
            sizes.append(np.sqrt(np.square(stream).mean()))
    return np.array(sizes)


def normed_after(x: Floats, attention: Block, mlp: Block, norm_attention: Block, norm_mlp: Block) -> Floats:
    """Post-norm wiring."""
    attended = norm_attention(x + attention(x))
    return np.asarray(norm_mlp(attended + mlp(attended)))


def never_normed(x: Floats, attention: Block, mlp: Block, norm_attention: Block, norm_mlp: Block) -> Floats:
    """Wiring without norms."""
    attended = x + attention(x)
    return np.asarray(attended + mlp(attended))


without_norm = stream_sizes(block_from_parts(wire=never_normed))
with_post_norm = stream_sizes(block_from_parts(wire=normed_after))
with_pre_norm = stream_sizes(block)
last_in_float32 = int(np.flatnonzero(without_norm <= FLOAT32_MAX).max())  # layers that float32 survives
overflow_layer = last_in_float32 + 1

# ---- figures ----------------------------------------------------------------------------------------------------

SHOWN = np.array([2.0, -2.0, 1.0, 4.0, -1.0, 2.0])
shown_layer = layer_norm(SHOWN, np.ones(6), np.zeros(6), 0.0)
shown_rms = rms_norm(SHOWN, np.ones(6), 0.0)
shown_mean, shown_deviation = SHOWN.mean(), SHOWN.std()
shown_size = np.sqrt(np.square(SHOWN).mean())


def interactive() -> dict[str, Any]:
    """What the page's interactive figures start from."""
    return {"norms": {"row": SHOWN.tolist(), "gain": [1.0] * 6, "bias": [0.0] * 6, "eps": 0.1}}


def draw(
    folder: Path,
    *,
    layer_norm: Callable[..., Any] = layer_norm,
    rms_norm: Callable[..., Any] = rms_norm,
    swiglu: Callable[..., Any] = swiglu,
    block: Block = block,
) -> None:
    """Write two-norms, gates and stream-size, each as .svg, .json and .txt, drawn from these functions."""
    row = SHOWN[None]
    bars = {
        "the row": SHOWN,
        "layer norm": first_row(layer_norm(row, np.ones(6), np.zeros(6), 1e-9)),
        "RMS norm": first_row(rms_norm(row, np.ones(6), 1e-9)),
    }
    at = np.linspace(-5, 5, 101)
    curves = {"SiLU": measured_gate(swiglu, at), "GELU": gelu(at), "ReLU": np.maximum(at, 0.0)}
    sizes = {"no norm": without_norm, "post-norm": with_post_norm, "pre-norm": stream_sizes(block)}
    with drawing.styled():
        drawing.save(norm_bars(bars), folder, "two-norms", data=listed(bars), words=bars_in_words(bars))
        gates = {"at": at, **curves}
        drawing.save(gate_curves(gates), folder, "gates", data=listed(gates), words=gates_in_words(gates))
        drawing.save(size_curves(sizes), folder, "stream-size", data=sizes_listed(sizes), words=sizes_in_words(sizes))


def first_row(rows: Any) -> Floats:
    """Row 0 of what a function gave, as float64."""
    return np.asarray(rows, dtype=np.float64)[0]


def measured_gate(swiglu: Callable[..., Any], at: Floats) -> Floats:
    """What one gate lets through at these numbers, read out of the MLP."""
    rows = np.stack([at, np.ones_like(at)], axis=1)
    first, second = np.eye(2)
    return np.asarray(swiglu(rows, first[:, None], second[:, None], first[None]), dtype=np.float64)[:, 0]


def listed(lines: Mapping[str, Floats]) -> dict[str, object]:
    """Arrays by name, for the data file."""
    return {name: drawing.rounded(values, 4) for name, values in lines.items()}


def norm_bars(bars: Mapping[str, Floats]) -> Figure:
    """Three bar charts on one scale, each with its mean as a line."""
    figure = drawing.new_figure(8.4, 3.3)
    for place, (title, values) in enumerate(bars.items()):
        axes = figure.add_axes((0.06 + 0.315 * place, 0.14, 0.29, 0.68))
        drawing.plain_axes(axes)
        axes.bar(np.arange(6), values, color=drawing.COLOURS[place], width=0.65)
        axes.axhline(0.0, color=drawing.INK, linewidth=0.8)
        axes.axhline(values.mean(), color=drawing.INK, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.set_ylim(-2.6, 4.6)
        axes.set_xticks(np.arange(6))
        if place:
            axes.set_yticklabels([])
        axes.set_title(title, loc="left", weight="bold", pad=20)
        size = np.sqrt(np.square(values).mean())
        axes.text(
            0.0,
            1.02,
            f"mean {values.mean() + 0.0:.2f}, rms {size:.2f}",
            transform=axes.transAxes,
            va="bottom",
            size=9.5,
        )
    return figure


def bars_in_words(bars: Mapping[str, Floats]) -> str:
    """The bars for a reader who does not see them."""
    lines = [
        "Three bar charts of six numbers each stand side by side on one vertical scale. A dashed",
        "line marks the mean; mean and root mean square (rms) are written above.",
    ]
    for title, values in bars.items():
        size = np.sqrt(np.square(values).mean())
        lines += ["", f"{title}: {', '.join(f'{number + 0.0:.3g}' for number in np.round(values, 6))}"]
        lines += [f"  mean {values.mean() + 0.0:.2f}, rms {size:.2f}"]
    lines += [
        "",
        "Layer norm moves the bars so that they balance around 0, then rescales them. RMS norm only",
        "rescales: every bar keeps its sign and all ratios of heights stay.",
    ]
    return "\n".join(lines)


def gate_curves(curves: Mapping[str, Floats]) -> Figure:
    """Three activation functions over one axis."""
    figure = drawing.new_figure(7.0, 3.9)
    axes = figure.add_axes((0.09, 0.15, 0.87, 0.78))
    drawing.plain_axes(axes)
    for place, style in enumerate(("-", (0, (5, 2)), (0, (1, 1.5)))):
        name = ("SiLU", "GELU", "ReLU")[place]
        axes.plot(curves["at"], curves[name], color=drawing.COLOURS[place], linewidth=2.2, linestyle=style, label=name)
    axes.plot([-1.0], [curves["SiLU"][40]], "o", color=drawing.COLOURS[0])
    axes.annotate(
        f"SiLU(-1) = {curves['SiLU'][40]:.3f}",
        (-1.0, curves["SiLU"][40]),
        (-4.3, 1.0),
        arrowprops={"arrowstyle": "-", "color": drawing.INK},
    )
    axes.set_xlabel("what arrives at the gate")
    axes.set_ylabel("what it lets through")
    axes.legend(loc="upper left")
    return figure


def gates_in_words(curves: Mapping[str, Floats]) -> str:
    """The curves for a reader who does not see them."""
    lines = [
        "Three curves over numbers from -5 to 5. All three follow the diagonal far to the right and",
        "zero far to the left; they differ in the middle.",
        "",
        "      at   SiLU    GELU    ReLU",
    ]
    for index in range(0, 101, 10):
        values = "  ".join(f"{curves[name][index] + 0.0:6.3f}" for name in ("SiLU", "GELU", "ReLU"))
        lines.append(f"  {curves['at'][index]:6.1f}  {values}")
    lines += ["", "SiLU dips below zero most deeply and longest, GELU less, ReLU not at all; only ReLU has a corner."]
    return "\n".join(lines)


def size_curves(sizes: Mapping[str, Floats]) -> Figure:
    """The size of the stream after each layer: all three on a logarithmic axis, the two norms on a plain one."""
    figure = drawing.new_figure(8.4, 3.9)
    colours = dict(zip(sizes, (drawing.COLOURS[1], drawing.COLOURS[4], drawing.COLOURS[0]), strict=True))
    markers = dict(zip(sizes, "osD", strict=True))
    normed = {name: values for name, values in sizes.items() if name != "no norm"}
    panels = ((0.1, 0.4, "all three", sizes), (0.6, 0.36, "with norms", normed))
    for left, width, title, shown in panels:
        axes = figure.add_axes((left, 0.15, width, 0.72))
        drawing.plain_axes(axes)
        for name, values in shown.items():
            style = {"color": colours[name], "marker": markers[name], "markersize": 4, "linewidth": 1.8}
            axes.plot(np.arange(len(values)), values, label=name, **style)
        axes.set_xlim(-0.5, LAYERS + 0.5)
        axes.set_xlabel("layers passed")
        axes.set_title(title, loc="left", weight="bold", pad=9)
    both, plain = figure.axes
    both.axhline(FLOAT32_MAX, color=drawing.INK, linewidth=1.0, linestyle=(0, (4, 3)))
    both.text(LAYERS, FLOAT32_MAX / 8, "largest float32", ha="right", va="top")
    both.set_yscale("log")
    both.set_ylim(0.3, 1e41)
    both.set_ylabel("rms of the stream")
    both.legend(loc="center right")
    plain.set_ylim(0.0, 6.0)
    return figure


def sizes_listed(sizes: Mapping[str, Floats]) -> dict[str, object]:
    """The drawn data; what no float32 holds is null."""
    return {
        name: [float(f"{value:.4g}") if value <= FLOAT32_MAX else None for value in values]
        for name, values in sizes.items()
    }


def sizes_in_words(sizes: Mapping[str, Floats]) -> str:
    """The curves for a reader who does not see them."""
    lines = [
        f"Three curves over {LAYERS} layers: the root mean square of the numbers in the stream. On the left",
        "all three on a logarithmic axis up to 1e41, where a dashed line marks the largest float32, 3.4e38;",
        "on the right the two with norms on a plain axis from 0 to 6.",
        "",
        "  layers  " + "  ".join(f"{name:>10}" for name in sizes),
    ]
    for layer in (0, 1, 2, 4, 6, 7, 8, 12, 16, 20, 24):
        cells = [
            f"{values[layer]:10.3g}" if values[layer] <= FLOAT32_MAX else "  overflow" for values in sizes.values()
        ]
        lines.append(f"  {layer:6d}  " + "  ".join(cells))
    lines += [
        "",
        "Without a norm the curve bends upwards and leaves float32 within a few layers. Post-norm stays",
        "at 1. Pre-norm rises slowly and ever more flatly.",
    ]
    return "\n".join(lines)
