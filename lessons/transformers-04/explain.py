"""What each check asks: a question, the relation, and the smallest numbers that show it."""

import numpy as np

from grader.narration import explains, number, row, table
from grader.oracle.positions import HALVES, frequencies, rope, sinusoid
from grader.oracle.positions_parts import HALVES as IN_HALVES
from grader.oracle.positions_parts import NEIGHBOURS as IN_NEIGHBOURS
from grader.oracle.positions_parts import Pairing, rope_from_parts

# Not the rows of main.py: an explanation must not answer a prediction.
BASE = 100.0
ROW = np.array([3.0, 0.0, 1.0, 2.0])
OTHER = np.array([1.0, 1.0, -2.0, 0.0])
COORDINATES = ("0", "1", "2", "3")
COLUMNS = ("sin", "cos", "sin", "cos")


def turned(x, position, base=BASE):
    """One row (d,) at one position."""
    return rope(np.asarray(x, dtype=float)[None, None], [position], base)[0, 0]


# ---- sinusoid --------------------------------------------------------------------------------


@explains(
    "sinusoid_shape",
    asks="How many rows has a table for T positions, and how wide is each?",
    formula="T, D → (T, D)",
    look="the last line of sinusoid: the reshape, and what is returned",
)
def rows_and_columns():
    """A row for each position, as wide as asked: sinusoid(length, width) has length rows and width columns."""
    shapes = [sinusoid(11, 8).shape, sinusoid(5, 6).shape]
    yield table("Shapes", shapes, columns=["rows", "columns"], rows=["sinusoid(11, 8)", "sinusoid(5, 6)"])


@explains(
    "position_zero",
    asks="Which angle does position 0 have in each pair?",
    formula="E₀ = (sin 0, cos 0, sin 0, cos 0, …)",
    look="the lines angles = … and encoding = …: do positions start at 0, does the sine come first?",
)
def zero_row():
    """At position 0 every angle is 0. So each pair holds sin 0 and cos 0, in this order."""
    yield table("Sine and cosine of 0", [np.sin(0), np.cos(0)], columns=["sine", "cosine"])
    yield f"With positions from 1 the first pair would begin with {row([np.sin(1), np.cos(1)])}."


@explains(
    "unit_circle",
    asks="Do the two columns of a pair belong to the same angle?",
    formula="E(p, 2j)² + E(p, 2j + 1)² = 1",
    look="the line frequencies = …: D/2 of them, each used for a sine and a cosine",
)
def on_the_circle():
    """Sine and cosine of one angle: their squares sum to 1, at every position and in every pair."""
    table_of = sinusoid(4, 4)
    sums = np.stack([table_of[:, :2], table_of[:, 2:]], axis=1) ** 2
    yield table("Sums of squares", sums.sum(axis=-1), columns=["pair 0", "pair 1"])
    yield f"Of two different angles, 2 and 1/5, it would be {number(np.sin(2) ** 2 + np.cos(0.2) ** 2)}."


@explains(
    "fastest_columns",
    asks="What is 10000 to the power 0?",
    formula="θ₀ = 10000⁰ = 1, so the first pair is (sin p, cos p)",
    look="the line frequencies = …: does j start at 0?",
)
def first_columns():
    """The first pair turns by 1 radian a position: at position p its angle is p."""
    places = np.arange(4, 8)
    yield table("First pair", sinusoid(8, 4)[4:, :2], columns=["sin p", "cos p"], rows=[f"p = {p}" for p in places])


@explains(
    "column_frequencies",
    asks="How many pairs are there, and how far does the exponent get by the last one?",
    formula="θⱼ = 10000^(-2j/D)",
    look="the line frequencies = …: is it j that is doubled, once, and D that it is divided by?",
)
def angles_of_row_one():
    """At position 1 the angle of pair j is its frequency, 10000^(-2j/D). It can be read from the sine and cosine."""
    encoded = sinusoid(2, 6)[1]
    found = np.arctan2(encoded[0::2], encoded[1::2])
    right = frequencies(6, 10000.0)
    names = ["read from row 1", "10000^(-2j/6)"]
    yield table("Width 6", [found, right], columns=["pair 0", "pair 1", "pair 2"], rows=names)


@explains(
    "prefix",
    asks="What has the number of rows to do with the row of position 3?",
    formula="sinusoid(5, D) = sinusoid(11, D)[:5]",
    look="the line angles = …: no length in it but for counting positions",
)
def first_rows():
    """A row depends on its position, not on how many rows there are."""
    yield table("Position 3", [sinusoid(5, 4)[3], sinusoid(11, 4)[3]], columns=COLUMNS, rows=["of 5", "of 11"])


@explains(
    "products_by_distance",
    asks="What is cos a · cos b + sin a · sin b?",
    formula="Eₚ · Eₚ₊ₖ = ∑ⱼ cos(k θⱼ)",
    look="whether both columns of a pair have the same angle, and angles grow evenly with the position",
)
def equal_products():
    """The product of two rows depends only on how far apart they are."""
    encoded = sinusoid(8, 4)
    places = [(0, 3), (2, 5), (4, 7)]
    cells = [[p, k, encoded[p] @ encoded[k]] for p, k in places]
    yield table("Three positions apart", cells, columns=["position", "position", "product"])
    yield f"cos 3 + cos(3/100) is {number(np.cos(3) + np.cos(0.03))}."


@explains(
    "sinusoid_oracle",
    asks="Which of the relations has not yet seen this number?",
    formula="E(p, 2j) = sin(p θⱼ), E(p, 2j + 1) = cos(p θⱼ)",
    look="sinusoid, line by line, with D = 2: one pair of columns",
)
def another_calculation():
    """The same table computed another way: sines and cosines in NumPy, at double precision."""
    yield table("sinusoid(3, 2)", sinusoid(3, 2), columns=["sin", "cos"], rows=["0", "1", "2"])


@explains(
    "far_rows",
    asks="How many digits does an angle of 4095 radians need, to be right to a thousandth?",
    formula="sinusoid(4096, D)[4095] = sin, cos of 4095 θⱼ",
    look="any astype or dtype= in sinusoid",
)
def last_rows():
    """Rows far down are as exact as the first; in 16 bits they are not."""
    angle = 4095.0
    cells = [[angle, np.sin(angle)], [angle + 1, np.sin(angle + 1)]]
    yield table("Position 4095", cells, columns=["angle", "sine"], rows=["float32", "16 bits"])


@explains(
    "sinusoid_under_jit",
    "rope_under_jit",
    asks="Does any line need the numbers themselves, or only their shapes?",
    formula="jit(f)(…) = f(…)",
    look="if, for and float(…) on array values",
)
def compiled():
    """Compiled by jax.jit the function gives the same values. Sizes and the base may be plain numbers."""
    yield "Under jit, arrays have shapes and no values yet. Shapes may decide what is done, values may not."


@explains(
    "sinusoid_layout",
    asks="Do your sines and cosines alternate, or do all sines come first?",
    formula="(sin, cos, sin, cos) or (sin, sin, cos, cos)",
    look="the line encoding = …: stack and reshape, or concatenate",
)
def two_layouts():
    """Both layouts hold the same numbers. The report names yours, and either is right."""
    names = ["alternating", "sines first"]
    both = [sinusoid(3, 4)[2], sinusoid(3, 4, HALVES)[2]]
    yield table("Position 2", both, columns=COORDINATES, rows=names)


# ---- rope ------------------------------------------------------------------------------------


@explains(
    "rope_shape",
    asks="What does a rotation change of a shape?",
    formula="(T, H, d), (T,) → (T, H, d)",
    look="the last line of rope; and angles, which need an axis of size 1 for the heads",
)
def same_shape():
    """What comes back has the shape of x, for any number of tokens and heads."""
    shapes = [[5, 3, 8, "(5, 1, 4)"], [4, 7, 12, "(4, 1, 6)"]]
    yield table("Shapes", shapes, columns=["T", "H", "d", "angles"])


@explains(
    "identity_at_zero",
    asks="Which angle has position 0, and what does a turn by it do?",
    formula="rope(x, 0, base) = x",
    look="the line angles = …: is it made of positions? Then the two lines of the turn, and the last line",
)
def nothing_at_zero():
    """At position 0 every angle is 0: the cosine is 1, the sine 0, and x comes back as it was."""
    yield table("Position 0", [ROW, turned(ROW, 0)], columns=COORDINATES, rows=["x", "turned"])
    yield table("Position 1", [turned(ROW, 1)], columns=COORDINATES, rows=["turned"])


@explains(
    "lengths_kept",
    asks="How long is an arrow after it was turned?",
    formula="a'² + b'² = a² + b², for each pair",
    look="the minus sign of the first coordinate; whether both coordinates of a pair have the same angle",
)
def lengths():
    """A rotation keeps lengths: of each pair and so of the whole row."""
    after = turned(ROW, 2)
    cells = [[np.hypot(*x[:2]), np.hypot(*x[2:]), np.linalg.norm(x)] for x in (ROW, after)]
    yield table("Lengths", cells, columns=["pair 0", "pair 1", "row"], rows=["x", "turned"])
    stretched = [np.cos(1) + np.sin(1)] * 2
    yield f"Without the minus the pair [1, 1] at 1 radian becomes {row(stretched)}: longer than before."


@explains(
    "linear",
    asks="What does your function make of a row of zeros?",
    formula="R(2x - y) = 2 R(x) - R(y)",
    look="anything in rope that is added, or divided by a norm",
)
def of_sums():
    """A rotation is linear: position decides the angle, and x only what is turned."""
    x, y = turned(ROW, 2), turned(OTHER, 2)
    lines = [2 * x - y, turned(2 * ROW - OTHER, 2)]
    yield table("At position 2", lines, columns=COORDINATES, rows=["2 R(x) - R(y)", "R(2x - y)"])


@explains(
    "heads_alike",
    asks="Does the angle know which head it turns?",
    formula="R(x[:, π]) = R(x)[:, π] for any order π of the heads",
    look="the line width = …: the last axis of x; and no reshape of x before the turn",
)
def every_head():
    """All heads of a token turn by the same angles, so reordered heads give reordered results."""
    heads = np.stack([ROW, OTHER])[None]
    both = rope(heads, [3], BASE)[0]
    swapped = rope(heads[:, ::-1], [3], BASE)[0]
    names = ["head 0", "head 1", "swapped 0", "swapped 1"]
    yield table("Two heads at position 3", np.vstack([both, swapped]), columns=COORDINATES, rows=names)


@explains(
    "tokens_move_with_positions",
    asks="A token is moved to another row, and its position with it. What should change for it?",
    formula="R(x[π], p[π]) = R(x, p)[π]",
    look="the line angles = …: positions, and no jnp.arange of the length",
)
def own_position():
    """Each token is turned by its own position, whichever row it stands in and whoever else is there."""
    tokens = np.stack([ROW, OTHER])[:, None]
    there = rope(tokens, [5, 2], BASE)[:, 0]
    moved = rope(tokens[::-1], [2, 5], BASE)[:, 0]
    names = ["row 0, at 5", "row 1, at 2", "row 0, at 2", "row 1, at 5"]
    yield table("Two tokens, then in the other order", np.vstack([there, moved]), columns=COORDINATES, rows=names)


@explains(
    "turns_add_up",
    asks="Turn by 2 and then by 3: how far have you turned?",
    formula="R(b) R(a) = R(a + b)",
    look="the two lines of the turn: one minus, old values on the right; each coordinate back in its place",
)
def sums_of_angles():
    """Turning by a and then by b is turning by a + b."""
    lines = [turned(turned(ROW, 2), 3), turned(ROW, 5)]
    yield table("Turned", lines, columns=COORDINATES, rows=["by 2, then 3", "by 5"])


@explains(
    "score_by_distance",
    asks="Both are turned further by the same angle. What happens to the angle between them?",
    formula="R(m)q · R(n)k = R(m + s)q · R(n + s)k",
    look="whether angles grow evenly with the position: position times frequency, nothing else",
)
def only_distance():
    """A score depends on how far apart query and key stand, and not on where."""
    cells = [[m, n, turned(ROW, m) @ turned(OTHER, n)] for m, n in ((4, 1), (13, 10), (30, 27))]
    yield table("Three positions apart", cells, columns=["query at", "key at", "score"])


@explains(
    "score_varies",
    asks="Does your function turn anything at all?",
    formula="R(m)q · R(n)k changes with m - n",
    look="what is returned: the turned array, or x; and .at[…].set(…), whose result must be kept",
)
def another_distance():
    """Another distance gives another score, even for the same two rows."""
    cells = [[12, n, turned(ROW, 12) @ turned(ROW, n)] for n in (12, 11, 10, 8)]
    yield table("One row twice", cells, columns=["query at", "key at", "score"])


@explains(
    "fastest_pair",
    asks="What is base to the power 0, for any base?",
    formula="θ₀ = 1: (1, 0) at position 1 becomes (cos 1, sin 1)",
    look="the line frequencies = …: j starts at 0; and the unit: radians",
)
def one_radian():
    """The first pair turns by 1 radian a position. In degrees that would be about 57."""
    names = ["1 radian", "1 degree"]
    cells = [[np.cos(a), np.sin(a)] for a in (1, np.deg2rad(1))]
    yield table("(1, 0) turned", cells, columns=["first", "second"], rows=names)


@explains(
    "pair_frequencies",
    "base_is_used",
    asks="Put a single 1 into coordinate i, at position 1. What is left of it in place i?",
    formula="eᵢ · R(1)eᵢ = cos θ, with θ = base^(-2j/d), each twice",
    look="the line frequencies = …: base, the minus, the 2, the width of one head",
)
def frequency_read_out():
    """Each unit vector at position 1 shows the cosine of its own frequency, whichever coordinates make a pair."""
    for base in (100.0, 10000.0):
        kept = np.diagonal(rope(np.eye(4)[:, None], np.ones(4), base)[:, 0])
        yield table(f"Base {base:g}", [kept, np.arccos(kept)], columns=COORDINATES, rows=["what is left", "its angle"])


@explains(
    "rope_oracle",
    "repaired_oracle",
    asks="Which coordinates are a pair in your code, and is it so at every width?",
    formula="zⱼ → zⱼ · e^(i p θⱼ), with zⱼ = a + ib",
    look="rope, line by line, with T = 1, H = 1 and d = 4",
)
def complex_numbers():
    """The same rotation computed another way: a pair is a complex number, and a turn is one product."""
    pairs = ROW[0::2] + 1j * ROW[1::2]
    after = pairs * np.exp(1j * 3 * frequencies(4, BASE))
    names = ["by complex numbers", "by rope"]
    lines = [np.stack([after.real, after.imag], axis=-1).ravel(), turned(ROW, 3)]
    yield table("Position 3", lines, columns=COORDINATES, rows=names)


@explains(
    "smallest_size",
    asks="How many pairs has a width of 2?",
    formula="(1, 1, 2): one turn by the position",
    look="shapes that assume more than one token, head or pair",
)
def one_pair():
    """One token, one head, one pair: a plain turn by the position in radians."""
    x = np.array([2.0, 1.0])
    yield table("At position 2", [x, turned(x, 2)], columns=["first", "second"], rows=["x", "turned"])


@explains(
    "far_positions",
    asks="Is every whole number up to 4095 exact in the dtype of your positions and angles?",
    formula="R(4095) as exact as R(5)",
    look="astype and dtype=, and tables that are indexed by position",
)
def many_digits():
    """Far positions are as exact as near ones. 16 bits and tables that end are not enough."""
    cells = [[p, float(np.float16(p))] for p in (2047, 2049, 4095)]
    yield table("float16", cells, columns=["position", "as stored"])


@explains(
    "rope_convention",
    asks="Which two coordinates are a pair in your code, and which way do they turn?",
    formula="(2j, 2j + 1) or (j, j + d/2)",
    look="the lines that cut x into two, and the signs",
)
def conventions():
    """Neighbours or halves, forwards or backwards: all are right, and the report names yours."""
    names = ["neighbours", "half-split"]
    lines = [turned(ROW, 1), rope(ROW[None, None], [1], BASE, HALVES)[0, 0]]
    yield table("Position 1", lines, columns=COORDINATES, rows=names)


@explains(
    "rope_under_vmap",
    asks="Would your function notice if x had one more axis in front?",
    formula="vmap(rope)(xs, p) = stack of rope(x, p)",
    look="shapes that are written as numbers",
)
def batches():
    """Under jax.vmap a batch gives what one call for each would give."""
    yield "A batch of texts has the shape (B, T, H, d), and all of them share the positions (T,)."


@explains(
    "rope_gradient",
    asks="By how much does the sum of squares change when one entry of x grows?",
    formula="∂(∑ rope(x)²)/∂x = 2x",
    look="rounding, indices or NumPy calls that cut the gradient",
)
def gradient():
    """A rotation keeps the sum of squares, so its gradient by x is 2x, as if nothing were turned."""
    yield table("Gradient", [ROW, 2 * ROW], columns=COORDINATES, rows=["x", "gradient"])


# ---- the rest of main.py ---------------------------------------------------------------------


@explains(
    "six_rows",
    asks="Is this the table of sinusoid(6, 4), as your function makes it?",
    formula="encoding = sinusoid(6, 4)",
    look="step 4, the line encoding = …",
)
def the_table():
    """encoding holds six rows of width 4: frequencies 1 and 1/100."""
    yield table("Position 4", sinusoid(6, 4)[4:5], columns=COLUMNS)


@explains(
    "shifted_scores",
    asks="Which differences of positions occur in scores, and which in shifted?",
    formula="∑ⱼ 2 cos(distance · θⱼ), with or without 100 added to both",
    look="step 4: scores_at, and the two lines that call it",
)
def both_runs():
    """A row of ones with itself scores 2 cos(distance) + 2 cos(distance/10), near the start as 100 positions later."""
    ones = np.ones(4)
    cells = [[d, 2 * np.cos(d) + 2 * np.cos(d / 10), turned(ones, 200 + d) @ turned(ones, 200)] for d in (1, 4, 7)]
    yield table("Scores", cells, columns=["distance", "by cosines", "at 200 and later"])


@explains(
    "places_chosen",
    asks="Query minus key: which differences do your three rows have?",
    formula="m₀ - n₀ = m₁ - n₁ ≠ m₂ - n₂",
    look="the line places = …",
)
def three_places():
    """Two different pairs of positions with one distance, and a third with another: whole numbers from 0 to 1000."""
    cells = [[7, 4, 3], [20, 17, 3], [20, 10, 10]]
    yield table("For example", cells, columns=["query at", "key at", "distance"])


@explains(
    "own_scores",
    asks="Which two of your scores must be equal?",
    formula="own_scores = scores_at(query, key, places[:, 0], places[:, 1], base)",
    look="the line own_scores = …: both columns, in this order, and the base 100",
)
def scores_of_places():
    """The scores of the given query and key at your places; equal distances give equal scores."""
    cells = [[m, n, turned(ROW, m) @ turned(OTHER, n)] for m, n in ((7, 4), (20, 17), (20, 10))]
    yield table("With another query and key", cells, columns=["query at", "key at", "score"])


@explains(
    "order_to_halves",
    "converted_columns",
    asks="Which two places does half-split code turn together, and which two columns belong together?",
    formula="place j ← column 2j, place j + d/2 ← column 2j + 1",
    look="the lines to_halves = … and converted = …",
)
def reordered_columns():
    """Half-split code pairs places j and j + d/2. Reordered columns put each neighbouring pair there."""
    order = [0, 2, 1, 3]
    lines = [
        rope(ROW[order][None, None], [5], BASE, HALVES)[0, 0],
        turned(ROW, 5)[order],
    ]
    names = ["reorder, turn as halves", "turn as neighbours, reorder"]
    yield table("Width 4, position 5", lines, columns=[str(c) for c in order], rows=names)


@explains(
    "broken_lengths",
    "repaired_lengths",
    asks="Do a coordinate and its partner have the same angle?",
    formula="a'² + b'² = a² + b² needs one angle for a and b",
    look="broken_rope: the line that repeats the angles, beside the line partners = …",
)
def mixed():
    """With frequencies of one pairing and partners of the other, lengths change; with one of the two they stay."""
    broken = rope_from_parts(pairing=Pairing(IN_HALVES.split, IN_HALVES.join, IN_NEIGHBOURS.index))
    halves = rope_from_parts(pairing=IN_HALVES)
    x = ROW[None, None]
    cells = [[np.linalg.norm(f(x, np.array([p]), BASE)) for p in (0, 1, 2, 4)] for f in (broken, halves)]
    yield table("Lengths", cells, columns=["at 0", "at 1", "at 2", "at 4"], rows=["mixed", "half-split"])
    yield f"The row {row(ROW)} has the length {number(np.linalg.norm(ROW))}."
