"""The lesson as a tour of ten minutes, computed as it is told."""

import numpy as np

from grader.narration import number, row, section, table
from grader.oracle.attention import scaled_dot_product_attention as attend
from grader.oracle.positions import HALVES, NEIGHBOURS, frequencies, rope, scores_by_distance, sinusoid
from grader.oracle.positions_parts import HALVES as IN_HALVES
from grader.oracle.positions_parts import NEIGHBOURS as IN_NEIGHBOURS
from grader.oracle.positions_parts import Pairing, rope_from_parts

WORDS = {"dog": [2.0, 0.0], "bites": [1.0, 1.0], "man": [0.0, 2.0]}
ROW = np.array([1.0, 0.0, 0.0, 2.0])
BASE = 100.0
COORDINATES = ("0", "1", "2", "3")


def turned(x, position, convention=NEIGHBOURS):
    """One row (d,) at one position."""
    return rope(np.asarray(x, dtype=float)[None, None], [position], BASE, convention)[0, 0]


@section("Without positions", takeaway="Attention compares content with content. Shuffled tokens give shuffled rows.")
def without_positions():
    """A sentence and the same words in another order. Attention mixes rows by how well they match, and nothing else.

    This walk gives away what the page asks you to predict. If you want to find out first, run `grade predict
    transformers-04` now and come back.
    """
    for order in (("dog", "bites", "man"), ("man", "bites", "dog")):
        rows = np.array([WORDS[word] for word in order])
        yield table(" ".join(order), attend(rows, rows, rows)[0], columns=("first", "second"), rows=order)
    yield "Every word has the same row in both. Who bites whom is lost, and no further layer can bring it back."


@section("A row of sines and cosines", takeaway="A position is a clock face of many hands, from fast to slow.")
def encoding():
    """The first remedy: add a row to each token that says where it stands.

    A pair of columns is the hand of a clock, as the sine and the cosine of an angle. The angle is the position times
    the frequency of the pair.
    """
    yield f"Width 4 has two pairs, with the frequencies {row(frequencies(4, 10000.0))}, and these rows:"
    names = ("sin p", "cos p", "sin p/100", "cos p/100")
    yield table("sinusoid(5, 4)", sinusoid(5, 4), columns=names, rows=[f"position {p}" for p in range(5)])
    yield "The first pair changes at every step and comes round after six. The second has hardly moved."


@section("How fast each hand turns", takeaway="Pair j turns by base^(-2j/d) radians a position: 1 for the first.")
def speeds():
    """The exponent falls from 0 to almost -1, in as many steps as there are pairs."""
    pairs = np.arange(4)
    speed = frequencies(8, 10000.0)
    cells = np.stack([pairs, -2 * pairs / 8, speed, 2 * np.pi / speed], axis=-1)
    yield table("Width 8, base 10000", cells, columns=["pair", "exponent", "radians a position", "positions a turn"])
    wrong = {
        "2j/d": speed,
        "j/d": 10000.0 ** (-pairs / 8),
        "4j/d": 10000.0 ** (-4 * pairs / 8),
        "2(j + 1)/d": 10000.0 ** (-2 * (pairs + 1) / 8),
    }
    yield "Three exponents that look much like it, and what they give:"
    yield table("Frequencies", list(wrong.values()), columns=[f"pair {j}" for j in pairs], rows=list(wrong))


@section("Products know the distance", takeaway="cos a cos b + sin a sin b = cos(a - b): the place cancels.")
def products():
    """Two points on a circle have a product that depends on the angle between them."""
    rows = sinusoid(5, 4)
    yield "Every row times every row:"
    names = [f"position {p}" for p in range(5)]
    yield table("Products", rows @ rows.T, columns=names, rows=names)
    yield "Along each diagonal all numbers agree: a distance of 1 has one product, wherever it is."
    yield (
        "But this is the product of two encodings. What attention compares are tokens with encodings added, and there "
        "content and position are mixed in four terms."
    )


@section("Turn, do not add", takeaway="An angle of 0 changes nothing, lengths stay, and angles add up.")
def turning():
    """The second remedy keeps content and position apart: turn the token's own numbers, pair by pair.

    (a, b) becomes (a cos - b sin, a sin + b cos).
    """
    hands = [[np.cos(p), np.sin(p), np.hypot(np.cos(p), np.sin(p))] for p in range(4)]
    places = [f"position {p}" for p in range(4)]
    yield table("(1, 0) at frequency 1", hands, columns=["a", "b", "length"], rows=places)
    once = turned(ROW, 3)
    lines = [ROW, once, rope(once[None, None], [4], BASE)[0, 0], turned(ROW, 7)]
    yield f"A row of width 4 has two pairs; base 100, so the frequencies are {row(frequencies(4, BASE))}:"
    yield table("Turned", lines, columns=COORDINATES, rows=["as it was", "by 3", "by 3, then 4", "by 7"])


@section("Only the distance is left", takeaway="Turned by m and by n, a product keeps m - n.")
def distance():
    """A query is turned by its position, a key by its own, and then they are multiplied."""
    query, key = np.array([2.0, 1.0, 0.0, -1.0]), np.array([1.0, -1.0, 2.0, 1.0])
    places = [(2, 1), (12, 11), (102, 101), (4, 1)]
    scores = [[m, n, m - n, turned(query, m) @ turned(key, n)] for m, n in places]
    yield table("One query, one key", scores, columns=["query at", "key at", "distance", "score"])
    one_side = [[m, n, m - n, turned(query, m) @ key] for m, n in places]
    yield "And if only the query is turned:"
    yield table("Half of it", one_side, columns=["query at", "key at", "distance", "score"])
    yield "Then the score depends on the place of the query, and nothing knows the distance."


@section("Score against distance", takeaway="Fast pairs make ripples, slow pairs the slope; a larger base is slower.")
def curve():
    """A row of ones with itself: every pair adds 2 cos(distance · frequency)."""
    distances = [0, 1, 2, 4, 8, 16, 32, 64, 128]
    lines = [scores_by_distance(np.ones(64), np.ones(64), distances, base) / 64 for base in (100.0, 1e4, 5e5)]
    names = ["base 100", "base 10,000", "base 500,000"]
    yield table("Score / width, width 64", lines, columns=[str(d) for d in distances], rows=names, digits=3)
    slowest = [2 * np.pi / frequencies(128, base)[-1] for base in (1e4, 5e5)]
    yield (
        f"In a head of width 128 the slowest pair needs {slowest[0]:,.0f} positions for a turn with base 10,000, and "
        f"{slowest[1]:,.0f} with 500,000. That is why models of long texts have a large base."
    )


@section("Two pairings", takeaway="Neighbours or halves: equally good, never interchangeable, never mixed.")
def pairings():
    """Which two coordinates make a pair? (0, 1) and (2, 3), or (0, 2) and (1, 3). Code has both."""
    both = [turned(ROW, 1), turned(ROW, 1, HALVES)]
    yield table(f"{row(ROW)} at position 1", both, columns=COORDINATES, rows=["neighbours", "half-split"])
    mixed = rope_from_parts(pairing=Pairing(IN_HALVES.split, IN_HALVES.join, IN_NEIGHBOURS.index))
    x = np.array([[[1.0, 2.0, 3.0, 0.0]]])
    lengths = [
        [np.linalg.norm(one(x, np.array([p]), BASE)) for p in (0, 1, 2, 5)]
        for one in (rope, lambda *given: rope(*given, HALVES), mixed)
    ]
    names = ["neighbours", "half-split", "half of each"]
    columns = [f"position {p}" for p in (0, 1, 2, 5)]
    yield f"Lengths of {row(x[0, 0])}, which should all be {number(np.linalg.norm(x))}:"
    yield table("Lengths", lengths, columns=columns, rows=names)
    yield "Frequencies of the one and partners of the other make no rotation. At position 0 nothing shows."


@section("Far away", takeaway="Angles need float32: 16 bits run out at position 256 or 2048.")
def far():
    """Large positions ask for many digits, because an angle has to be right to a fraction of a radian."""
    positions = np.array([5.0, 255.0, 2047.0, 4095.0])
    half = positions.astype(np.float16).astype(float)
    step = 2.0 ** (np.floor(np.log2(positions)) - 7)
    brain = np.round(positions / step) * step
    lines = [positions, brain, half]
    names = ["float32", "bfloat16", "float16"]
    yield table("Positions", lines, columns=[str(int(p)) for p in positions], rows=names, digits=5)
    yield "In the first pair a position that is off by 1 is an angle that is off by a whole radian."


@section("What to take along", takeaway="Test what must not change, then read the frequencies off unit vectors.")
def take_along():
    """Each relation sees some mistakes and is blind to others."""
    positions = np.array([3, 1, 7])
    rng = np.random.default_rng(seed=0)
    x, y = rng.integers(-8, 9, size=(2, 3, 1, 4)) / 8
    mistakes = {
        "positions from 1": rope_from_parts(places=lambda p, x: p[:, None, None] + 1.0),
        "minus missing": rope_from_parts(turn=lambda a, b, c, s, c2, s2: (a * c + b * s, b * c2 + a * s2)),
        "row numbers": rope_from_parts(places=lambda p, x: np.arange(len(x))[:, None, None]),
        "degrees": rope_from_parts(angle=lambda p, f: np.deg2rad(p * f)),
    }

    def relations(turn):
        """For each relation what comes out, and what has to."""
        usual = turn(x, positions, BASE)
        yield turn(x, 0 * positions, BASE), x
        yield np.linalg.norm(usual, axis=-1), np.linalg.norm(x, axis=-1)
        yield turn(x[::-1], positions[::-1], BASE), usual[::-1]
        shifted = turn(x, positions + 5, BASE) * turn(y, positions + 8, BASE)
        yield shifted.sum(axis=-1), (usual * turn(y, positions + 3, BASE)).sum(axis=-1)
        yield turn(np.eye(4)[:3, None], 1 + 0 * positions, BASE)[0, 0, :2], np.array([np.cos(1), np.sin(1)])

    yield table(
        "Which relation sees which mistake",
        [["–" if np.allclose(*pair) else "sees it" for pair in relations(turn)] for turn in mistakes.values()],
        columns=["position 0", "lengths", "reordered", "shifted", "read-out"],
        rows=list(mistakes),
    )
    yield "Degrees turn like a rotation in every respect. Only the read-out knows how far."
    yield "Now write it: `grade start transformers-04`, then `grade lesson transformers-04`."
