"""The relations that positions obey, first as rows to add, then as rotations, and the comparison with NumPy.

Whatever is asked of ``rope`` has T = 5 tokens, H = 3 heads of width d = 8, unless it says so. Values are multiples of
1/8, so that float32 holds them exactly. Neighbouring and half-split pairs, turned either way, are all right: checks
that need a convention take the student's own, read from unit vectors at position 1.
"""

from dataclasses import dataclass

import numpy as np

from grader.checking import advice, check, expect, expect_close
from grader.oracle import positions as oracle
from grader.oracle.positions import CONVENTIONS, HALVES, NEIGHBOURS, frequencies, scores_by_distance
from grader.oracle.positions_parts import HALVES as IN_HALVES
from grader.oracle.positions_parts import NEIGHBOURS as IN_NEIGHBOURS
from grader.oracle.positions_parts import Pairing, rope_from_parts

T, H, WIDTH, BASE = 5, 3, 8, 10000.0
RELATIONS = 100.0  # the base where any would do: frequencies that grow by mistake stay small enough for float32
UP_TO = 1000  # for positions of one's own

# float32 angles up to 40 are off by 1.6e-6 in every usual way to compute them, and scores of width 8 by 1e-5;
# the nearest mistake is off by 1e-2.
TURNED = 2e-4
# At position 4095 float32 angles are off by 1.4e-4, those in 16 bits by 0.1 and more.
FAR_AWAY = 5e-3
# Scores at positions up to 1000 are off by 1e-4; without one of the rotations by 0.1.
AT_1000 = 2e-3
# An angle of 0.001 that is read from float32 is right to 1 in 10,000; the nearest wrong exponent is off by a third.
# Frequencies in 16 bits are right to 1 in 250: those are for the comparison with NumPy.
READ_OUT = 1e-2
# float32 products of rows of width 8 are right to 1e-6; what depends on the place is off by a tenth.
PRODUCTS = 1e-3

# The lesson's own numbers.
ONES = np.ones(4)
QUERY, KEY = np.array([2.0, 1.0, 0.0, -1.0]), np.array([1.0, -1.0, 2.0, 1.0])
OWN_BASE = 100.0
WQ = np.arange(16.0).reshape(2, 8)
SAMPLE = np.array([[[1.0, 2.0, 3.0, 0.0]], [[0.0, 1.0, -1.0, 2.0]], [[3.0, 0.0, 1.0, 1.0]]])
SAMPLE_POSITIONS = np.array([0, 1, 5])
BROKEN = rope_from_parts(pairing=Pairing(IN_HALVES.split, IN_HALVES.join, IN_NEIGHBOURS.index))


@dataclass(frozen=True)
class Probe:
    """The inputs of one grading."""

    x: np.ndarray  # (5, 3, 8)
    y: np.ndarray  # (5, 3, 8)
    positions: np.ndarray  # (5,), in no order, none of them 0
    later: np.ndarray  # (5,), other positions
    order: np.ndarray  # (5,), moves every token
    units: np.ndarray  # (5, 3, 8): the first eight of the fifteen rows are the unit vectors
    wide: tuple[np.ndarray, np.ndarray]  # (4, 7, 12), (4,)
    square: tuple[np.ndarray, np.ndarray]  # (3, 3, 4), (3,)
    far: np.ndarray  # (5,), up to 4095


def eighths(rng, *shape):
    """Multiples of 1/8 between -1 and 1, of both signs and never 0."""
    return rng.integers(1, 9, shape) * rng.choice([-1.0, 1.0], shape) / 8


def probe(rng):
    """Sizes that differ but in the square case; positions that are no row numbers."""
    units = eighths(rng, T * H, WIDTH)
    units[:WIDTH] = np.eye(WIDTH)
    return Probe(
        x=eighths(rng, T, H, WIDTH),
        y=eighths(rng, T, H, WIDTH),
        positions=np.roll([3, 12, 2, 8, 5], int(rng.integers(0, T))),
        later=np.roll([7, 1, 10, 4, 6], int(rng.integers(0, T))),
        order=np.roll(np.arange(T), int(rng.integers(1, T))),
        units=units.reshape(T, H, WIDTH),
        wide=(eighths(rng, 4, 7, 12), np.array([9, 2, 11, 4])),
        square=(eighths(rng, 3, 3, 4), np.array([6, 1, 9])),
        far=np.array([4095, 4090, 2049, 1023, 257]),
    )


def nearest(value, candidates):
    """The candidate with the smallest largest difference from ``value``; the first where nothing can be compared."""

    def distance(candidate):
        return np.nan_to_num(np.abs(value - candidate), nan=np.inf).max()

    return min(candidates, key=distance)


def listed(values):
    """Numbers for a message."""
    return f"[{', '.join(f'{value:.4g}' for value in values)}]"


# ---- sinusoid --------------------------------------------------------------------------------


def layout(student):
    """How the student's columns are paired: NEIGHBOURS or HALVES, read from row 0 of width 8."""
    rows = {convention: oracle.sinusoid(1, 8, convention) for convention in (NEIGHBOURS, HALVES)}
    row = nearest(student.sinusoid(11, 8)[:1], rows.values())
    return next(convention for convention, one in rows.items() if one is row)


def columns(convention, encoding):
    """Sines and cosines of an encoding (T, D), each (T, D/2)."""
    pairs = convention.to_complex(encoding)
    return pairs.real, pairs.imag


@check(exercise="sinusoid", points=1, proves="sinusoid gives a row for each position")
def sinusoid_shape(student, probe):
    """sinusoid(length, width) returns a row for each position, as wide as asked, long and narrow or short and wide."""
    student.sinusoid(11, 8)
    student.sinusoid(5, 6)


@check(exercise="sinusoid", points=1, needs=[sinusoid_shape], proves="position 0 has sines of 0 and cosines of 1")
def position_zero(student, probe):
    """At position 0 every angle is 0: each pair of columns holds the sine 0, then the cosine 1."""
    convention = layout(student)
    first = student.sinusoid(11, 8)[:1]
    sines, cosines = columns(convention, first)
    because = "Row 0 belongs to position 0, where every angle is 0: sin 0 = 0 and cos 0 = 1, sines first."
    if np.allclose(sines, 1) and np.allclose(cosines, 0):
        because += " Yours has the cosines first."
    expect_close(first, oracle.sinusoid(1, 8, convention), because, what="encoding[:1]")


@check(exercise="sinusoid", points=1, needs=[position_zero], proves="each pair stays on the unit circle")
def unit_circle(student, probe):
    """Sine and cosine of a pair belong to one angle: their squares sum to 1 at every position."""
    sines, cosines = columns(layout(student), student.sinusoid(11, 8))
    because = "A sine and a cosine of the same angle: sin² + cos² = 1 in every pair of columns, at every position."
    expect_close(sines**2 + cosines**2, np.ones((11, 4)), because, what="sin² + cos² (position, pair)")


@check(exercise="sinusoid", points=1, needs=[unit_circle], proves="the first pair turns 1 radian a position")
def fastest_columns(student, probe):
    """The first pair holds sin p and cos p: at position p its angle is p radians."""
    sines, cosines = columns(layout(student), student.sinusoid(11, 8))
    because = "The first frequency is 10000^0 = 1, so at position p the first pair has the angle p, in radians."
    found = np.stack([sines[:, 0], cosines[:, 0]], axis=-1)
    right = np.stack([np.sin(np.arange(11)), np.cos(np.arange(11))], axis=-1)
    expect_close(found, right, because, what="first pair (position, sine and cosine)")


@check(exercise="sinusoid", points=1, needs=[fastest_columns], proves="every pair has its own, falling frequency")
def column_frequencies(student, probe):
    """From one position to the next, pair j turns by 10000^(-2j/D) radians."""
    for length, width in ((11, 8), (5, 6)):
        sines, cosines = columns(layout(student), student.sinusoid(length, width))
        because = f"With D = {width}, row 1 shows the frequencies."
        growing = 1 / frequencies(width, BASE)  # beyond half a turn they are not what is read out
        if np.allclose([sines[1], cosines[1]], [np.sin(growing), np.cos(growing)], atol=READ_OUT):
            because += f" Yours grow, to {growing[-1]:.4g}: a minus is missing, or a division is one too many."
        read_out(np.arctan2(sines[1], cosines[1]), width, BASE, because)


def read_out(found, width, base, because):
    """Hold the angles ``found`` at position 1, one for each pair, to base^(-2j/width)."""
    right = frequencies(width, base)
    message = f"{because} Your pairs turn by {listed(found)} radians; {base:g}^(-2j/{width}) is {listed(right)}."
    expect(np.allclose(found, right, rtol=READ_OUT, atol=0), message)


@check(exercise="sinusoid", points=1, needs=[sinusoid_shape], proves="a row depends on its position alone")
def prefix(student, probe):
    """The encoding of 5 positions is the first 5 rows of that of 11."""
    long, short = student.sinusoid(11, 8), student.sinusoid(5, 8)
    expect_close(short, long[:5], "A row depends on its position and not on how many rows there are.")


@check(exercise="sinusoid", points=1, needs=[unit_circle, prefix], proves="products of rows know the distance")
def products_by_distance(student, probe):
    """The dot product of two rows depends only on how far apart they are."""
    encoding = student.sinusoid(11, 8)
    products = encoding @ encoding.T
    because = "Row p times row p + k is ∑ⱼ cos(k·θⱼ), the same for every p; k is"
    for distance in range(11):
        found = np.diagonal(products, distance)
        right = np.full(11 - distance, found[0])
        expect_close(found, right, f"{because} {distance}.", what="products by position", tolerance=PRODUCTS)


@check(
    exercise="sinusoid",
    points=1,
    needs=[column_frequencies, products_by_distance],
    proves="sinusoid agrees with an independent NumPy calculation",
)
def sinusoid_oracle(student, probe):
    """sinusoid agrees with sines and cosines computed in NumPy at double precision, at the smallest size too."""
    convention = layout(student)
    for length, width in ((11, 8), (5, 6), (1, 2)):
        right = oracle.sinusoid(length, width, convention)
        expect_close(student.sinusoid(length, width), right, f"NumPy disagrees for sinusoid({length}, {width}).")


@check(exercise="sinusoid", points=1, needs=[sinusoid_oracle], proves="row 4095 is as exact as the first")
def far_rows(student, probe):
    """Rows far down are right too: 4096 positions, compared at the last ones."""
    last = student.sinusoid(4096, 4)[4090:]
    right = oracle.sinusoid(4096, 4, layout(student))[4090:]
    because = "Rows 4090 to 4095 of sinusoid(4096, 4): there 16 bits are too few for an angle."
    expect_close(last, right, because, what="encoding[4090:]", tolerance=FAR_AWAY)


@advice(exercise="sinusoid", needs=[sinusoid_oracle], proves="sinusoid works inside jax.jit")
def sinusoid_under_jit(student, probe):
    """sinusoid gives the same values inside jax.jit."""
    (encoding,) = student.transformed("jit", "sinusoid", 11, 8)
    expect_close(encoding, student.sinusoid(11, 8), "Under jit the values change.", tolerance=1e-4)


@advice(exercise="sinusoid", needs=[sinusoid_oracle], proves="the order of the columns is known")
def sinusoid_layout(student, probe):
    """Convention of sinusoid: sine and cosine alternate, or all sines come first; either is right."""
    return "sinusoid: sine and cosine alternate" if layout(student) == NEIGHBOURS else "sinusoid: all sines come first"


# ---- rope ------------------------------------------------------------------------------------


def turned_units(student, probe, base=BASE, function="rope"):
    """(8, 8): what becomes of each unit vector at position 1."""
    rotated = getattr(student, function)(probe.units, np.ones(T), base)
    return rotated.reshape(T * H, WIDTH)[:WIDTH]


def own_convention(student, probe, function="rope"):
    """The convention that fits best what becomes of the unit vectors."""
    units = np.eye(WIDTH)[:, None, :]
    turned = {one: oracle.rope(units, np.ones(WIDTH), BASE, one)[:, 0] for one in CONVENTIONS}
    best = nearest(turned_units(student, probe, function=function), turned.values())
    return next(convention for convention, one in turned.items() if one is best)


@check(exercise="rope", points=1, proves="rope returns what it was given, turned")
def rope_shape(student, probe):
    """rope(x, positions, base) returns an array of the shape of x, for any number of tokens and heads."""
    student.rope(probe.x, probe.positions, RELATIONS)
    student.rope(*probe.wide, RELATIONS)


@check(exercise="rope", points=1, needs=[rope_shape], proves="position 0 turns nothing")
def identity_at_zero(student, probe):
    """At position 0 every angle is 0: x comes back as it was."""
    rotated = student.rope(probe.x, np.zeros(T), RELATIONS)
    because = "All five positions are 0, every angle is 0, and x must come back as it was."
    if not np.allclose(rotated, probe.x, atol=TURNED):
        if np.allclose(rotated[0], probe.x[0], atol=TURNED):
            because += " Token 0 does and later ones do not: are the angles made of positions, or of row numbers?"
        elif np.allclose(rotated[:, 0], probe.x[:, 0], atol=TURNED):
            because += " Head 0 does and the other heads do not: do the angles run along the heads?"
    expect_close(rotated, probe.x, because, what="rotated", tolerance=TURNED)


@check(exercise="rope", points=1, needs=[identity_at_zero], proves="a rotation keeps every length")
def lengths_kept(student, probe):
    """A rotation keeps lengths: that of every row, and that of every pair in it."""
    rotated = student.rope(probe.x, probe.positions, RELATIONS)
    found, right = (np.linalg.norm(rows, axis=-1) for rows in (rotated, probe.x))
    because = "Turning a vector keeps its length, and so does turning it pair by pair."
    expect_close(found, right, because, what="length (token, head)", tolerance=TURNED)
    pairs = [np.abs(one.to_complex(rotated)) - np.abs(one.to_complex(probe.x)) for one in (NEIGHBOURS, HALVES)]
    expect(
        any((np.abs(one) < TURNED).all() for one in pairs),
        "Each row keeps its length and its pairs do not, neither neighbours nor half-split ones: numbers moved "
        "from one pair to another.",
    )


@check(exercise="rope", points=1, needs=[lengths_kept], proves="rope is linear")
def linear(student, probe):
    """A rotation is linear: that of 2x - y is twice that of x minus that of y."""
    of_x, of_y, of_both = (
        student.rope(x, probe.positions, RELATIONS) for x in (probe.x, probe.y, 2 * probe.x - probe.y)
    )
    because = "Position decides the angle and x only what is turned."
    expect_close(of_both, 2 * of_x - of_y, because, what="rope(2x - y)", tolerance=TURNED)


@check(exercise="rope", points=1, needs=[lengths_kept], proves="all heads turn alike")
def heads_alike(student, probe):
    """All heads of a token turn by the same angles: reordered heads give reordered results."""
    rotated, moved = (student.rope(x, probe.positions, RELATIONS) for x in (probe.x, probe.x[:, [2, 0, 1]]))
    expect_close(moved, rotated[:, [2, 0, 1]], "The heads were reordered and nothing else.", tolerance=TURNED)


@check(exercise="rope", points=1, needs=[lengths_kept], proves="a token takes its own position along")
def tokens_move_with_positions(student, probe):
    """Tokens reordered together with their positions, and tokens that share one, turn as before."""
    rotated = student.rope(probe.x, probe.positions, RELATIONS)
    moved = student.rope(probe.x[probe.order], probe.positions[probe.order], RELATIONS)
    because = f"Tokens and positions were reordered together ({probe.order.tolist()}), so the results are too."
    expect_close(moved, rotated[probe.order], because, what="rotated", tolerance=TURNED)
    rows = np.array([0, 0, 3, 3, 1])
    repeated = student.rope(probe.x[rows], probe.positions[rows], RELATIONS)
    because = "Tokens 0 and 1 are copies at one position, and so are 2 and 3: positions may repeat."
    expect_close(repeated, rotated[rows], because, what="rotated", tolerance=TURNED)


@check(
    exercise="rope",
    points=1,
    needs=[linear, heads_alike, tokens_move_with_positions],
    proves="angles of positions add up",
)
def turns_add_up(student, probe):
    """Turning by position a and then by position b is turning by a + b."""
    first = student.rope(probe.x, probe.positions, RELATIONS)
    twice = student.rope(first, probe.later, RELATIONS)
    once = student.rope(probe.x, probe.positions + probe.later, RELATIONS)
    because = f"Turned by {probe.positions.tolist()}, then by {probe.later.tolist()}: the angles add up."
    expect_close(twice, once, because, what="rotated twice", tolerance=TURNED)


@check(exercise="rope", points=2, needs=[turns_add_up], proves="scores depend on the distance alone")
def score_by_distance(student, probe):
    """The score of a rotated query with a rotated key depends on how far apart they stand, not on where."""

    def scores(shift):
        queries = student.rope(probe.x, probe.positions + shift, RELATIONS)
        keys = student.rope(probe.y, probe.later + shift, RELATIONS)
        return (queries * keys).sum(axis=-1)

    usual = scores(0)
    for shift in (1, 9, 26):
        because = f"Queries and keys all moved {shift} position{'s' * (shift > 1)} on, so no distance changed."
        expect_close(scores(shift), usual, because, what="scores (token, head)", tolerance=TURNED)


@check(exercise="rope", points=1, needs=[turns_add_up], proves="scores change with the distance")
def score_varies(student, probe):
    """The score of the same query with the same key changes with the distance between them."""
    same = np.repeat(probe.x[:1], T, axis=0)
    queries, keys = (student.rope(same, positions, RELATIONS) for positions in (np.full(T, 12), np.arange(12, 53, 10)))
    scores = (queries * keys).sum(axis=-1)
    changes = np.abs(scores - scores[:1]).max()
    expect(
        changes > 1e-3, "One vector, as query at position 12 and as key at 12, 22, …, 52, scores the same everywhere."
    )


@check(exercise="rope", points=1, needs=[score_varies], proves="the first pair turns 1 radian a position")
def fastest_pair(student, probe):
    """The first pair turns by 1 radian from one position to the next, for any base."""
    turned = turned_units(student, probe)[0]
    cosine, sine = turned[0], np.linalg.norm(turned[1:])
    because = (
        "[1, 0, 0, …] at position 1 must turn by 1 radian, since base^0 = 1: cos 1 stays, sin 1 goes to its partner."
    )
    expect_close([cosine, sine], [np.cos(1), np.sin(1)], because, what="cosine and sine", tolerance=TURNED)


def read_frequencies(student, probe, base, function="rope"):
    """Hold the angles by which the unit vectors turn, largest first, to base^(-2j/d), each twice."""
    turned = turned_units(student, probe, base, function)
    cosines = np.diagonal(turned)
    sines = np.linalg.norm(turned - np.diag(cosines), axis=-1)
    angles = np.sort(np.arctan2(sines, cosines))[::-1]
    right = np.repeat(frequencies(WIDTH, base), 2)
    message = (
        f"Every coordinate alone, at position 1, with base {base:g}: they turn by {listed(angles)} radians. "
        f"{base:g}^(-2j/{WIDTH}), each twice, is {listed(right)}."
    )
    expect(np.allclose(angles, right, rtol=READ_OUT, atol=0), message)


@check(exercise="rope", points=1, needs=[fastest_pair], proves="the frequencies fall as base^(-2j/d)")
def pair_frequencies(student, probe):
    """From one position to the next, pair j turns by base^(-2j/d) radians, whichever coordinates make a pair."""
    read_frequencies(student, probe, BASE)


@check(exercise="rope", points=1, needs=[pair_frequencies], proves="base is the base that is given")
def base_is_used(student, probe):
    """Another base gives other frequencies: with base 100 the slow pairs turn faster."""
    read_frequencies(student, probe, RELATIONS)


@check(
    exercise="rope",
    points=2,
    needs=[base_is_used, score_by_distance],
    proves="rope agrees with an independent NumPy calculation",
)
def rope_oracle(student, probe):
    """rope agrees with complex numbers in NumPy at double precision, in your own pairing, at every width."""
    convention = own_convention(student, probe)
    inputs = [(probe.x, probe.positions, BASE), (*probe.wide, RELATIONS), (*probe.square, RELATIONS)]
    for x, positions, base in inputs:
        because = f"NumPy, with {convention}, disagrees for x {x.shape} and base {base:g}."
        right = oracle.rope(x, positions, base, convention)
        expect_close(student.rope(x, positions, base), right, because, what="rotated", tolerance=TURNED)


@check(exercise="rope", points=1, needs=[rope_oracle], proves="one token of width 2 works")
def smallest_size(student, probe):
    """One token, one head, one pair: a plain rotation by the position."""
    x = np.array([[[0.5, -1.0]]])
    right = oracle.rope(x, [3], BASE, own_convention(student, probe))
    expect_close(student.rope(x, [3], BASE), right, "One pair turns by 3 radians at position 3.", tolerance=TURNED)


@check(exercise="rope", points=1, needs=[rope_oracle], proves="position 4095 is as exact as the first")
def far_positions(student, probe):
    """Far positions are as exact as near ones, up to 4095."""
    convention = own_convention(student, probe)
    right = oracle.rope(probe.x, probe.far, BASE, convention)
    because = f"Positions {probe.far.tolist()}: 16 bits, or a table that ends before them, are too short for these."
    expect_close(student.rope(probe.x, probe.far, BASE), right, because, what="rotated", tolerance=FAR_AWAY)


@advice(exercise="rope", needs=[rope_oracle], proves="the pairing is known")
def rope_convention(student, probe):
    """Convention of rope: which coordinates are a pair, and which way it turns; every choice is right."""
    return f"rope: {own_convention(student, probe)}"


@advice(exercise="rope", needs=[rope_oracle], proves="rope works inside jax.jit")
def rope_under_jit(student, probe):
    """rope gives the same values inside jax.jit."""
    (rotated,) = student.transformed("jit", "rope", probe.x, probe.positions, RELATIONS)
    usual = student.rope(probe.x, probe.positions, RELATIONS)
    expect_close(rotated, usual, "Under jit the values change.", what="rotated", tolerance=TURNED)


@advice(exercise="rope", needs=[rope_oracle], proves="rope works under jax.vmap")
def rope_under_vmap(student, probe):
    """jax.vmap over a batch gives what one call for each gives."""
    (rotated,) = student.transformed("vmap", "rope", np.stack([probe.x, probe.y]), probe.positions, RELATIONS)
    usual = np.stack([student.rope(x, probe.positions, RELATIONS) for x in (probe.x, probe.y)])
    expect_close(rotated, usual, "Under vmap the values change.", what="rotated", tolerance=TURNED)


@advice(exercise="rope", needs=[rope_oracle], proves="gradients turn back to where they came from")
def rope_gradient(student, probe):
    """The gradient of the sum of squares by x is 2x, since no length depends on the angles."""
    (gradient,) = student.transformed("grad", "rope", probe.x, probe.positions, RELATIONS)
    expect_close(gradient, 2 * probe.x, "The sum of squares is that of x, so its gradient is 2x.", tolerance=TURNED)


# ---- experiments -------------------------------------------------------------------------------


@check(exercise="experiments", points=1, leans_on=[sinusoid_oracle], proves="six positions have six rows")
def six_rows(student, probe):
    """encoding holds sinusoid(6, 4)."""
    encoding = student.variable("encoding", shape=(6, 4))
    right = nearest(encoding, [oracle.sinusoid(6, 4, one) for one in (NEIGHBOURS, HALVES)])
    expect_close(encoding, right, "Six positions, two frequencies: 1 and 1/100.", what="encoding")


@check(exercise="experiments", points=1, leans_on=[rope_oracle], proves="a shift of everything leaves the scores")
def shifted_scores(student, probe):
    """scores and shifted hold the scores at distances 8 to 0, near the start and 100 positions later."""
    right = scores_by_distance(ONES, ONES, np.arange(8, -1, -1), OWN_BASE)
    because = "The same vector twice, 8 to 0 positions apart: 2 cos(distance) + 2 cos(distance/10)."
    expect_close(student.variable("scores"), right, because, what="scores", tolerance=TURNED)
    because = "Everything stands 100 positions later, so no distance changed."
    expect_close(student.variable("shifted"), right, because, what="shifted", tolerance=TURNED)


# ---- exercises ---------------------------------------------------------------------------------


def chosen_places(student):
    """The student's three pairs of positions, (3, 2), if they are ones that show something."""
    places = student.variable("places", shape=(3, 2))
    whole = np.array_equal(places, np.round(places)) and places.min() >= 0 and places.max() <= UP_TO
    expect(whole, f"places holds {listed(places.ravel())}; positions are whole numbers from 0 to {UP_TO}.")
    distances = places[:, 0] - places[:, 1]
    because = f"The distances in places, query minus key, are {listed(distances)}"
    kinds = len(np.unique(distances))
    expect(kinds < 3, f"{because}; two have to be equal.")
    expect(kinds > 1, f"{because}; one has to differ.")
    expect(len(np.unique(places, axis=0)) == 3, "Two rows of places are the same; move both positions of one.")
    return places


@check(exercise="distance", points=1, proves="three pairs of positions, two of them equally far apart")
def places_chosen(student, probe):
    """places: two different pairs of positions that are equally far apart, and a third at another distance."""
    chosen_places(student)


@check(
    exercise="distance",
    points=1,
    needs=[places_chosen],
    leans_on=[rope_oracle],
    proves="equal distances give equal scores",
)
def own_scores(student, probe):
    """own_scores: the scores of query and key at your places; equal distances give equal scores."""
    places = chosen_places(student)
    for name, value in (("query", QUERY), ("key", KEY)):
        expect_close(student.variable(name), value, f"The exercise needs the lesson's {name}.", what=name)
    own = student.variable("own_scores", shape=(3,), given=[places])
    right = nearest(own, [scores_in(convention, places) for convention in CONVENTIONS])
    because = "Query and key stand at your places, base 100; each score is the product of the two rotated rows."
    expect_close(own, right, because, what="own_scores", tolerance=AT_1000)


def scores_in(convention, places):
    """Scores of the lesson's query and key at ``places`` (n, 2)."""
    queries, keys = (
        oracle.rope(np.tile(row, (len(places), 1, 1)), places[:, side], OWN_BASE, convention)
        for side, row in enumerate((QUERY, KEY))
    )
    return (queries * keys).sum(axis=(1, 2))


@check(exercise="checkpoint", points=1, proves="one order of the columns leads from neighbours to halves")
def order_to_halves(student, probe):
    """to_halves: the order of 8 coordinates that puts each neighbouring pair into half-split places."""
    order = student.variable("to_halves", shape=(8,))
    expect(sorted(order) == list(range(8)), f"to_halves is {listed(order)}; it has to hold each of 0 to 7 once.")
    rows = order.astype(int)
    for place in range(4):
        pair = (rows[place], rows[place + 4])
        expect(
            pair == (2 * place, 2 * place + 1),
            f"Half-split code pairs places {place} and {place + 4}. Yours put coordinates {pair[0]} and {pair[1]} "
            f"there; neighbouring pair {place} is {2 * place} and {2 * place + 1}.",
        )


@check(exercise="checkpoint", points=1, leans_on=[order_to_halves], proves="a checkpoint's columns are reordered")
def converted_columns(student, probe):
    """converted: the columns of wq in the order to_halves, for every row."""
    right = np.concatenate([WQ[:, 0::2], WQ[:, 1::2]], axis=1)
    expect_close(student.variable("converted"), right, "The columns of wq in the order to_halves.", what="converted")


@check(exercise="mixed-pairing", points=1, proves="a mixed pairing changes lengths")
def broken_lengths(student, probe):
    """broken_lengths: the lengths of the rows that broken_rope makes of the sample, one for each token and head."""
    expect_close(student.variable("sample"), SAMPLE, "The exercise needs the lesson's sample.", what="sample")
    right = np.linalg.norm(BROKEN(SAMPLE, SAMPLE_POSITIONS, OWN_BASE), axis=-1)
    because = "Lengths of broken_rope(sample, jnp.array([0, 1, 5]), 100.0), as they are before the repair."
    expect_close(student.variable("broken_lengths"), right, because, what="broken_lengths", tolerance=TURNED)


@check(exercise="mixed-pairing", points=1, proves="the repaired rotation keeps every length")
def repaired_lengths(student, probe):
    """repaired_rope keeps the length of every row."""
    rotated = student.repaired_rope(probe.x, probe.positions, BASE)
    found, right = (np.linalg.norm(rows, axis=-1) for rows in (rotated, probe.x))
    expect_close(found, right, "Turning keeps lengths.", what="length (token, head)", tolerance=TURNED)


@check(
    exercise="mixed-pairing",
    points=1,
    needs=[repaired_lengths],
    proves="the repaired rotation agrees with NumPy",
)
def repaired_oracle(student, probe):
    """repaired_rope turns every pair by its position times base^(-2j/d)."""
    read_frequencies(student, probe, BASE, "repaired_rope")
    convention = own_convention(student, probe, "repaired_rope")
    for x, positions, base in ((probe.x, probe.positions, BASE), (*probe.square, RELATIONS)):
        because = f"NumPy, with {convention}, disagrees for x {x.shape} and base {base:g}."
        right = oracle.rope(x, positions, base, convention)
        expect_close(student.repaired_rope(x, positions, base), right, because, what="rotated", tolerance=TURNED)
