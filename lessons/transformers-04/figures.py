"""The numbers that the page of transformers-04 states, with three figures: the encoding, the wheels, the scores.

Everything at module level is NumPy float64 from the oracle; the prose is compared with these names. Drawing starts
only when ``draw`` is called.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grader import drawing
from grader.oracle import positions as oracle
from grader.oracle.attention import scaled_dot_product_attention
from grader.oracle.positions import CONVENTIONS, HALVES, Complex, Floats, frequencies, scores_by_distance
from grader.oracle.positions_parts import HALVES as IN_HALVES
from grader.oracle.positions_parts import NEIGHBOURS as IN_NEIGHBOURS
from grader.oracle.positions_parts import Pairing, rope_from_parts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Three words without positions: "bites" gets the same from dog bites man as from man bites dog.
words = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
biting = scaled_dot_product_attention(words, words, words)[0]
bitten = scaled_dot_product_attention(words[::-1], words[::-1], words[::-1])[0]

# The encoding by hand: two frequencies, six positions.
small_frequencies = frequencies(4, 10000.0)
encoding = oracle.sinusoid(6, 4)
products = encoding @ encoding.T
row_length = np.sqrt((encoding[0] ** 2).sum())

# One pair as a hand on a dial: turned by 1 and by 2 radians, and by a quarter turn.
hand = np.array([1.0, 0.0])
quarter_turn = np.array([0.0, 1.0])
turned_once = np.array([np.cos(1), np.sin(1)])
turned_twice = np.array([np.cos(2), np.sin(2)])
one_apart = turned_twice @ turned_once

# The worked rotation: width 4, base 100.
row = np.array([1.0, 0.0, 0.0, 2.0])
row_frequencies = frequencies(4, 100.0)
row_turned = oracle.rope(row[None, None], [1], 100.0)[0, 0]
row_turned_in_halves = oracle.rope(row[None, None], [1], 100.0, HALVES)[0, 0]
stretched_pair = np.array([np.cos(1) + np.sin(1), np.sin(1) + np.cos(1)])

# The experiments: one vector twice, 8 to 0 positions apart.
ones = np.ones(4)
distances = np.arange(8, -1, -1)
scores = scores_by_distance(ones, ones, distances, 100.0)

# Exercise 1.
query, key = np.array([2.0, 1.0, 0.0, -1.0]), np.array([1.0, -1.0, 2.0, 1.0])
places = np.array([[5, 3], [42, 40], [9, 3]])
own_scores = scores_by_distance(query, key, places[:, 0] - places[:, 1], 100.0)
without_positions = query @ key

# Exercise 2: place p of half-split code takes coordinate to_halves[p].
to_halves = np.array([0, 2, 4, 6, 1, 3, 5, 7])

# Exercise 3: frequencies laid out for neighbours, partners taken from the other half.
sample = np.array([[[1.0, 2.0, 3.0, 0.0]], [[0.0, 1.0, -1.0, 2.0]], [[3.0, 0.0, 1.0, 1.0]]])
sample_lengths = np.linalg.norm(sample, axis=-1)
broken = rope_from_parts(pairing=Pairing(IN_HALVES.split, IN_HALVES.join, IN_NEIGHBOURS.index))
broken_lengths = np.linalg.norm(broken(sample, np.array([0, 1, 5]), 100.0), axis=-1)

# Wavelengths of a head of width 128, in positions for a whole turn.
wavelengths_10000 = 2 * np.pi / frequencies(128, 10000.0)
wavelengths_500000 = 2 * np.pi / frequencies(128, 500000.0)

# A learned table as GPT-2 has it.
learned_parameters = 1024 * 768

# The wheels: four pairs, base 100, positions 0 to 8.
WHEEL_WIDTH, WHEEL_BASE, WHEEL_POSITIONS = 8, 100.0, 9
wheel_frequencies = frequencies(WHEEL_WIDTH, WHEEL_BASE)

# The curves: width 64, distances 0 to 128, three bases.
CURVE_WIDTH, CURVE_BASES, CURVE_LENGTH = 64, (100.0, 10000.0, 500000.0), 129
curves = np.stack(
    [
        scores_by_distance(np.ones(CURVE_WIDTH), np.ones(CURVE_WIDTH), np.arange(CURVE_LENGTH), base) / CURVE_WIDTH
        for base in CURVE_BASES
    ]
)

# The matrix: as many positions as one can tell apart on a page.
MATRIX_LENGTH, MATRIX_WIDTH = 32, 16


def interactive() -> dict[str, Any]:
    """What the page's interactive figures start from."""
    return {
        "rope-wheel": {
            "width": WHEEL_WIDTH,
            "base": WHEEL_BASE,
            "bases": [10.0, 100.0, 10000.0],
            "frequencies": drawing.rounded(wheel_frequencies, 9),
            "positions": 64,
            "query": [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0],
            "key": [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0],
            "query_position": 8,
            "key_position": 3,
            "pairs": [[2 * pair, 2 * pair + 1] for pair in range(WHEEL_WIDTH // 2)],
        }
    }


# ---- drawing -----------------------------------------------------------------------------


def draw(
    folder: Path,
    *,
    sinusoid: Callable[..., Any] = oracle.sinusoid,
    rope: Callable[..., Any] = oracle.rope,
) -> None:
    """Write sinusoid-matrix, pair-wheels and score-by-distance: .svg, .json (the data drawn), .txt (in words)."""
    matrix = np.asarray(sinusoid(MATRIX_LENGTH, MATRIX_WIDTH), dtype=np.float64)
    wheels = turned_pairs(rope)
    lines = measured_curves(rope)
    with drawing.styled():
        drawing.save(
            matrix_figure(matrix),
            folder,
            "sinusoid-matrix",
            data={"rows": "positions", "columns": "coordinates", "encoding": drawing.rounded(matrix, 4)},
            words=matrix_in_words(matrix),
        )
        drawing.save(
            wheels_figure(wheels),
            folder,
            "pair-wheels",
            data={
                "width": WHEEL_WIDTH,
                "base": WHEEL_BASE,
                "radians_per_position": drawing.rounded(wheel_frequencies),
                "hands": [
                    {"pair": pair, "x": drawing.rounded(hands.real), "y": drawing.rounded(hands.imag)}
                    for pair, hands in enumerate(wheels.T)
                ],
            },
            words=wheels_in_words(wheels),
        )
        drawing.save(
            curves_figure(lines),
            folder,
            "score-by-distance",
            data={
                "width": CURVE_WIDTH,
                "distance": list(range(CURVE_LENGTH)),
                "score_over_width": {
                    f"base {base:g}": drawing.rounded(line, 4) for base, line in zip(CURVE_BASES, lines, strict=True)
                },
            },
            words=curves_in_words(lines),
        )


def turned_pairs(rope: Callable[..., Any]) -> Complex:
    """The hand (1, 0) of every pair at positions 0 to 8, (9, 4), whichever pairing ``rope`` has."""
    positions = np.arange(WHEEL_POSITIONS)
    found = []
    for convention in CONVENTIONS:
        x = np.tile(convention.to_real(np.ones(WHEEL_WIDTH // 2, dtype=complex)), (WHEEL_POSITIONS, 1, 1))
        turned = np.asarray(rope(x, positions, WHEEL_BASE), dtype=np.float64)
        hands = convention.to_complex(turned)[:, 0]
        right = oracle.rope(x, positions, WHEEL_BASE, convention)
        found.append((float(np.abs(turned - right).max()), hands.conj() if convention.backwards else hands))
    return min(found, key=lambda one: one[0])[1]


def measured_curves(rope: Callable[..., Any]) -> Floats:
    """Scores over width of a row of ones with itself, by distance, a row for each base."""
    x = np.ones((CURVE_LENGTH, 1, CURVE_WIDTH))
    lines = []
    for base in CURVE_BASES:
        rotated = np.asarray(rope(x, np.arange(CURVE_LENGTH), base), dtype=np.float64)[:, 0]
        lines.append(rotated @ rotated[0] / CURVE_WIDTH)
    return np.stack(lines)


def matrix_figure(matrix: Floats) -> Figure:
    """The encoding as colours: a row for each position."""
    figure = drawing.new_figure(7.6, 4.6)
    axes = figure.add_axes((0.1, 0.13, 0.72, 0.74))
    mesh = axes.pcolormesh(matrix, cmap=drawing.COLOUR_MAP, vmin=-1, vmax=1, edgecolors="face", linewidth=0.5)
    axes.invert_yaxis()
    axes.set_title(f"sinusoid({MATRIX_LENGTH}, {MATRIX_WIDTH})", loc="left", weight="bold", pad=9)
    axes.set_xlabel("column")
    axes.set_ylabel("position")
    axes.set_xticks(np.arange(0, MATRIX_WIDTH, 2) + 0.5, [str(n) for n in range(0, MATRIX_WIDTH, 2)])
    axes.set_yticks(np.arange(0, MATRIX_LENGTH, 4) + 0.5, [str(n) for n in range(0, MATRIX_LENGTH, 4)])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    drawing.colour_bar(figure, mesh, (0.86, 0.13, 0.022, 0.74), "value")
    return figure


def matrix_in_words(matrix: Floats) -> str:
    """The matrix for a reader who does not see it."""
    changes = (np.abs(np.diff(matrix, axis=0)).max(axis=0)).reshape(-1)
    return "\n".join(
        [
            f"A heatmap of {len(matrix)} rows, one for each position, and {matrix.shape[1]} columns. The colour runs",
            "from -1 (pale yellow) over 0 (blue-green) to 1 (dark blue). The columns on the left change from row to",
            "row; going to the right the stripes grow longer, and the columns on the right keep one colour from top to",
            "bottom: blue-green for sines near 0, dark blue for cosines near 1.",
            "",
            "Largest change from one position to the next, column by column:",
            f"  {', '.join(f'{change:.3g}' for change in changes)}",
        ]
    )


def wheels_figure(wheels: Complex) -> Figure:
    """Four dials, one for each pair, with the hand at every position."""
    figure = drawing.new_figure(9.2, 2.9)
    for pair, hands in enumerate(wheels.T):
        axes = figure.add_axes((0.025 + 0.245 * pair, 0.03, 0.215, 0.78))
        dial(axes, hands)
        axes.set_title(f"pair {pair}\n{wheel_frequencies[pair]:.3g} rad a position", size=10, weight="bold", pad=4)
    return figure


def dial(axes: Axes, hands: Complex) -> None:
    """A circle with a dot for every position, numbered, and the hand of the last one."""
    from matplotlib.patches import Circle

    axes.add_patch(Circle((0, 0), 1, fill=False, edgecolor=drawing.RULE, linewidth=1.5))
    axes.plot([0, 1], [0, 0], color=drawing.RULE, linewidth=1.5)
    axes.plot([0, hands[-1].real], [0, hands[-1].imag], color=drawing.COLOURS[0], linewidth=2)
    axes.scatter(hands.real, hands.imag, color=drawing.COLOURS[0], s=16, zorder=3)
    crowded = abs(hands[1] - hands[0]) < 0.15
    for position, place in enumerate(hands):
        if not crowded or position in (0, len(hands) - 1):
            outside = 1.17 * place
            axes.text(outside.real, outside.imag, str(position), ha="center", va="center", size=8.5)
    axes.set(xlim=(-1.32, 1.32), ylim=(-1.32, 1.32), aspect="equal")
    axes.axis("off")


def wheels_in_words(wheels: Complex) -> str:
    """The wheels for a reader who does not see them."""
    lines = [
        f"Four circles stand side by side, one for each pair of a row of width {WHEEL_WIDTH}, base {WHEEL_BASE:g}.",
        "A hand starts at the right, pointing along the first coordinate, and turns counter-clockwise. Dots",
        f"numbered 0 to {WHEEL_POSITIONS - 1} mark where it stands at each position.",
        "",
    ]
    for pair, hands in enumerate(wheels.T):
        degrees = np.rad2deg(wheel_frequencies[pair] * (WHEEL_POSITIONS - 1))
        where = f"({hands[-1].real:.3g}, {hands[-1].imag:.3g})"
        lines.append(
            f"pair {pair}: {wheel_frequencies[pair]:.3g} radians a position; at position {WHEEL_POSITIONS - 1} it has "
            f"turned by {degrees:.0f} degrees and points to {where}."
        )
    return "\n".join(lines)


def curves_figure(lines: Floats) -> Figure:
    """Score against distance, a line for each base."""
    figure = drawing.new_figure(7.6, 3.8)
    axes = figure.add_axes((0.1, 0.16, 0.86, 0.7))
    drawing.plain_axes(axes)
    styles = ("-", "--", ":")
    for base, line, colour, style in zip(CURVE_BASES, lines, drawing.COLOURS, styles, strict=False):
        axes.plot(line, color=colour, linestyle=style, linewidth=1.8, label=f"base {base:,.0f}")
    axes.axhline(0, color=drawing.INK, linewidth=0.8)
    axes.set_title("Score of a row with itself, width 64", loc="left", weight="bold", pad=9)
    axes.set_xlabel("distance between query and key, in positions")
    axes.set_ylabel("score / width")
    axes.set(xlim=(0, CURVE_LENGTH - 1), ylim=(-0.4, 1.05))
    axes.legend(loc="upper right")
    return figure


def curves_in_words(lines: Floats) -> str:
    """The curves for a reader who does not see them."""
    told = [
        "A line chart: the score of a row of ones (width 64) with itself, over the width, against the distance 0 to",
        "128. Three lines, for the bases 100, 10,000 and 500,000. All start at 1 and fall with ripples; the larger the",
        "base, the higher the line stays.",
        "",
    ]
    for base, line in zip(CURVE_BASES, lines, strict=True):
        values = ", ".join(f"{line[distance]:.3f} at {distance}" for distance in (0, 1, 2, 4, 8, 16, 32, 64, 128))
        told.append(f"base {base:,.0f}: {values}; lowest {line.min():.3f} at {int(line.argmin())}")
    return "\n".join(told)
