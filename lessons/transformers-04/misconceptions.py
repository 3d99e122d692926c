"""The classic mistakes of this lesson, as the part that each one gets wrong.

Titles and hints are in lesson.toml under the same names. Half-split pairs are as right as neighbouring ones: they
are a convention of each family.
"""

import numpy as np

from grader.checking import family, misconception
from grader.oracle.positions_parts import (
    HALVES,
    NEIGHBOURS,
    Pairing,
    falling,
    of_tokens,
    rope_from_parts,
    sinusoid_from_parts,
)

BASE = 10000.0
BOTH: tuple[dict[str, Pairing], ...] = ({}, {"pairing": HALVES})


def rope_probes(probe):
    """Argument lists that tell the mistakes apart: two bases, two widths, as many tokens as heads.

    The first is the smallest that shows a wrong turn, and right answers to it are the same in both pairings.
    """
    return [
        (np.array([[[0.5, -1.0]]]), np.array([3], dtype=np.int32), 100.0),
        (probe.x, probe.positions, 100.0),
        (*probe.wide, 100.0),
        (*probe.square, 100.0),
        (probe.units, np.ones(5, dtype=np.int32), BASE),
    ]


def sinusoid_probes(probe):
    """Longer than wide, wider than long, square, and so long that 16 bits show."""
    return [(11, 8), (5, 6), (4, 4), (4096, 4)]


sinusoid = family("sinusoid", variant=sinusoid_from_parts, probes=sinusoid_probes, conventions=BOTH)
rope = family("rope", variant=rope_from_parts, probes=rope_probes, conventions=BOTH)


def encoding(name, **parts):
    """A mistake in ``sinusoid``: the parts of ``sinusoid_from_parts`` that it replaces."""
    return misconception(name, of="sinusoid", **parts)


def rotating(name, **parts):
    """A mistake in ``rope``: the parts of ``rope_from_parts`` that it replaces."""
    return misconception(name, of="rope", **parts)


def in_bfloat16(x):
    """Rounded to the 8 bits of bfloat16."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return (rounded & 0xFFFF0000).view(np.float32).astype(np.float64)


def in_float16(x):
    """Rounded to the 11 bits of float16."""
    return np.asarray(x).astype(np.float16).astype(np.float64)


def other(pairing):
    """The other of the two pairings."""
    return HALVES if pairing is NEIGHBOURS else NEIGHBOURS


def indexed(pairing, index):
    """``pairing`` with frequencies taken from elsewhere."""
    return Pairing(pairing.split, pairing.join, index)


def joined(axis):
    """Both coordinates put together along ``axis``, then read row by row."""
    return lambda first, second: np.stack([first, second], axis).reshape(*first.shape[:-1], -1)


# ---- which frequency, in both functions ------------------------------------------------------


def same_frequency(pair, width, base, x=None):
    """One frequency for all pairs."""
    return np.ones_like(pair, dtype=np.float64)


def growing(pair, width, base, x=None):
    """The exponent without its minus sign."""
    return base ** (2.0 * pair / width)


def halved_exponent(pair, width, base, x=None):
    """j/d in place of 2j/d."""
    return base ** (-pair / width)


def doubled_exponent(pair, width, base, x=None):
    """4j/d in place of 2j/d."""
    return base ** (-4.0 * pair / width)


def off_by_one(pair, width, base, x=None):
    """2(j + 1)/d in place of 2j/d."""
    return base ** (-2.0 * (pair + 1) / width)


def ends_at_base(pair, width, base, x=None):
    """The last pair reaches 1/base: steps of 1/(d/2 - 1)."""
    return base ** (-pair / (width // 2 - 1.0))


def ends_at_base_or_stays(pair, width, base, x=None):
    """As ``ends_at_base``, and a single pair has the exponent 0, as from linspace."""
    return base ** (-pair / max(width // 2 - 1.0, 1.0))


def ends_at_base_or_raises(pair, width, base, x=None):
    """As ``ends_at_base``, and a single pair is a division by zero, as in plain Python."""
    return base ** (-pair * (1.0 / (width // 2 - 1)))


def backwards_order(pair, width, base, x=None):
    """The first pair is the slowest."""
    return base ** (-2.0 * (width // 2 - 1 - pair) / width)


def of_e(pair, width, base, x=None):
    """e in place of the base."""
    return np.exp(-2.0 * pair / width)


def linearly_falling(pair, width, base, x=None):
    """The base is multiplied, not raised."""
    return 1.0 / np.maximum(base * 2.0 * pair / width, 1.0)


def with_base(number):
    """A base that is written down."""
    return lambda pair, width, base, x=None: falling(pair, width, number)


def bfloat16_frequency(pair, width, base, x=None):
    """Frequencies in 8 bits."""
    return in_bfloat16(falling(pair, width, base))


def in_degrees(places, frequency):
    """The angle is taken for degrees and converted."""
    return np.deg2rad(places * frequency)


def in_turns(places, frequency):
    """2π for every radian."""
    return 2 * np.pi * places * frequency


def doubled_angle(places, frequency):
    """Twice the angle."""
    return 2.0 * places * frequency


def halved_angle(places, frequency):
    """Half the angle."""
    return places * frequency / 2


def bfloat16_angle(places, frequency):
    """Angles in 8 bits."""
    return in_bfloat16(places * frequency)


def float16_angle(places, frequency):
    """Angles in 11 bits."""
    return in_float16(places * frequency)


def bfloat16_throughout(places, frequency):
    """Positions, frequencies and angles in 8 bits."""
    return in_bfloat16(in_bfloat16(places) * in_bfloat16(frequency))


def float16_throughout(places, frequency):
    """Positions, frequencies and angles in 11 bits."""
    return in_float16(in_float16(places) * in_float16(frequency))


def own_index(width):
    """A frequency of its own for every coordinate: exponent i/d."""
    return np.arange(width) / 2


def doubled_own_index(width):
    """Exponent 2i/d for every coordinate i."""
    return np.arange(width)


encoding_same = encoding("same-frequency", frequency=same_frequency)
rotating_same = rotating("same-frequency", frequency=same_frequency)
encoding_growing = encoding("growing-frequencies", frequency=growing)
rotating_growing = rotating("growing-frequencies", frequency=growing)
encoding_halved_exponent = encoding("exponent-halved", frequency=halved_exponent)
rotating_halved_exponent = rotating("exponent-halved", frequency=halved_exponent)
encoding_doubled_exponent = encoding("exponent-doubled", frequency=doubled_exponent)
rotating_doubled_exponent = rotating("exponent-doubled", frequency=doubled_exponent)
encoding_off_by_one = encoding("exponent-off-by-one", frequency=off_by_one)
rotating_off_by_one = rotating("exponent-off-by-one", frequency=off_by_one)
encoding_ends_at_base = encoding("exponent-ends-at-base", frequency=ends_at_base)
rotating_ends_at_base = rotating("exponent-ends-at-base", frequency=ends_at_base)
rotating_ends_at_base_or_stays = rotating("exponent-ends-at-base", frequency=ends_at_base_or_stays)
rotating_ends_at_base_or_raises = rotating("exponent-ends-at-base", frequency=ends_at_base_or_raises)
encoding_backwards_order = encoding("frequencies-reversed", frequency=backwards_order)
rotating_backwards_order = rotating("frequencies-reversed", frequency=backwards_order)
encoding_of_e = encoding("e-in-place-of-base", frequency=of_e)
rotating_of_e = rotating("e-in-place-of-base", frequency=of_e)
encoding_linear = encoding("base-multiplied", frequency=linearly_falling)
rotating_linear = rotating("base-multiplied", frequency=linearly_falling)
encoding_own = encoding("frequency-for-each-coordinate", pairing=indexed(NEIGHBOURS, own_index))
encoding_own_in_halves = encoding("frequency-for-each-coordinate", pairing=indexed(HALVES, own_index))
rotating_own = rotating("frequency-for-each-coordinate", pairing=indexed(NEIGHBOURS, own_index))
rotating_own_in_halves = rotating("frequency-for-each-coordinate", pairing=indexed(HALVES, own_index))
encoding_doubled_own = encoding("column-number-doubled", pairing=indexed(NEIGHBOURS, doubled_own_index))
encoding_doubled_own_in_halves = encoding("column-number-doubled", pairing=indexed(HALVES, doubled_own_index))
encoding_bfloat16_frequency = encoding("frequencies-in-16-bits", frequency=bfloat16_frequency)
rotating_bfloat16_frequency = rotating("frequencies-in-16-bits", frequency=bfloat16_frequency)
encoding_bfloat16 = encoding("angles-in-16-bits", angle=bfloat16_angle)
rotating_bfloat16 = rotating("angles-in-16-bits", angle=bfloat16_angle)
encoding_float16 = encoding("angles-in-16-bits", angle=float16_angle)
rotating_float16 = rotating("angles-in-16-bits", angle=float16_angle)
encoding_bfloat16_throughout = encoding("angles-in-16-bits", angle=bfloat16_throughout)
rotating_bfloat16_throughout = rotating("angles-in-16-bits", angle=bfloat16_throughout)
encoding_float16_throughout = encoding("angles-in-16-bits", angle=float16_throughout)
rotating_float16_throughout = rotating("angles-in-16-bits", angle=float16_throughout)
encoding_degrees = encoding("degrees", angle=in_degrees)
rotating_degrees = rotating("degrees", angle=in_degrees)
encoding_turns = encoding("whole-turns", angle=in_turns)
rotating_turns = rotating("whole-turns", angle=in_turns)
encoding_doubled_angle = encoding("angle-doubled", angle=doubled_angle)
rotating_doubled_angle = rotating("angle-doubled", angle=doubled_angle)
encoding_halved_angle = encoding("angle-halved", angle=halved_angle)
rotating_halved_angle = rotating("angle-halved", angle=halved_angle)

# ---- which position ----------------------------------------------------------------------------

encoding_from_one = encoding("positions-from-1", rows=lambda length: np.arange(1, length + 1))
rotating_from_one = rotating("positions-from-1", places=lambda positions, x: of_tokens(positions, x) + 1)
encoding_normalised = encoding("positions-over-length", rows=lambda length: np.arange(length) / length)
rotating_normalised = rotating("positions-over-length", places=lambda positions, x: of_tokens(positions, x) / len(x))
encoding_reversed = encoding("positions-reversed", rows=lambda length: np.arange(length)[::-1])
rotating_reversed = rotating("positions-reversed", places=lambda positions, x: of_tokens(positions[::-1], x))
encoding_bfloat16_positions = encoding("positions-in-16-bits", rows=lambda length: in_bfloat16(np.arange(length)))
rotating_bfloat16_positions = rotating(
    "positions-in-16-bits", places=lambda positions, x: in_bfloat16(of_tokens(positions, x))
)
encoding_float16_positions = encoding("positions-in-16-bits", rows=lambda length: in_float16(np.arange(length)))
rotating_float16_positions = rotating(
    "positions-in-16-bits", places=lambda positions, x: in_float16(of_tokens(positions, x))
)
row_numbers = rotating("positions-ignored", places=lambda positions, x: of_tokens(np.arange(len(x)), x))
from_the_first = rotating(
    "counted-from-first-token", places=lambda positions, x: of_tokens(positions - positions[0], x)
)
table_too_short = rotating(
    "table-too-short", places=lambda positions, x: np.minimum(of_tokens(positions, x), len(x) - 1.0)
)
table_of_512 = rotating("table-ends", places=lambda positions, x: np.minimum(of_tokens(positions, x), 511.0))
table_of_1024 = rotating("table-ends", places=lambda positions, x: np.minimum(of_tokens(positions, x), 1023.0))
table_of_2048 = rotating("table-ends", places=lambda positions, x: np.minimum(of_tokens(positions, x), 2047.0))
over_heads = rotating("over-heads", places=lambda positions, x: np.arange(x.shape[1], dtype=np.float64)[None, :, None])
along_heads = rotating("positions-along-heads", places=lambda positions, x: positions.astype(np.float64)[None, :, None])

# ---- the encoding -----------------------------------------------------------------------------

mixed_columns = encoding("halves-mixed", pairing=indexed(HALVES, NEIGHBOURS.index))
mixed_neighbours = encoding("halves-mixed", pairing=indexed(NEIGHBOURS, HALVES.index))
joined_in_front = encoding("joined-in-front", pairing=Pairing(NEIGHBOURS.split, joined(0), NEIGHBOURS.index))
cosines_first = encoding("cosines-first", functions=(np.cos, np.sin))
sines_only = encoding("sines-only", functions=(np.sin, np.sin))
cosines_only = encoding("cosines-only", functions=(np.cos, np.cos))
negative_sines = encoding("negative-sines", functions=(lambda angles: -np.sin(angles), np.cos))
plain_angles = encoding("no-sine", functions=(lambda angles: angles, lambda angles: angles))
base_1000 = encoding("another-base", base=1000.0)
base_100000 = encoding("another-base", base=100000.0)
not_sliced_512 = encoding("not-sliced", sizes=lambda length, width: (512, width))
not_sliced_1024 = encoding("not-sliced", sizes=lambda length, width: (1024, width))
not_sliced_5000 = encoding("not-sliced", sizes=lambda length, width: (5000, width))
sizes_swapped = encoding("sizes-swapped", sizes=lambda length, width: (width, length))
encoding_transposed = encoding("transposed", table=np.transpose)
encoding_scaled_up = encoding("scaled-by-width", table=lambda rows: rows * np.sqrt(rows.shape[1]))
encoding_scaled_down = encoding("scaled-by-width", table=lambda rows: rows / np.sqrt(rows.shape[1]))
encoding_root_two = encoding("scaled-by-root-two", table=lambda rows: rows * np.sqrt(2))
encoding_over_root_two = encoding("scaled-by-root-two", table=lambda rows: rows / np.sqrt(2))
encoding_never_filled = encoding("never-filled", table=np.zeros_like)
batch_axis = encoding("batch-axis-added", table=lambda rows: rows[None])

# ---- the rotation ---------------------------------------------------------------------------


def two(first, second):
    """A turn of the first coordinate by ``first`` and of the second by ``second``, each of (a, b, cos, sin)."""
    return lambda a, b, cos, sin, cos2, sin2: (first(a, b, cos, sin), second(a, b, cos2, sin2))


def right_first(a, b, cos, sin):
    """What the first coordinate becomes."""
    return a * cos - b * sin


def right_second(a, b, cos, sin):
    """What the second coordinate becomes."""
    return b * cos + a * sin


def over_part(rotate, x, positions, base):
    """The first half of the width turns, with its own frequencies; the rest stays."""
    half = x.shape[-1] // 2
    return np.concatenate([rotate(x[..., :half], positions, base), x[..., half:]], axis=-1)


def over_even_part(rotate, x, positions, base):
    """As ``over_part``, for neighbours: an odd half cannot be put back together."""
    if x.shape[-1] // 2 % 2:
        raise ValueError("an odd width")
    return over_part(rotate, x, positions, base)


def before_the_split(rotate, x, positions, base):
    """All heads side by side, as one head of width H·d."""
    return rotate(x.reshape(len(x), 1, -1), positions, base).reshape(x.shape)


def unit_length(x):
    """Every row at length 1."""
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def afterwards(change):
    """``change`` (rotated, x) is done to what comes out."""
    return lambda rotate, x, positions, base: change(rotate(x, positions, base), x)


def swapped_waves(angles, places, frequency):
    """Sine where the cosine belongs."""
    return np.sin(angles), np.cos(angles)


def position_outside(angles, places, frequency):
    """The position multiplies cosine and sine."""
    return places * np.cos(frequency), places * np.sin(frequency)


mixed_in_halves = rotating("pairing-mixed", pairing=indexed(HALVES, NEIGHBOURS.index))
mixed_in_neighbours = rotating("pairing-mixed", pairing=indexed(NEIGHBOURS, HALVES.index))
minus_missing = rotating("minus-missing", turn=two(lambda a, b, cos, sin: a * cos + b * sin, right_second))
two_minuses = rotating("two-minuses", turn=two(right_first, lambda a, b, cos, sin: b * cos - a * sin))
sine_and_cosine_swapped = rotating("sine-and-cosine-swapped", waves=swapped_waves)
multiplied_outside = rotating("position-outside-the-sine", waves=position_outside)
wrong_order = rotating("coordinates-swapped", put_back=lambda pairing, first, second: pairing.join(second, first))
other_places = rotating(
    "put-back-elsewhere", put_back=lambda pairing, first, second: other(pairing).join(first, second)
)
rotating_joined_in_front = rotating("joined-in-front", put_back=lambda pairing, *turned: joined(0)(*turned))
rotating_joined_along_heads = rotating("joined-in-front", put_back=lambda pairing, *turned: joined(1)(*turned))
cosine_alone = rotating("cosine-alone", turn=two(lambda a, b, cos, sin: a * cos, lambda a, b, cos, sin: b * cos))
not_paired = rotating(
    "partner-missing",
    turn=two(lambda a, b, cos, sin: a * cos - a * sin, lambda a, b, cos, sin: b * cos + b * sin),
)
not_paired_plus = rotating(
    "partner-missing",
    turn=two(lambda a, b, cos, sin: a * cos + a * sin, lambda a, b, cos, sin: b * cos + b * sin),
)
halves_multiplied = rotating(
    "partner-missing", turn=two(lambda a, b, cos, sin: a * cos, lambda a, b, cos, sin: b * sin)
)
updated_first = rotating(
    "updated-value-used",
    turn=lambda a, b, cos, sin, cos2, sin2: (
        right_first(a, b, cos, sin),
        b * cos2 + right_first(a, b, cos, sin) * sin2,
    ),
)
sinusoid_added = rotating("added-not-turned", turn=two(lambda a, b, cos, sin: a + sin, lambda a, b, cos, sin: b + cos))
sinusoid_added_cosine_first = rotating(
    "added-not-turned", turn=two(lambda a, b, cos, sin: a + cos, lambda a, b, cos, sin: b + sin)
)
input_added = rotating("input-added", apply=afterwards(lambda rotated, x: x + rotated))
root_two_up = rotating("scaled-by-root-two", apply=afterwards(lambda rotated, x: rotated * np.sqrt(2)))
root_two_down = rotating("scaled-by-root-two", apply=afterwards(lambda rotated, x: rotated / np.sqrt(2)))
width_down = rotating("scaled-by-width", apply=afterwards(lambda rotated, x: rotated / np.sqrt(x.shape[-1])))
width_up = rotating("scaled-by-width", apply=afterwards(lambda rotated, x: rotated * np.sqrt(x.shape[-1])))
normalised = rotating("lengths-normalised", apply=afterwards(lambda rotated, x: unit_length(rotated)))
nothing_turned = rotating("nothing-turned", apply=lambda rotate, x, positions, base: x)
never_filled = rotating("never-filled", apply=afterwards(lambda rotated, x: np.zeros_like(x)))
half_the_width = rotating("half-of-the-width", pairing=HALVES, apply=over_part)
half_the_width_of_neighbours = rotating("half-of-the-width", pairing=NEIGHBOURS, apply=over_even_part)
half_the_pairs = rotating(
    "half-of-the-pairs",
    frequency=lambda pair, width, base, x: np.where(pair < width // 4, falling(pair, width, base), 0.0),
)
across_heads = rotating("before-the-head-split", apply=before_the_split)
by_model_width = rotating(
    "model-width", frequency=lambda pair, width, base, x: base ** (-2.0 * pair / (width * x.shape[1]))
)
base_10000 = rotating("base-hard-coded", frequency=with_base(BASE))
base_100_always = rotating("base-hard-coded", frequency=with_base(100.0))
base_500000 = rotating("base-hard-coded", frequency=with_base(500000.0))
heads_first = rotating("axes-swapped-back", apply=afterwards(lambda rotated, x: np.swapaxes(rotated, 0, 1)))


# ---- the exercises --------------------------------------------------------------------------

ONES = np.ones(4)
QUERY, KEY = np.array([2.0, 1.0, 0.0, -1.0]), np.array([1.0, -1.0, 2.0, 1.0])
OWN_BASE = 100.0
SAMPLE = np.array([[[1.0, 2.0, 3.0, 0.0]], [[0.0, 1.0, -1.0, 2.0]], [[3.0, 0.0, 1.0, 1.0]]])
SAMPLE_POSITIONS = np.array([0, 1, 5])
WQ = np.arange(16.0).reshape(2, 8)
MIXED = indexed(HALVES, NEIGHBOURS.index)

repaired = family("repaired_rope", variant=rope_from_parts, probes=rope_probes, conventions=BOTH)
not_repaired = misconception("pairing-mixed", of="repaired_rope", pairing=MIXED)
repaired_elsewhere = misconception("minus-missing", of="repaired_rope", turn=minus_missing.switches["turn"])


def scores_from(*, queries=True, keys=True, pairing=NEIGHBOURS):
    """Scores of QUERY and KEY at ``places`` (n, 2), each rotated or not."""

    def scores(places):
        rotate = rope_from_parts(pairing=pairing)
        rows = (len(places), 1, 1)
        q, k = np.tile(QUERY, rows), np.tile(KEY, rows)
        q = rotate(q, places[:, 0], OWN_BASE) if queries else q
        k = rotate(k, places[:, 1], OWN_BASE) if keys else k
        return (q * k).sum(axis=(1, 2))

    return scores


own_scores = family("own_scores", variant=scores_from, given=["places"], conventions=BOTH)
query_alone_turned = misconception("query-alone-turned", of="own_scores", keys=False)
key_alone_turned = misconception("key-alone-turned", of="own_scores", queries=False)


def order_of(*, order=(0, 2, 4, 6, 1, 3, 5, 7)):
    """An order of eight coordinates."""
    return lambda: np.array(order)


to_halves = family("to_halves", variant=order_of)
order_inverted = misconception("order-inverted", of="to_halves", order=(0, 4, 1, 5, 2, 6, 3, 7))
order_unchanged = misconception("order-unchanged", of="to_halves", order=tuple(range(8)))
order_odd_first = misconception("order-odd-first", of="to_halves", order=(1, 3, 5, 7, 0, 2, 4, 6))


def lengths_of(*, pairing=MIXED, positions=True):
    """Lengths of SAMPLE after a rotation."""
    places = SAMPLE_POSITIONS if positions else 0 * SAMPLE_POSITIONS
    return lambda: np.linalg.norm(rope_from_parts(pairing=pairing)(SAMPLE, places, OWN_BASE), axis=-1)


broken_lengths = family("broken_lengths", variant=lengths_of)
lengths_of_repaired = misconception("lengths-after-repair", of="broken_lengths", pairing=HALVES)


def answers(sinusoid, rope, repaired_rope):
    """What main.py defines besides functions, computed with these functions."""
    places = np.array([[5, 3], [42, 40], [9, 3]])
    key_positions, query_positions = np.arange(9), np.full(9, 8)

    def scores_at(query, key, query_positions, key_positions):
        rows = (len(query_positions), 1, 1)
        queries = rope(np.tile(query, rows), query_positions, OWN_BASE)
        keys = rope(np.tile(key, rows), key_positions, OWN_BASE)
        return (queries * keys).sum(axis=(1, 2))

    order = np.array([0, 2, 4, 6, 1, 3, 5, 7])
    return {
        "encoding": sinusoid(6, 4),
        "scores": scores_at(ONES, ONES, query_positions, key_positions),
        "shifted": scores_at(ONES, ONES, query_positions + 100, key_positions + 100),
        "query": QUERY,
        "key": KEY,
        "places": places,
        "own_scores": scores_at(QUERY, KEY, places[:, 0], places[:, 1]),
        "wq": WQ,
        "to_halves": order,
        "converted": WQ[:, order],
        "sample": SAMPLE,
        "broken_lengths": lengths_of()(),
    }
