"""The relations that attention obeys, then the comparison with NumPy.

Probe values are multiples of 1/8, so that float32 holds them and their products exactly.
attend's own probes have Dv = Dk; another value width is an exercise of its own.
"""

from dataclasses import dataclass

import numpy as np

from grader.checking import advice, check, expect, expect_close, expect_different
from grader.oracle.attention import scaled_dot_product_attention, softmax

FIXTURE_K = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
FIXTURE_V = np.array([[2.0, 0.0], [0.0, 4.0], [4.0, 2.0]])
QUERY = np.array([[2.0, 0.0]])

# Scores in the thousands are exact here, but float32 rounds a score of 1000 by 6e-5 in other
# orders of summation or scaling; wrong answers are off by 0.1 and more.
AT_LARGE_SCORES = 1e-3


@dataclass(frozen=True)
class Probe:
    """The inputs of one grading."""

    q: np.ndarray  # (3, 4)
    k: np.ndarray  # (5, 4)
    v: np.ndarray  # (5, 4), as wide as the keys
    wide_v: np.ndarray  # (5, 6)
    c: np.ndarray  # (1, 4), to be added to every row of v or k
    order: np.ndarray  # (5,), moves every row
    rotation: np.ndarray  # (4, 4), orthogonal, exact in float32
    low: tuple[np.ndarray, np.ndarray, np.ndarray]  # (2, 2), (3, 2), (3, 2): scores far below the largest
    square: tuple[np.ndarray, np.ndarray, np.ndarray]  # (3, 4) three times
    far_apart: tuple[np.ndarray, np.ndarray, np.ndarray]  # one row of huge scores, one of ordinary ones
    at_height: tuple[np.ndarray, np.ndarray, np.ndarray]  # scores that differ by little at a great height
    fixture: tuple[np.ndarray, np.ndarray, np.ndarray]  # the lesson's own keys and values, another query


def eighths(rng, *shape):
    """Multiples of 1/8 between -2 and 2, of both signs and never 0."""
    return rng.integers(1, 17, shape) * rng.choice([-1.0, 1.0], shape) / 8


def probe(rng):
    """All sizes different; entries of both signs; no two keys alike."""
    q, k = eighths(rng, 3, 4), eighths(rng, 5, 4)
    heights = np.array([[1000.0, 0, 0, 0], [-1000.0, 0, 0, 0], [0, 0, 0, 0]])
    small_steps = np.concatenate([np.full((5, 1), 2.0), eighths(rng, 5, 3)], axis=1)
    return Probe(
        q=q,
        k=k,
        v=eighths(rng, 5, 4),
        wide_v=eighths(rng, 5, 6),
        c=np.array([[5.0, -2.0, 3.0, 0.5]]),
        order=np.roll(np.arange(5), int(rng.integers(1, 5))),
        rotation=np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2,
        square=(eighths(rng, 3, 4), eighths(rng, 3, 4), eighths(rng, 3, 4)),
        low=(np.array([[16.0, 4.0], [-6.0, 12.0]]), np.array([[0.0, 0.0], [-1.0, 1.0], [2.0, -1.5]]), FIXTURE_V),
        far_apart=(q * np.array([[65536.0], [1.0], [0.5]]), k, eighths(rng, 5, 4)),
        at_height=(q + heights, small_steps, eighths(rng, 5, 4)),
        fixture=(np.array([[2.0, 0.0], [-1.0, 3.0]]), FIXTURE_K, FIXTURE_V),
    )


@check(exercise="attend", points=1, proves="attend returns an output row and a weight row per query")
def returns_output_and_weights(student, probe):
    """attend returns the output (Tq, Dv) and the weights (Tq, Tk), for any number of queries and keys."""
    student.attend(probe.q, probe.k, probe.v)


@check(exercise="attend", points=1, needs=[returns_output_and_weights], proves="each query shares out exactly 1")
def rows_sum_to_one(student, probe):
    """Each query distributes a weight of 1 over the keys, none of it negative."""
    _, weights = student.attend(probe.q, probe.k, probe.v)
    sums = weights.sum(axis=-1)
    because = "Each query must distribute 1 over the keys: every row of the weights sums to 1."
    columns = weights.sum(axis=0)
    if np.allclose(columns, 1, atol=1e-4):
        because += " In yours it is the columns that do."
    expect_close(sums, np.ones(3), because, what="weights.sum(axis=-1)")
    expect(
        (weights >= -1e-6).all(), f"A weight is a share and cannot be negative; the smallest is {weights.min():.4g}."
    )


@check(exercise="attend", points=2, needs=[returns_output_and_weights], proves="equal scores share equally")
def uniform_query(student, probe):
    """A query of zeros scores every key alike, so its output is the mean of the value rows."""
    output, weights = student.attend(0 * probe.q, probe.k, probe.v)
    expect_close(weights, np.full((3, 5), 1 / 5), "A zero query scores all 5 keys 0, so each gets 1/5.", what="weights")
    mean = np.repeat(probe.v.mean(axis=0, keepdims=True), 3, axis=0)
    expect_close(output, mean, "A zero query weighs all values alike: its output is their mean.")


@check(exercise="attend", points=1, needs=[returns_output_and_weights], proves="the weights are those that mix")
def weights_reproduce_output(student, probe):
    """The output is the returned weights times the values."""
    output, weights = student.attend(probe.q, probe.k, probe.v)
    expect_close(output, weights @ probe.v, "The output must be the returned weights times v.")


@check(exercise="attend", points=1, needs=[returns_output_and_weights], proves="the output moves with the values")
def value_shift(student, probe):
    """Adding c to every value row adds c to every output row."""
    output, weights = student.attend(probe.q, probe.k, probe.v)
    moved, same = student.attend(probe.q, probe.k, probe.v + probe.c)
    expect_close(moved, output + probe.c, f"Adding {probe.c[0].tolist()} to every value row adds it to every output.")
    expect_close(same, weights, "Values are what is mixed: changing them leaves the weights.", what="weights")


@check(exercise="attend", points=1, needs=[returns_output_and_weights], proves="pairs may come in any order")
def paired_permutation(student, probe):
    """Reordering keys together with their values leaves the output."""
    output, weights = student.attend(probe.q, probe.k, probe.v)
    again, moved = student.attend(probe.q, probe.k[probe.order], probe.v[probe.order])
    expect_close(again, output, f"Keys and values were reordered together ({probe.order.tolist()}).")
    expect_close(moved, weights[:, probe.order], "The weights must follow their keys.", what="weights")


@check(exercise="attend", points=1, needs=[returns_output_and_weights], proves="each value belongs to its key")
def unpaired_permutation(student, probe):
    """Reordering the values alone changes the output."""
    output, _ = student.attend(probe.q, probe.k, probe.v)
    again, _ = student.attend(probe.q, probe.k, probe.v[probe.order])
    expect_different(again, output, "The values were reordered without their keys, but the")


@check(exercise="attend", points=1, needs=[returns_output_and_weights], proves="each query is served on its own")
def independent_queries(student, probe):
    """The answer for one query does not depend on the other queries."""
    output, weights = student.attend(probe.q, probe.k, probe.v)
    turned, turned_weights = student.attend(probe.q[::-1], probe.k, probe.v)
    expect_close(turned, output[::-1], "Reversing the queries reverses the output rows.")
    expect_close(turned_weights, weights[::-1], "Reversing the queries reverses the weight rows.", what="weights")
    changed = np.concatenate([probe.q[:1], -2 * probe.q[1:]])
    first, _ = student.attend(changed, probe.k, probe.v)
    expect_close(first[:1], output[:1], "Only queries 1 and 2 were changed, so row 0 stays.")


@check(exercise="attend", points=1, needs=[rows_sum_to_one], proves="only differences of scores matter")
def key_shift(student, probe):
    """Adding one vector to every key leaves the weights."""
    _, weights = student.attend(probe.q, probe.k, probe.v)
    _, same = student.attend(probe.q, probe.k + probe.c / 4, probe.v)
    expect_close(
        same, weights, "The same vector was added to every key: all scores of a row grow alike.", what="weights"
    )


@check(exercise="attend", points=1, needs=[rows_sum_to_one], proves="scores are dot products")
def rotated_together(student, probe):
    """Rotating queries and keys together leaves every dot product, hence the weights."""
    _, weights = student.attend(probe.q, probe.k, probe.v)
    _, same = student.attend(probe.q @ probe.rotation, probe.k @ probe.rotation, probe.v)
    expect_close(same, weights, "Queries and keys were rotated together: no dot product changed.", what="weights")


@check(exercise="attend", points=1, needs=[rows_sum_to_one], proves="twice the same pairs change nothing")
def duplicated_pairs(student, probe):
    """Giving every key/value pair twice leaves the output, here of ten queries over ten keys."""
    rows = np.arange(10) % 3  # as many queries as keys: a square case too
    output, weights = student.attend(probe.q, probe.k, probe.v)
    again, halves = student.attend(probe.q[rows], np.tile(probe.k, (2, 1)), np.tile(probe.v, (2, 1)))
    expect_close(
        halves, np.tile(weights[rows], 2) / 2, "Every pair was given twice: each weight halves.", what="weights"
    )
    expect_close(again, output[rows], "Every pair was given twice: each weight halves and the mixture stays.")


@check(exercise="attend", points=2, needs=[rows_sum_to_one], proves="scores are scaled by √Dk, whatever Dk is")
def scale_calibration(student, probe):
    """The scale is 1/√Dk: twice the query in four times the width leaves the weights."""
    _, weights = student.attend(probe.q, probe.k, probe.v)
    wide_q, wide_k, wide_v = (np.pad(part, ((0, 0), (0, 12))) for part in (2 * probe.q, probe.k, probe.v))
    _, same = student.attend(wide_q, wide_k, wide_v)
    because = "Scores are divided by √Dk: zeros to width 16 and twice the query leave the weights."
    for width, found, products in ((4, weights, probe.q @ probe.k.T), (16, same, wide_q @ wide_k.T)):
        factor = measured_factor(found, products)
        if factor is not None and abs(factor - width**-0.5) > 1e-3:
            because += (
                f" At width {width} yours are multiplied by {factor:.4g} where 1/√{width} = {width**-0.5} is right."
            )
            expect_close(found, softmax(products * width**-0.5), because, what="weights")
    expect_close(same, weights, because, what="weights")


def measured_factor(weights, dot_products):
    """What the dot products were multiplied by, if one factor explains all weights; else None.

    log w_ij - log w_ik = factor · (s_ij - s_ik): the log-odds of softmax.
    """
    if not (weights > 0).all():
        return None
    logs = np.log(weights)
    odds = (logs - logs.mean(axis=-1, keepdims=True)).ravel()
    scores = (dot_products - dot_products.mean(axis=-1, keepdims=True)).ravel()
    factor = float(odds @ scores / (scores @ scores))
    return factor if np.allclose(odds, factor * scores, atol=1e-3) else None


@check(exercise="attend", points=1, needs=[returns_output_and_weights], proves="the smallest sizes work")
def small_sizes(student, probe):
    """One key of width 1 leaves nothing to choose: the output is its value. One query alone works too."""
    value = probe.v[:1, :1]
    output, weights = student.attend(probe.q[:, :1], probe.k[:1, :1], value)
    expect_close(weights, np.ones((3, 1)), "There is one key, so it gets the whole weight.", what="weights")
    expect_close(output, np.repeat(value, 3, axis=0), "There is one key, so every query returns its value.")
    queries, keys, values = probe.fixture
    both, _ = student.attend(queries, keys, values)
    alone, _ = student.attend(queries[:1], keys, values)
    expect_close(alone, both[:1], "One query alone gets the row that it gets among others.")


@check(exercise="attend", points=2, needs=[rows_sum_to_one], proves="large scores stay finite")
def large_scores(student, probe):
    """Queries 1000 times as large give finite numbers: the winning key takes all."""
    q = 1000 * probe.q
    output, weights = student.attend(q, probe.k, probe.v)
    right_output, right_weights = scaled_dot_product_attention(q, probe.k, probe.v)
    because = stable(weights, "Queries 1000 times as large: the key with the largest score takes all.")
    expect_close(weights, right_weights, because, what="weights", tolerance=AT_LARGE_SCORES)
    expect_close(output, right_output, because, tolerance=AT_LARGE_SCORES)


def stable(weights, otherwise):
    """Why weights at large scores are wrong: not finite, or ``otherwise``."""
    if np.isfinite(weights).all():
        return otherwise
    return "Weights are not finite: somewhere e to the score became infinite, or a whole row of them became 0."


@check(
    exercise="attend",
    points=1,
    needs=[large_scores, scale_calibration],
    proves="every row is stabilised by itself",
)
def mixed_magnitudes(student, probe):
    """A row of huge scores beside ordinary rows, and close scores at a great height, come out right."""
    for inputs, because in (
        (probe.far_apart, "The scores of row 0 are huge and those of the others are not: rows do not share a maximum."),
        (probe.at_height, "All scores of a row are near 1000 and differ by little: only the differences count."),
    ):
        output, weights = student.attend(*inputs)
        because = stable(weights, because)
        right_output, right_weights = scaled_dot_product_attention(*inputs)
        expect_close(weights, right_weights, because, what="weights", tolerance=AT_LARGE_SCORES)
        expect_close(output, right_output, because, tolerance=AT_LARGE_SCORES)


@check(exercise="attend", points=1, needs=[returns_output_and_weights], proves="attend remembers nothing")
def repeated_call(student, probe):
    """The same question gets the same answer, whatever was asked in between."""
    first = student.ask_again("attend", probe.q, probe.k, probe.v)
    other, _ = student.ask_again("attend", -probe.q, probe.k, -2 * probe.v)
    second = student.ask_again("attend", probe.q, probe.k, probe.v)
    expect_different(other, first[0], "Another question, of the same shapes, was asked after the first, but the")
    for what, before, after in zip(("output", "weights"), first, second, strict=True):
        expect_close(after, before, "The same call was made twice, with another one in between.", what=what)


@check(
    exercise="attend",
    points=2,
    needs=[rows_sum_to_one, uniform_query, weights_reproduce_output, scale_calibration],
    proves="attend agrees with an independent NumPy calculation",
)
def numpy_oracle(student, probe):
    """attend agrees with attention computed in NumPy at double precision."""
    for inputs in (probe.fixture, (probe.q, probe.k, probe.v)):
        output, weights = student.attend(*inputs)
        right_output, right_weights = scaled_dot_product_attention(*inputs)
        expect_close(weights, right_weights, "NumPy disagrees.", what="weights")
        expect_close(output, right_output, "NumPy disagrees.")


@check(exercise="attend", points=1, needs=[numpy_oracle], proves="small shares stay")
def small_weights(student, probe):
    """Keys with low scores keep their small shares: no floor, no threshold, and a key of zeros counts."""
    _, weights = student.attend(*probe.low)
    _, right = scaled_dot_product_attention(*probe.low)
    because = f"The smallest weight here is {right.min():.1e}; each should be right in proportion."
    expect_close(weights / right, np.ones((2, 3)), because, what="weights / right weights", tolerance=AT_LARGE_SCORES)


@advice(exercise="attend", needs=[numpy_oracle], proves="attend works inside jax.jit")
def works_under_jit(student, probe):
    """The same values come out inside jax.jit."""
    output, _ = student.transformed("jit", "attend", *probe.fixture)
    expect_close(output, student.attend(*probe.fixture)[0], "Under jit the values change.", tolerance=1e-4)


@advice(exercise="attend", needs=[numpy_oracle], proves="attend works under jax.vmap")
def works_under_vmap(student, probe):
    """jax.vmap over a stack of queries gives what one call gives."""
    queries, keys, values = probe.fixture
    output, _ = student.transformed("vmap", "attend", queries[:, None], keys, values)
    expect_close(output[:, 0], student.attend(*probe.fixture)[0], "Under vmap the values change.", tolerance=1e-4)


@advice(exercise="attend", needs=[numpy_oracle], proves="gradients stay finite at large scores")
def finite_gradients(student, probe):
    """Gradients by queries, keys and values are finite, at large scores too."""
    queries, keys, values = probe.fixture
    for name, gradient in zip("qkv", student.transformed("grad", "attend", 100 * queries, keys, values), strict=True):
        expect(np.isfinite(gradient).all(), f"The gradient by {name} is not finite where queries are large.")


@check(exercise="experiments", points=1, leans_on=[numpy_oracle], proves="zero queries give the mean of the values")
def known_answer(student, probe):
    """output and weights hold what the two zero queries return."""
    expect_close(student.variable("q"), np.zeros((2, 2)), "The first run has two queries of zeros.", what="q")
    expect_close(student.variable("weights"), np.full((2, 3), 1 / 3), "Each of 3 keys gets 1/3.", what="weights")
    expect_close(student.variable("output"), np.full((2, 2), 2.0), "The mean of the value rows is [2, 2].")


@check(exercise="experiments", points=1, leans_on=[numpy_oracle], proves="the query [2, 0] agrees with NumPy")
def changed_query(student, probe):
    """actual and w_new hold what q_new = [[2, 0]] returns."""
    for name, value in (("q_new", QUERY), ("k", FIXTURE_K), ("v", FIXTURE_V)):
        expect_close(student.variable(name), value, f"The experiment needs the lesson's {name}.", what=name)
    output, weights = scaled_dot_product_attention(QUERY, FIXTURE_K, FIXTURE_V)
    expect_close(student.variable("w_new"), weights, "Weights of attend(q_new, k, v).", what="w_new")
    expect_close(student.variable("actual"), output, "Output of attend(q_new, k, v).", what="actual")


def permutation(student):
    """The student's order, if it is a permutation of 0, 1, 2 that moves something."""
    order = student.variable("order", shape=(3,))
    named = f"order is [{', '.join(f'{row:g}' for row in order)}]"
    rows = np.where(order < 0, order + 3, order)  # counted from the end, as Python allows
    expect(sorted(rows) == [0, 1, 2], f"{named}; it has to hold each of 0, 1 and 2 once.")
    expect(not np.array_equal(rows, [0, 1, 2]), f"{named}, which moves nothing; take another order of the rows.")
    return rows.astype(int)


@check(exercise="permutation", points=1, leans_on=[numpy_oracle], proves="pairs reordered together change nothing")
def paired_unchanged(student, probe):
    """paired: with keys and values in the same new order the output equals actual."""
    order = permutation(student)
    paired = student.variable("paired", given=[order])
    right, _ = scaled_dot_product_attention(QUERY, FIXTURE_K[order], FIXTURE_V[order])
    expect_close(paired, right, "Keys and values in the same order give the output of q_new as before.", what="paired")


@check(
    exercise="permutation",
    points=1,
    leans_on=[numpy_oracle, paired_unchanged],
    proves="values reordered alone change the output",
)
def mismatched_differs(student, probe):
    """mismatched: with only the values in a new order the output differs from actual."""
    order = permutation(student)
    mismatched = student.variable("mismatched", given=[order])
    right, _ = scaled_dot_product_attention(QUERY, FIXTURE_K, FIXTURE_V[order])
    expect_close(mismatched, right, "Only the values take the new order.", what="mismatched")
    actual, _ = scaled_dot_product_attention(QUERY, FIXTURE_K, FIXTURE_V)
    expect_different(
        mismatched,
        actual,
        f"With the order {order.tolist()} nothing shows, because tied keys trade places; move row 1 too:",
    )


@check(exercise="value-width", points=2, needs=[returns_output_and_weights], proves="values may have any width")
def value_width(student, probe):
    """attend mixes values of another width than the keys (here 6, and 4 for the keys)."""
    output, weights = student.attend(probe.q, probe.k, probe.wide_v)
    _, narrow = student.attend(probe.q, probe.k, probe.v)
    expect_close(weights, narrow, "Scores do not depend on the value width.", what="weights")
    expect_close(output, weights @ probe.wide_v, "The output has the width of the values.")


@check(exercise="value-width", points=1, leans_on=[value_width, numpy_oracle], proves="three scalars mix to their mean")
def scalar_values(student, probe):
    """scalar_out holds what the two zero queries make of the scalars 3, 6 and 9."""
    values = student.variable("scalar_v", shape=(3, 1))
    expect_close(values, [[3.0], [6.0], [9.0]], "The values are 3, 6 and 9, as a column.", what="scalar_v")
    expect_close(student.variable("scalar_out"), [[6.0], [6.0]], "The mean of 3, 6 and 9 is 6.", what="scalar_out")


@check(exercise="softmax-axis", points=1, proves="softmax over the wrong axis shows in the row sums")
def wrong_softmax_axis(student, probe):
    """wrong_w holds zero scores (2, 3) normalised over axis 0, the fault."""
    wrong = student.variable("wrong_w", shape=(2, 3))
    expect_close(wrong, softmax(np.zeros((2, 3)), axis=0), "Over axis 0 each of 2 queries gets 1/2.", what="wrong_w")


@check(exercise="softmax-axis", points=1, proves="softmax over the keys repairs the row sums")
def repaired_axis(student, probe):
    """right_w holds the same scores normalised over the keys, the repair."""
    right = student.variable("right_w", shape=(2, 3))
    expect_close(right, softmax(np.zeros((2, 3)), axis=-1), "Over the keys each of 3 keys gets 1/3.", what="right_w")
