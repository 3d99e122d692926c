"""The mask, the softmax over what it shows, attention with both: relations first, then the comparison with NumPy.

Probe values are multiples of 1/8, so that float32 holds them and their products exactly.
causal_attend's own probes have Dv = Dk, as library functions ask for; another value width is a check of its own.
Each check leans on the ones before it, so that one mistake is one failure and what follows from it waits.
"""

from dataclasses import dataclass

import numpy as np

from grader.checking import advice, check, expect, expect_close, expect_different
from grader.checking.compare import TOLERANCE
from grader.oracle.attention import scaled_dot_product_attention
from grader.oracle.causal import causal_attention, causal_mask, masked_softmax

# Scores in the thousands are exact here, but float32 rounds a score of 1000 by 6e-5 in other
# orders of summation or scaling; wrong answers are off by 0.05 and more.
AT_LARGE_SCORES = 1e-3
# At -20000 the steps of float32 are 0.002, and a right answer by way of logsumexp is off by half of one.
AT_LOW_SCORES = 5e-3


@dataclass(frozen=True)
class Probe:
    """The inputs of one grading."""

    scores: np.ndarray  # (3, 5)
    mask: np.ndarray  # (3, 5) bool, every row sees something
    emptied: np.ndarray  # (3, 5) bool, row 1 sees nothing
    square_scores: np.ndarray  # (5, 5)
    square_mask: np.ndarray  # (5, 5) bool, not symmetric; row 2 sees everything
    steep: np.ndarray  # (3, 5) scores around 1000, -1000 and 0, where one takes all
    low: np.ndarray  # (3, 5) scores around -20000
    q: np.ndarray  # (5, 4)
    k: np.ndarray  # (5, 4)
    v: np.ndarray  # (5, 4), as wide as the keys
    wide_v: np.ndarray  # (5, 6)
    other: np.ndarray  # (3, 5, 4), other rows for q, k and v
    c: np.ndarray  # (4,), to be added to a value row
    at_height: tuple[np.ndarray, np.ndarray, np.ndarray]  # (5, 4) each: rows of scores near 1000, -1000, 0, …


def eighths(rng, *shape):
    """Multiples of 1/8 between -2 and 2, of both signs and never 0."""
    return rng.integers(1, 17, shape) * rng.choice([-1.0, 1.0], shape) / 8


def rows_with(rng, counts, width):
    """A mask with this many True in each row, at places of chance."""
    return np.array([rng.permutation(np.arange(width) < count) for count in counts])


def probe(rng):
    """All sizes different; entries of both signs; the rows of a mask show different numbers of keys."""
    scores, mask = eighths(rng, 3, 5), rows_with(rng, (3, 2, 4), 5)
    mask[0, int(np.argmin(mask[2]))] = True  # every key is seen by somebody
    square_mask = rows_with(rng, (2, 1, 5, 4, 3), 5)
    square_mask[0, 4], square_mask[4, 0], square_mask[4, 1] = True, False, True
    steep = scores + np.array([[1000.0], [-1000.0], [0.0]])
    steep[2, int(np.argmax(mask[2]))] += 500.0
    q, k, v = (eighths(rng, 5, 4) for _ in range(3))
    heights = np.zeros((5, 4))
    heights[:, 0] = [1000.0, -1000.0, 0.0, 600.0, -300.0]
    return Probe(
        scores=scores,
        mask=mask,
        emptied=mask & (np.arange(3) != 1)[:, None],
        square_scores=eighths(rng, 5, 5),
        square_mask=square_mask,
        steep=steep,
        low=scores - 20000.0,
        q=q,
        k=k,
        v=v,
        wide_v=eighths(rng, 5, 6),
        other=eighths(rng, 3, 5, 4),
        c=np.array([5.0, -2.0, 3.0, 0.5]),
        at_height=(q + heights, np.concatenate([np.full((5, 1), 2.0), eighths(rng, 5, 3)], axis=1), eighths(rng, 5, 4)),
    )


# ---- causal_mask -----------------------------------------------------------------------------------


def expect_mask(mask, right, because):
    """Raise Failure unless the masks agree; says which query and key."""
    for i, j in np.argwhere(mask != right):
        word = "may" if right[i, j] else "may not"
        expect(False, f"{because} Query {i} {word} see key {j}; your mask has {mask[i, j]} at [{i}, {j}].")


@check(exercise="causal-mask", points=1, proves="the mask has a row per query and a column per key")
def returns_mask(student, probe):
    """causal_mask returns True and False, a row for each query and a column for each key."""
    student.causal_mask(5, 5)
    student.causal_mask(3, 5)


@check(exercise="causal-mask", points=1, needs=[returns_mask], proves="no query sees a later key")
def sees_no_later_key(student, probe):
    """With as many queries as keys, query i sees no key after its own position i."""
    mask = student.causal_mask(5, 5)
    later = ~np.tri(5, dtype=bool)
    expect_mask(mask, mask & ~later, "True means: may look. A later key is the future.")


@check(
    exercise="causal-mask",
    points=1,
    needs=[returns_mask],
    leans_on=[sees_no_later_key],
    proves="every query sees its own position",
)
def sees_itself(student, probe):
    """With as many queries as keys, query i sees key i, its own position."""
    mask = student.causal_mask(5, 5)
    expect_mask(mask, mask | np.eye(5, dtype=bool), "A position may use itself, and the first has nothing else.")


@check(
    exercise="causal-mask",
    points=1,
    needs=[returns_mask],
    leans_on=[sees_no_later_key, sees_itself],
    proves="every query sees all of its past",
)
def sees_the_whole_past(student, probe):
    """With as many queries as keys, query i sees every key before it, back to key 0."""
    mask = student.causal_mask(5, 5)
    expect_mask(mask, mask | np.tri(5, dtype=bool), "Nothing of the past is hidden.")


@check(
    exercise="causal-mask",
    points=1,
    needs=[returns_mask],
    leans_on=[sees_no_later_key, sees_itself, sees_the_whole_past],
    proves="fewer queries than keys are the last ones",
)
def aligned_at_the_end(student, probe):
    """Fewer queries than keys are the last ones: query i sees the keys j ≤ i + Tk - Tq."""
    for n_queries, n_keys in ((3, 5), (2, 12)):
        mask = student.causal_mask(n_queries, n_keys)
        because = f"The {n_queries} queries are the last {n_queries} of {n_keys} positions."
        expect_mask(mask, causal_mask(n_queries, n_keys), because)


@check(
    exercise="causal-mask",
    points=1,
    needs=[returns_mask],
    leans_on=[sees_no_later_key, sees_itself, sees_the_whole_past, aligned_at_the_end],
    proves="queries before the first key see nothing",
)
def more_queries_than_keys(student, probe):
    """More queries than keys: the rule holds, and the first Tq - Tk queries see nothing."""
    mask = student.causal_mask(5, 3)
    expect_mask(mask, causal_mask(5, 3), "5 queries end where 3 keys end: the first 2 stand before all keys.")


MASK = [sees_no_later_key, sees_itself, sees_the_whole_past, aligned_at_the_end]


# ---- masked_softmax --------------------------------------------------------------------------------


@check(exercise="masked-softmax", points=1, proves="hidden keys get exactly nothing")
def hidden_get_nothing(student, probe):
    """A key that the mask hides gets a weight of exactly 0."""
    weights = student.masked_softmax(probe.scores, probe.mask)
    because = "Where the mask is False, the weight is 0, not something small."
    hidden = np.where(probe.mask, 0.0, weights)
    expect_close(hidden, np.zeros((3, 5)), because, what="weights", tolerance=0.0)


@check(
    exercise="masked-softmax",
    points=1,
    leans_on=[hidden_get_nothing],
    proves="each row shares out exactly 1",
)
def visible_share_one(student, probe):
    """The visible keys of a row share out 1, each of them something."""
    weights = student.masked_softmax(probe.scores, probe.mask)
    because = "What the visible keys of a row get sums to 1."
    expect_close(weights.sum(axis=-1), np.ones(3), because, what="weights.sum(axis=-1)")
    smallest = weights[probe.mask].min()
    expect(smallest > 0, f"Every visible key gets a share above 0; your smallest is {smallest:.4g}.")


@check(
    exercise="masked-softmax",
    points=1,
    leans_on=[hidden_get_nothing, visible_share_one],
    proves="equal scores share equally",
)
def equal_scores_share(student, probe):
    """Scores of 0 share equally: with n visible keys each gets 1/n."""
    weights = student.masked_softmax(0 * probe.scores, probe.mask)
    shares = probe.mask / probe.mask.sum(axis=-1, keepdims=True)
    expect_close(weights, shares, "All scores are 0, so the visible keys of a row share equally.", what="weights")


@check(
    exercise="masked-softmax",
    points=1,
    leans_on=[hidden_get_nothing, visible_share_one, equal_scores_share],
    proves="hidden scores have no influence",
)
def hidden_scores_do_not_count(student, probe):
    """Other scores under the mask change nothing; other visible scores do."""
    weights = student.masked_softmax(probe.scores, probe.mask)
    under = np.where(probe.mask, probe.scores, -1.5 * probe.scores + 0.125)
    expect_close(student.masked_softmax(under, probe.mask), weights, "Only hidden scores were changed.", what="weights")
    expect_different(
        student.masked_softmax(-probe.scores, probe.mask),
        weights,
        "All scores changed their sign, but the",
        what="weights",
    )


@check(
    exercise="masked-softmax",
    points=1,
    leans_on=[hidden_get_nothing, visible_share_one, equal_scores_share, hidden_scores_do_not_count],
    proves="masked_softmax agrees with an independent NumPy calculation",
)
def softmax_oracle(student, probe):
    """masked_softmax agrees with the softmax of the visible scores in NumPy at double precision."""
    for scores, mask in ((probe.scores, probe.mask), (probe.square_scores, probe.square_mask)):
        weights = student.masked_softmax(scores, mask)
        expect_close(weights, masked_softmax(scores, mask), "NumPy disagrees.", what="weights")


SOFTMAX = [hidden_get_nothing, visible_share_one, equal_scores_share, hidden_scores_do_not_count, softmax_oracle]


@check(exercise="masked-softmax", points=1, leans_on=SOFTMAX, proves="a row that sees nothing gives zeros")
def empty_row(student, probe):
    """A row that sees nothing gives zeros, and the other rows stay as they are."""
    weights = student.masked_softmax(probe.scores, probe.emptied)
    because = "Row 1 may look nowhere, so it has nothing to share out: zeros, not shares and not NaN."
    expect_close(weights[1], np.zeros(5), because, what="Row 1 of weights")
    right = masked_softmax(probe.scores, probe.emptied)
    expect_close(weights, right, "Only row 1 lost its keys.", what="weights")


def stable(weights, otherwise):
    """Why weights at large scores are wrong: not finite, or ``otherwise``."""
    if np.isfinite(weights).all():
        return otherwise
    return "Weights are not finite: somewhere e to the score became infinite, or a whole row of them became 0."


@check(exercise="masked-softmax", points=1, leans_on=SOFTMAX, proves="large scores stay finite, row by row")
def large_scores(student, probe):
    """Rows of scores near 1000 and -1000, and a score of 500 above its row, come out right."""
    weights = student.masked_softmax(probe.steep, probe.mask)
    because = stable(weights, "The rows lie 1000 apart: each is stabilised by its own largest visible score.")
    right = masked_softmax(probe.steep, probe.mask)
    expect_close(weights, right, because, what="weights", tolerance=AT_LARGE_SCORES)


@check(
    exercise="masked-softmax",
    points=1,
    leans_on=[*SOFTMAX, large_scores],
    proves="hidden keys stay hidden beside very low scores",
)
def very_low_scores(student, probe):
    """Scores near -20000 leave the hidden keys at 0: what stands in for a hidden score lies far below."""
    weights = student.masked_softmax(probe.low, probe.mask)
    because = stable(weights, "All scores are near -20000: a fill of -10000 would be the largest of them.")
    right = masked_softmax(probe.low, probe.mask)
    expect_close(weights, right, because, what="weights", tolerance=AT_LOW_SCORES)


@advice(
    exercise="masked-softmax",
    needs=[softmax_oracle, empty_row, large_scores, very_low_scores],
    proves="hidden scores may be as large as they like",
)
def huge_hidden_scores(student, probe):
    """Hidden scores of 1000 have no influence either."""
    scores = np.where(probe.mask, probe.scores, 1000.0)
    weights = student.masked_softmax(scores, probe.mask)
    because = "Hidden scores are 1000 here: hide first, then take the maximum of what is left."
    expect_close(weights, masked_softmax(scores, probe.mask), because, what="weights", tolerance=AT_LARGE_SCORES)


@advice(exercise="masked-softmax", needs=[softmax_oracle, empty_row], proves="gradients stay finite on an empty row")
def softmax_gradients(student, probe):
    """Gradients by the scores are finite, also where a row sees nothing."""
    (gradient,) = student.transformed("grad", "masked_softmax", probe.scores, probe.emptied)
    because = (
        "A gradient is not finite: an infinity that is added to scores, or a NaN that is replaced afterwards, "
        "stays in the derivative. Choose with jnp.where before the exponential."
    )
    expect(np.isfinite(gradient).all(), because)


# ---- causal_attend ---------------------------------------------------------------------------------

BELOW = [*MASK, *SOFTMAX]


@check(exercise="causal-attend", points=1, leans_on=BELOW, proves="each query shares out exactly 1")
def rows_sum_to_one(student, probe):
    """causal_attend returns output and weights; every row of weights sums to 1, none of it negative."""
    _, weights = student.causal_attend(probe.q, probe.k, probe.v)
    because = "Every query shares out 1 over the keys that it sees: every row of the weights sums to 1."
    columns = weights.sum(axis=0)
    if np.allclose(columns, 1, atol=1e-4):
        because += " In yours it is the columns that do."
    expect_close(weights.sum(axis=-1), np.ones(5), because, what="weights.sum(axis=-1)")
    expect((weights >= 0).all(), f"A weight is a share and cannot be negative; the smallest is {weights.min():.4g}.")


@check(
    exercise="causal-attend",
    points=1,
    leans_on=[*BELOW, rows_sum_to_one],
    proves="the future gets exactly nothing",
)
def future_gets_nothing(student, probe):
    """Weights above the diagonal are exactly 0, and the first output is the first value."""
    output, weights = student.causal_attend(probe.q, probe.k, probe.v)
    because = "No query gives weight to a later key: everything above the diagonal is exactly 0."
    future = np.triu(weights, 1)
    expect_close(future, np.zeros((5, 5)), because, what="weights", tolerance=0.0)
    expect_close(output[0], probe.v[0], "Position 0 sees only itself, so it returns its own value.", what="output[0]")


@check(
    exercise="causal-attend",
    points=1,
    leans_on=[*BELOW, rows_sum_to_one, future_gets_nothing],
    proves="all of the past is used",
)
def past_is_used(student, probe):
    """Every key up to the query's own position gets some weight."""
    _, weights = student.causal_attend(probe.q, probe.k, probe.v)
    for i, j in np.argwhere(np.tri(5, dtype=bool) & ~(weights > 0)):
        expect(False, f"Query {i} may see key {j} and gives it {weights[i, j]:.4g}: hide the future and nothing else.")


@check(
    exercise="causal-attend",
    points=1,
    leans_on=[*BELOW, rows_sum_to_one, future_gets_nothing, past_is_used],
    proves="without a preference the output is the running mean",
)
def running_mean(student, probe):
    """Queries of zeros make the output the running mean of the values: row i is the mean of rows 0 to i."""
    output, weights = student.causal_attend(0 * probe.q, probe.k, probe.v)
    right_output, right_weights = causal_attention(0 * probe.q, probe.k, probe.v)
    expect_close(
        weights, right_weights, "Query i sees i + 1 keys and scores all of them 0: 1/(i + 1) each.", what="weights"
    )
    expect_close(output, right_output, "Row i is the mean of the value rows 0 to i.")


NEAR = [*BELOW, rows_sum_to_one, future_gets_nothing, past_is_used, running_mean]


@check(exercise="causal-attend", points=1, leans_on=NEAR, proves="the weights are those that mix")
def weights_reproduce_output(student, probe):
    """The output is the returned weights times the values, and moves with them."""
    output, weights = student.causal_attend(probe.q, probe.k, probe.v)
    expect_close(output, weights @ probe.v, "The output must be the returned weights times v.")


@check(
    exercise="causal-attend",
    points=1,
    leans_on=[*NEAR, weights_reproduce_output],
    proves="what comes later changes nothing earlier",
)
def future_changes_nothing(student, probe):
    """Whatever comes after position t, the outputs up to t stay, and those after it change."""
    inputs = (probe.q, probe.k, probe.v)
    output, _ = student.causal_attend(*inputs)
    for t in range(4):
        again = outputs_up_to(student, inputs, probe.other, t=t)
        because = f"Positions after {t} were changed, but the later rows of"
        expect_different(again[t + 1 :], output[t + 1 :], because)


def outputs_up_to(student, inputs, other, *, t, tolerance=TOLERANCE):
    """The outputs with every row after t as in ``other``, once rows 0 to t were found to be the same."""
    output, weights = student.causal_attend(*inputs)
    q, k, v = (np.concatenate([old[: t + 1], new[t + 1 :]]) for old, new in zip(inputs, other, strict=True))
    q[:, 0], k[:, 0] = inputs[0][:, 0], inputs[1][:, 0]  # the heights of the rows of scores stay
    again, moved = student.causal_attend(q, k, v)
    because = f"Only positions after {t} were changed, so rows 0 to {t} stay."
    expect_close(moved[: t + 1], weights[: t + 1], because, what="weights", tolerance=tolerance)
    expect_close(again[: t + 1], output[: t + 1], because, tolerance=tolerance)
    return again


@check(
    exercise="causal-attend",
    points=1,
    leans_on=[*NEAR, weights_reproduce_output, future_changes_nothing],
    proves="a beginning is answered as it is within the whole",
)
def prefix_is_enough(student, probe):
    """The first three positions alone get the rows that they get among five."""
    output, weights = student.causal_attend(probe.q, probe.k, probe.v)
    first, first_weights = student.causal_attend(probe.q[:3], probe.k[:3], probe.v[:3])
    expect_close(first_weights, weights[:3, :3], "Positions 3 and 4 were left out; rows 0 to 2 stay.", what="weights")
    expect_close(first, output[:3], "Positions 3 and 4 were left out; rows 0 to 2 stay.")


RELATIONS = [*NEAR, weights_reproduce_output, future_changes_nothing, prefix_is_enough]


@check(exercise="causal-attend", points=1, leans_on=RELATIONS, proves="each value reaches exactly its later positions")
def influence(student, probe):
    """Adding c to value row j moves output i by its weight for j times c: not at all before j, always from j on."""
    output, weights = student.causal_attend(probe.q, probe.k, probe.v)
    for j in range(5):
        moved, _ = student.causal_attend(probe.q, probe.k, probe.v + np.eye(5)[:, j : j + 1] * probe.c)
        because = (
            f"{probe.c.tolist()} was added to value row {j}: each output moves by its weight for key {j} times that."
        )
        expect_close(moved - output, weights[:, j : j + 1] * probe.c, because, what="The change of output")


@check(
    exercise="causal-attend",
    points=1,
    leans_on=[*RELATIONS, influence],
    proves="scores are scaled by √Dk, whatever Dk is",
)
def scale_calibration(student, probe):
    """The scale is 1/√Dk: twice the queries in four times the width leave the weights."""
    _, weights = student.causal_attend(probe.q, probe.k, probe.v)
    wide_q, wide_k, wide_v = (np.pad(part, ((0, 0), (0, 12))) for part in (2 * probe.q, probe.k, probe.v))
    _, same = student.causal_attend(wide_q, wide_k, wide_v)
    because = "Scores are divided by √Dk: zeros to width 16 and twice the queries leave the weights."
    expect_close(same, weights, because, what="weights")


@check(
    exercise="causal-attend",
    points=1,
    leans_on=[*RELATIONS, influence, scale_calibration],
    proves="the last position is plain attention",
)
def last_row_is_plain_attention(student, probe):
    """The last query sees everything: its row is that of attention without a mask."""
    output, weights = student.causal_attend(probe.q, probe.k, probe.v)
    right_output, right_weights = scaled_dot_product_attention(probe.q[-1:], probe.k, probe.v)
    expect_close(
        weights[-1:], right_weights, "From the last position nothing is hidden.", what="The last row of weights"
    )
    expect_close(output[-1:], right_output, "From the last position nothing is hidden.", what="The last row of output")


@check(
    exercise="causal-attend",
    points=1,
    leans_on=[*RELATIONS, influence, scale_calibration, last_row_is_plain_attention],
    proves="the last queries alone get their own rows",
)
def last_queries_alone(student, probe):
    """The last three queries over all keys get the last three rows."""
    output, weights = student.causal_attend(probe.q, probe.k, probe.v)
    last, last_weights = student.causal_attend(probe.q[-3:], probe.k, probe.v)
    because = "3 queries over 5 keys are the last 3 positions: the first of them sees keys 0 to 2, not key 0 alone."
    expect_close(last_weights, weights[-3:], because, what="weights")
    expect_close(last, output[-3:], because)


@check(
    exercise="causal-attend",
    points=1,
    leans_on=[*RELATIONS, influence, scale_calibration, last_row_is_plain_attention, last_queries_alone],
    proves="causal_attend agrees with an independent NumPy calculation",
)
def numpy_oracle(student, probe):
    """causal_attend agrees with causal attention computed in NumPy at double precision."""
    for inputs in ((probe.q, probe.k, probe.v), (probe.q[-3:], probe.k, probe.v)):
        output, weights = student.causal_attend(*inputs)
        right_output, right_weights = causal_attention(*inputs)
        expect_close(weights, right_weights, "NumPy disagrees.", what="weights")
        expect_close(output, right_output, "NumPy disagrees.")


ATTEND = [
    *RELATIONS,
    influence,
    scale_calibration,
    last_row_is_plain_attention,
    last_queries_alone,
    numpy_oracle,
]


@check(exercise="causal-attend", points=1, leans_on=ATTEND, proves="values may have any width")
def value_width(student, probe):
    """Values may have another width than the keys (here 6, and 4 for the keys)."""
    output, weights = student.causal_attend(probe.q, probe.k, probe.wide_v)
    right_output, right_weights = causal_attention(probe.q, probe.k, probe.wide_v)
    expect_close(weights, right_weights, "Scores do not depend on the value width.", what="weights")
    expect_close(output, right_output, "The output has the width of the values.")


@check(
    exercise="causal-attend",
    points=1,
    leans_on=[*ATTEND, large_scores],
    proves="large scores stay finite and causal",
)
def steep_attention(student, probe):
    """Rows of scores near 1000, -1000 and 0 give finite numbers, and the future still changes nothing."""
    output, weights = student.causal_attend(*probe.at_height)
    right_output, right_weights = causal_attention(*probe.at_height)
    because = stable(weights, "All scores of a row are near 1000, -1000 or so and differ by little.")
    expect_close(weights, right_weights, because, what="weights", tolerance=AT_LARGE_SCORES)
    expect_close(output, right_output, because, tolerance=AT_LARGE_SCORES)
    outputs_up_to(student, probe.at_height, probe.other, t=1, tolerance=AT_LARGE_SCORES)


WHOLE = [*ATTEND, empty_row, large_scores, very_low_scores, value_width, steep_attention]


@advice(
    exercise="causal-attend",
    needs=[numpy_oracle, value_width, steep_attention],
    proves="queries before the first key return zeros",
)
def attend_more_queries_than_keys(student, probe):
    """More queries than keys: the ones that see nothing return zeros."""
    output, _ = student.causal_attend(probe.q, probe.k[:3], probe.v[:3])
    right, _ = causal_attention(probe.q, probe.k[:3], probe.v[:3])
    expect_close(output, right, "5 queries end where 3 keys end: the first 2 see nothing and return zeros.")


@advice(exercise="causal-attend", needs=[numpy_oracle], proves="causal_attend works inside jax.jit")
def attend_under_jit(student, probe):
    """causal_attend gives the same values inside jax.jit."""
    output, _ = student.transformed("jit", "causal_attend", probe.q, probe.k, probe.v)
    right, _ = causal_attention(probe.q, probe.k, probe.v)
    expect_close(output, right, "Under jit the values change.", tolerance=1e-4)


@advice(exercise="causal-attend", needs=[numpy_oracle], proves="causal_attend works under jax.vmap")
def attend_under_vmap(student, probe):
    """jax.vmap over a batch of queries gives what separate calls give."""
    output, _ = student.transformed("vmap", "causal_attend", probe.q[None], probe.k, probe.v)
    right, _ = causal_attention(probe.q, probe.k, probe.v)
    expect_close(output, right[None], "Under vmap the values change.", tolerance=1e-4)


@advice(exercise="causal-attend", needs=[numpy_oracle, steep_attention], proves="gradients stay finite")
def attend_gradients(student, probe):
    """Gradients by queries, keys and values are finite, at large scores too."""
    for name, gradient in zip("qkv", student.transformed("grad", "causal_attend", *probe.at_height), strict=True):
        expect(np.isfinite(gradient).all(), f"The gradient by {name} is not finite: hide with jnp.where before exp.")


# ---- the exercises ---------------------------------------------------------------------------------

# The sentence: queries, keys and values of "The animal didn't cross the street because it was tired".
NONE = [0.0, 0.0, 0.0, 0.0]
THE = [-1.0, 0.0, -1.0, 0.0]
Q = np.array(
    [NONE, [-1, 0, -1, 0], NONE, [1, 1, 0, 1], NONE, [-2, 0, -2, 0], NONE, [1, 1, 1, 1], NONE, [2, 2, 0, 2]],
    dtype=float,
)
K = np.array(
    [
        *(THE, [1, 1, 1, 1], [0, -1, 0, -1], [0, 1, -1, -1], THE),
        *([1, 0, 0, 0], [-1, -1, 0, 0], NONE, [0, 0, -1, 0], [1, 1, 0, 0]),
    ],
    dtype=float,
)
V = np.array([[3, 0], [6, 1], [6, 0], [5, 0], [3, 0], [6, 1], [7, 0], [2, 0], [3, 0], [5, 0]], dtype=float)


def expect_the_sentence(student):
    """Raise Failure unless q, k and v are the lesson's."""
    for name, value in (("q", Q), ("k", K), ("v", V)):
        expect_close(student.variable(name), value, f"The runs need the sentence's {name} as it came.", what=name)


@check(exercise="experiments", points=1, leans_on=WHOLE, proves="the sentence is read from left to right")
def sentence(student, probe):
    """output and weights hold what causal_attend makes of the ten words."""
    expect_the_sentence(student)
    right_output, right_weights = causal_attention(Q, K, V)
    expect_close(student.variable("weights"), right_weights, "Weights of the ten words.", what="weights")
    expect_close(student.variable("output"), right_output, "Output of the ten words.")


@check(
    exercise="experiments",
    points=1,
    leans_on=[*WHOLE, sentence],
    proves="without a mask tired would count, and without a preference all that is visible does",
)
def free_and_indifferent(student, probe):
    """free_w holds the weights without a mask, means the running means of the values."""
    expect_the_sentence(student)
    _, right = scaled_dot_product_attention(Q, K, V)
    expect_close(student.variable("free_w"), right, "A mask of True throughout hides nothing.", what="free_w")
    means, _ = causal_attention(0 * Q, K, V)
    expect_close(student.variable("means"), means, "Row i is the mean of the value rows 0 to i.", what="means")


def own_change(student):
    """The student's t, new_k and new_v, if rows 0 to t are as they were and something after t is not."""
    expect_the_sentence(student)
    position = float(student.variable("t", shape=()))
    expect(position in range(9), f"t is {position:g}; a position from 0 to 8 leaves something after it.")
    t = int(position)
    new_k, new_v = student.variable("new_k", shape=(10, 4)), student.variable("new_v", shape=(10, 2))
    for name, new, old in (("new_k", new_k, K), ("new_v", new_v, V)):
        because = f"t is {t}: rows 0 to {t} stay as they are; the change begins with row {t + 1}, at[t + 1 :]."
        expect_close(new[: t + 1], old[: t + 1], because, what=name)
    return t, new_k, new_v


@check(exercise="make-it-yours", points=1, leans_on=WHOLE, proves="your own change lies after t")
def another_ending(student, probe):
    """new_k and new_v differ from k and v after position t, and nowhere else."""
    t, new_k, new_v = own_change(student)
    both = np.concatenate([new_k, new_v], axis=1)
    because = f"Rows {t + 1} to 9 of new_k and new_v were to change, but"
    expect_different(both, np.concatenate([K, V], axis=1), because, what="all of it")


@check(
    exercise="make-it-yours",
    points=1,
    leans_on=[*WHOLE, another_ending],
    proves="your own change leaves everything before it",
)
def beginning_stays(student, probe):
    """changed is the output with the new ending: the same up to t, different after it."""
    t, new_k, new_v = own_change(student)
    changed = student.variable("changed", given=[new_k, new_v])
    right, _ = causal_attention(Q, new_k, new_v)
    expect_close(changed, right, "The output of causal_attend(q, new_k, new_v).", what="changed")
    before, _ = causal_attention(Q, K, V)
    expect_different(changed, before, f"With t = {t} your change reaches no output; make it larger:", what="changed")


@check(exercise="window", points=1, leans_on=WHOLE, proves="a window of three shows three")
def window_of_three(student, probe):
    """window_w shares equally among the last three positions, itself among them."""
    window_w = student.variable("window_w", shape=(10, 10))
    right = masked_softmax(np.zeros((10, 10)), WINDOW)
    because = "Query i sees keys i - 2, i - 1 and i, as far as they exist, and all scores are 0."
    expect_close(window_w, right, because, what="window_w")


@check(exercise="window", points=1, leans_on=[*WHOLE, window_of_three], proves="two layers of windows reach four back")
def two_layers_reach_further(student, probe):
    """two_layers holds how much of each position arrives after two layers of that window."""
    window_w = student.variable("window_w", shape=(10, 10))
    two_layers = student.variable("two_layers", given=[window_w])
    right = masked_softmax(np.zeros((10, 10)), WINDOW)
    because = "The second layer mixes what the first one mixed: a matrix product."
    expect_close(two_layers, right @ right, because, what="two_layers")


WINDOW = causal_mask(10, 10) & ~np.tri(10, k=-3, dtype=bool)


@check(exercise="repair", points=1, leans_on=WHOLE, proves="a mask aligned at the start forgets")
def fault_is_shown(student, probe):
    """forgotten holds what the given, wrong function says of the last three queries."""
    expect_the_sentence(student)
    right = masked_softmax(Q[-3:] @ K.T / 2, np.tri(3, 10, dtype=bool))
    because = "The given function lets the first of the three queries see only key 0."
    expect_close(student.variable("forgotten"), right, because, what="forgotten")


@check(exercise="repair", points=1, leans_on=WHOLE, proves="aligned at the end nothing is forgotten")
def fault_is_repaired(student, probe):
    """repaired holds the last three rows of the weights of the whole sentence."""
    expect_the_sentence(student)
    _, right = causal_attention(Q[-3:], K, V)
    because = "The three queries are positions 7, 8 and 9: the first of them sees keys 0 to 7."
    expect_close(student.variable("repaired"), right, because, what="repaired")
