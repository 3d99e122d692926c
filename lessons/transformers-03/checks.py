"""The relations that heads obey, from one cut row to grouped keys under a mask, then the comparison with NumPy.

Probe values are multiples of 1/16, so that float32 holds them and most of their products exactly. All sizes differ:
T = 5 tokens of width D = 7, H = 6 heads of width d = 4, H·d = 24. Masks let every token attend to something.
"""

from dataclasses import dataclass

import numpy as np

from grader.checking import advice, check, expect, expect_close, expect_different
from grader.oracle.attention import multi_head_attention, scaled_dot_product_attention, split_heads

T, D, H, G, WIDTH = 5, 7, 6, 2, 4
CAUSAL = np.tri(T, dtype=bool)
# Neither symmetric nor a triangle; every row has both, and so has every column.
UNEVEN = np.array([[1, 0, 1, 0, 0], [0, 1, 1, 1, 0], [1, 0, 0, 0, 1], [1, 1, 1, 0, 0], [0, 0, 0, 1, 1]], dtype=bool)

# At scores of a few thousand other right orders of summation and scaling differ by 5e-5 where softmax
# goes through logarithms; wrong answers are off by 0.1 and more.
AT_LARGE_SCORES = 5e-3

# The lesson's own numbers.
THING, PRONOUN, STATE = np.eye(3)
NONE = np.zeros(3)
NUMBERS = np.arange(12.0).reshape(2, 6)
WORDS = np.stack([THING + STATE / 2, THING, PRONOUN, NONE, STATE])
PARAMS = {
    "wq": 4 * np.stack([PRONOUN, PRONOUN / 4, NONE, THING, STATE, NONE, PRONOUN, STATE], axis=1),
    "wk": np.stack([THING, STATE, PRONOUN, STATE], axis=1),
    "wv": np.stack([STATE, THING, THING, PRONOUN], axis=1),
    "wo": np.stack([STATE, THING, STATE, THING / 4, THING, PRONOUN, THING / 4, PRONOUN / 2]),
}


@dataclass(frozen=True)
class Probe:
    """The inputs of one grading."""

    flat: np.ndarray  # (5, 12), to be split into 3, 2 and 1 heads
    stacked: np.ndarray  # (3, 5, 4), to be merged
    x: np.ndarray  # (5, 7), five tokens
    full: dict[str, np.ndarray]  # as many key/value heads as heads
    grouped: dict[str, np.ndarray]  # two key/value heads
    single: dict[str, np.ndarray]  # one key/value head
    lone: dict[str, np.ndarray]  # one head altogether
    square: tuple[dict[str, np.ndarray], np.ndarray]  # H·d = D = 6 = T, with its own x
    tiny: tuple[dict[str, np.ndarray], np.ndarray]  # 2 heads on 1 and 2 tokens of width 1: few enough to retype
    order: np.ndarray  # (5,), moves every token
    heads: tuple[np.ndarray, np.ndarray, np.ndarray]  # (6, 5, 4), (2, 5, 4), (2, 5, 4)


def eighths(rng, *shape):
    """Multiples of 1/8 between -1 and 1, of both signs and never 0."""
    return rng.integers(1, 9, shape) * rng.choice([-1.0, 1.0], shape) / 8


def layer(rng, heads, kv_heads, *, model=D, width=WIDTH):
    """Random params of one layer."""
    shapes = {"wq": (model, heads), "wk": (model, kv_heads), "wv": (model, kv_heads)}
    params = {name: eighths(rng, rows, columns * width) for name, (rows, columns) in shapes.items()}
    return params | {"wo": eighths(rng, heads * width, model) / 2}  # a sum of many terms stays near unit scale


def probe(rng):
    """All sizes different but in the square case; entries of both signs."""
    return Probe(
        flat=eighths(rng, T, 12),
        stacked=eighths(rng, 3, T, WIDTH),
        x=eighths(rng, T, D),
        full=layer(rng, H, H),
        grouped=layer(rng, H, G),
        single=layer(rng, H, 1),
        lone=layer(rng, 1, 1),
        square=(layer(rng, 3, 3, model=6, width=2), eighths(rng, 6, 6)),
        tiny=(layer(rng, 2, 1, model=1, width=2), 4 * eighths(rng, 2, 1)),
        order=np.roll(np.arange(T), int(rng.integers(1, T))),
        heads=(2 * eighths(rng, H, T, WIDTH), 2 * eighths(rng, G, T, WIDTH), eighths(rng, G, T, WIDTH)),
    )


def changed(params, **parts):
    """``params`` with some matrices replaced."""
    return params | parts


def columns(matrix, heads):
    """(D, n·d) -> (n, D, d): the columns of every head."""
    return np.moveaxis(matrix.reshape(len(matrix), heads, -1), 1, 0)


def beside(blocks):
    """(n, D, d) -> (D, n·d): the columns of every head again."""
    return np.concatenate(list(blocks), axis=1)


def one_head_changed(matrix, heads, head):
    """``matrix`` (D, n·d) with other columns for one head."""
    blocks = columns(matrix, heads).copy()
    blocks[head] = -blocks[head][:, ::-1]
    return beside(blocks)


# ---- split and merge ----------------------------------------------------------------------------------


@check(exercise="split", points=1, proves="split_heads makes heads of any number and width")
def splits_into_heads(student, probe):
    """split_heads turns rows of H·d numbers into H heads of width d: (H, T, d)."""
    for heads in (3, 2, 1):
        student.split_heads(probe.flat, heads)


@check(exercise="split", points=1, needs=[splits_into_heads], proves="a token's numbers stay with the token")
def split_keeps_tokens_apart(student, probe):
    """Changing one token changes only that token, in every head."""
    before = student.split_heads(probe.flat, 3)
    row = probe.flat.copy()
    row[1] += 4.0
    after = student.split_heads(row, 3)
    wanted = before.copy()
    wanted[:, 1] += 4.0
    expect_close(after, wanted, "4 was added to every number of token 1, and heads[:, 1] has to follow.", what="heads")


@check(exercise="split", points=1, needs=[split_keeps_tokens_apart], proves="head h owns the columns h·d to (h+1)·d")
def split_owns_columns(student, probe):
    """Head h holds the columns h·d to (h+1)·d, in their order."""
    for count in (3, 2):
        heads, width = student.split_heads(probe.flat, count), 12 // count
        for head in range(count):
            because = f"Of {count} heads, head {head} owns columns {head * width} to {(head + 1) * width - 1}."
            expect_close(heads[head], probe.flat[:, head * width : (head + 1) * width], because, what=f"heads[{head}]")


@check(exercise="merge", points=1, proves="merge_heads makes one row per token")
def merges_into_rows(student, probe):
    """merge_heads turns H heads of width d into one row of H·d numbers per token: (T, H·d)."""
    student.merge_heads(probe.stacked)
    student.merge_heads(probe.heads[0])


@check(exercise="merge", points=1, needs=[merges_into_rows], proves="a token's heads end up in one row")
def merge_keeps_tokens_apart(student, probe):
    """Changing one token in every head changes only that token's row."""
    before = student.merge_heads(probe.stacked)
    heads = probe.stacked.copy()
    heads[:, 1] += 4.0
    after = student.merge_heads(heads)
    wanted = before.copy()
    wanted[1] += 4.0
    expect_close(after, wanted, "4 was added to token 1 in every head, and rows[1] has to follow.", what="rows")


@check(exercise="merge", points=1, needs=[merge_keeps_tokens_apart], proves="head h fills the columns h·d to (h+1)·d")
def merge_fills_columns(student, probe):
    """The columns h·d to (h+1)·d of a row hold head h, in order."""
    rows = student.merge_heads(probe.stacked)
    for head, wanted in enumerate(probe.stacked):
        start, end = head * WIDTH, (head + 1) * WIDTH
        because = f"Columns {start} to {end - 1} hold head {head}."
        expect_close(rows[:, start:end], wanted, because, what=f"rows[:, {start}:{end}]")


@check(
    exercise="merge",
    points=1,
    leans_on=[split_owns_columns, merge_fills_columns],
    proves="merging undoes splitting, whatever the width",
)
def merging_undoes_splitting(student, probe):
    """merge_heads(split_heads(x, H)) is x, for 3, 2 and 1 heads."""
    for heads in (3, 2, 1):
        again = student.merge_heads(student.split_heads(probe.flat, heads))
        expect_close(again, probe.flat, f"Split into {heads} and merged again, a row is what it was.", what="rows")


CUTTING = (split_owns_columns, merge_fills_columns)


# ---- as many key/value heads as heads -------------------------------------------------------------------


@check(exercise="attention", points=1, leans_on=CUTTING, proves="output (T, D) and a weight table per head come back")
def returns_output_and_weights(student, probe):
    """multi_head_attention returns the output (T, D) and the weights (H, T, T), whether or not D is H·d."""
    student.multi_head_attention(probe.full, probe.x, H, H, None)


@check(
    exercise="attention",
    points=1,
    needs=[returns_output_and_weights],
    leans_on=CUTTING,
    proves="in every head each query shares out exactly 1",
)
def rows_sum_to_one(student, probe):
    """In every head each query distributes a weight of 1 over the keys, none of it negative."""
    _, weights = student.multi_head_attention(probe.full, probe.x, H, H, None)
    because = "In every head each query distributes 1 over the keys."
    for axis, name in ((1, "over the queries"), (0, "over the heads")):
        if np.allclose(weights.sum(axis=axis), 1, atol=1e-4):
            because += f" Yours sum to 1 {name}."
    expect_close(weights.sum(axis=-1), np.ones((H, T)), because, what="weights.sum(axis=-1)")
    expect((weights >= -1e-6).all(), f"A weight is a share, never negative; the smallest is {weights.min():.4g}.")


BASICS = (*CUTTING, returns_output_and_weights, rows_sum_to_one)


@check(
    exercise="attention",
    points=1,
    needs=[rows_sum_to_one],
    leans_on=CUTTING,
    proves="one head alone is the attention of lesson 01, then wo",
)
def one_head_is_attention(student, probe):
    """With one head it is the attention of lesson 01 on x·wq, x·wk and x·wv, times wo."""
    output, weights = student.multi_head_attention(probe.lone, probe.x, 1, 1, None)
    q, k, v = (probe.x @ probe.lone[name] for name in ("wq", "wk", "wv"))
    mixed, right = scaled_dot_product_attention(q, k, v)
    because = "With one head of width 4, the weights are those of attention on x @ wq and x @ wk."
    factor = measured_factor(weights, (q @ k.T)[None])
    if factor is not None and abs(factor - WIDTH**-0.5) > 1e-3:
        because += f" Your scores are multiplied by {factor:.4g} where 1/√d = {WIDTH**-0.5} is right."
    expect_close(weights, right[None], because, what="weights")
    expect_close(output, mixed @ probe.lone["wo"], "The output is the mixture of x @ wv, times wo.")


def measured_factor(weights, products):
    """What the dot products (…, T, T) were multiplied by, if one factor explains all weights; else None."""
    if not (weights > 0).all():
        return None
    logs = np.log(weights)
    odds = (logs - logs.mean(axis=-1, keepdims=True)).ravel()
    scores = (products - products.mean(axis=-1, keepdims=True)).ravel()
    factor = float(odds @ scores / (scores @ scores))
    return factor if np.allclose(odds, factor * scores, atol=1e-3) else None


@check(
    exercise="attention",
    points=1,
    needs=[rows_sum_to_one],
    leans_on=[*CUTTING, one_head_is_attention],
    proves="equal scores share equally in every head",
)
def uniform_queries(student, probe):
    """With a wq of zeros every head takes the mean of its values."""
    params = changed(probe.full, wq=0 * probe.full["wq"])
    output, weights = student.multi_head_attention(params, probe.x, H, H, None)
    expect_close(weights, np.full((H, T, T), 1 / T), "All queries are 0, so each of 5 keys gets 1/5.", what="weights")
    mean = np.repeat((probe.x @ params["wv"]).mean(axis=0, keepdims=True) @ params["wo"], T, axis=0)
    expect_close(output, mean, "All queries are 0: every token gets the mean of x @ wv, times wo.")


@check(
    exercise="attention",
    points=1,
    needs=[rows_sum_to_one],
    leans_on=[*CUTTING, one_head_is_attention, uniform_queries],
    proves="tokens may come in any order",
)
def permuted_tokens(student, probe):
    """Without a mask, reordering the tokens reorders the output rows and nothing else."""
    output, weights = student.multi_head_attention(probe.full, probe.x, H, H, None)
    again, moved = student.multi_head_attention(probe.full, probe.x[probe.order], H, H, None)
    because = f"The tokens were reordered ({probe.order.tolist()})."
    expect_close(moved, weights[:, probe.order][:, :, probe.order], because, what="weights")
    expect_close(again, output[probe.order], because)


@check(
    exercise="attention",
    points=1,
    needs=[rows_sum_to_one],
    leans_on=[*CUTTING, one_head_is_attention, uniform_queries, permuted_tokens],
    proves="each head has its own queries",
)
def heads_are_separate(student, probe):
    """Other columns of wq for one head change the weights of that head and of no other."""
    _, weights = student.multi_head_attention(probe.full, probe.x, H, H, None)
    params = changed(probe.full, wq=one_head_changed(probe.full["wq"], H, 1))
    _, moved = student.multi_head_attention(params, probe.x, H, H, None)
    others = [head for head in range(H) if head != 1]
    because = "Only columns 4 to 7 of wq were changed, those of head 1:"
    expect_close(moved[others], weights[others], f"{because} the other heads stay.", what="weights of the others")
    expect_different(moved[1], weights[1], because, what="weights[1]")


HEADS = (*BASICS, one_head_is_attention, uniform_queries, permuted_tokens, heads_are_separate)


@check(
    exercise="attention",
    points=1,
    needs=[rows_sum_to_one],
    leans_on=HEADS,
    proves="the scale is 1/√d, whatever D and H are",
)
def scale_by_head_width(student, probe):
    """The scale is 1/√d: heads four times as wide, filled up with zeros, and twice the queries leave the weights."""
    _, weights = student.multi_head_attention(probe.full, probe.x, H, H, None)
    wide = {
        name: beside(np.pad(columns(probe.full[name], H), ((0, 0), (0, 0), (0, 12)))) for name in ("wq", "wk", "wv")
    }
    wide["wo"] = np.pad(probe.full["wo"].reshape(H, WIDTH, D), ((0, 0), (0, 12), (0, 0))).reshape(-1, D)
    wide["wq"] = 2 * wide["wq"]
    _, same = student.multi_head_attention(wide, probe.x, H, H, None)
    because = (
        "Scores are divided by √d, the width of a head: zeros to width 16 and twice the queries leave the weights."
    )
    for width, found, params in ((4, weights, probe.full), (16, same, wide)):
        q, k = (split_heads(probe.x @ params[name], H) for name in ("wq", "wk"))
        products = q @ np.swapaxes(k, -1, -2)
        factor = measured_factor(found, products)
        if factor is not None and abs(factor - width**-0.5) > 1e-3:
            because += (
                f" At d = {width} yours are multiplied by {factor:.4g} where 1/√{width} = {width**-0.5} is right."
            )
            right = scaled_dot_product_attention(q, k, k)[1]
            expect_close(found, right, because, what="weights")
    expect_close(same, weights, because, what="weights")


@check(
    exercise="attention",
    points=1,
    needs=[rows_sum_to_one],
    leans_on=[*HEADS, scale_by_head_width],
    proves="values are mixed and take no part in the weights",
)
def values_are_mixed(student, probe):
    """Twice the wv gives twice the output and leaves the weights."""
    output, weights = student.multi_head_attention(probe.full, probe.x, H, H, None)
    params = changed(probe.full, wv=2 * probe.full["wv"])
    twice, same = student.multi_head_attention(params, probe.x, H, H, None)
    expect_close(same, weights, "wv makes the values, and values take no part in the weights.", what="weights")
    expect_close(twice, 2 * output, "wv was doubled, so every value and every output doubles.")


ROLES = (*HEADS, scale_by_head_width, values_are_mixed)


@check(
    exercise="attention",
    points=2,
    needs=[rows_sum_to_one],
    leans_on=ROLES,
    proves="the output is a sum over heads",
)
def sum_of_single_heads(student, probe):
    """The output is the sum over heads: attention on the head's own columns, times the head's own rows of wo."""
    output, weights = student.multi_head_attention(probe.full, probe.x, H, H, None)
    total = np.zeros((T, D))
    rows = probe.full["wo"].reshape(H, WIDTH, D)
    for head in range(H):
        q, k, v = (probe.x @ columns(probe.full[name], H)[head] for name in ("wq", "wk", "wv"))
        mixed, right = scaled_dot_product_attention(q, k, v)
        because = f"Head {head} attends with columns {4 * head} to {4 * head + 3} of wq and wk."
        expect_close(weights[head], right, because, what=f"weights[{head}]")
        total += mixed @ rows[head]
    expect_close(output, total, "The output is the sum over heads of its mixture times its own 4 rows of wo.")


SUMMED = (*ROLES, sum_of_single_heads)


@check(
    exercise="attention",
    points=1,
    needs=[rows_sum_to_one],
    leans_on=SUMMED,
    proves="heads may be numbered in any order",
)
def permuted_heads(student, probe):
    """Moving a head's columns of wq, wk, wv together with its rows of wo leaves the output."""
    order = np.roll(np.arange(H), 2)
    output, weights = student.multi_head_attention(probe.full, probe.x, H, H, None)
    moved = {name: beside(columns(probe.full[name], H)[order]) for name in ("wq", "wk", "wv")}
    moved["wo"] = probe.full["wo"].reshape(H, WIDTH, D)[order].reshape(-1, D)
    same, turned = student.multi_head_attention(moved, probe.x, H, H, None)
    expect_close(turned, weights[order], f"The heads were renumbered ({order.tolist()}).", what="weights")
    expect_close(same, output, "The heads were renumbered, in wq, wk, wv and wo alike, and a sum has no order.")


# ---- fewer key/value heads ----------------------------------------------------------------------------------


@check(
    exercise="attention",
    points=1,
    needs=[returns_output_and_weights],
    leans_on=[*SUMMED, permuted_heads],
    proves="fewer key/value heads are the same as repeated columns",
)
def grouped_is_repeated(student, probe):
    """With 2 or 1 key/value heads the result is that of 6 heads with the columns of wk and wv repeated."""
    for groups, params in ((G, probe.grouped), (1, probe.single)):
        repeated = {
            name: beside(np.repeat(columns(params[name], groups), H // groups, axis=0)) for name in ("wk", "wv")
        }
        output, weights = student.multi_head_attention(params, probe.x, H, groups, None)
        wide_output, wide_weights = student.multi_head_attention(changed(params, **repeated), probe.x, H, H, None)
        serves = f"{groups} key/value head{'s' if groups > 1 else ''} for 6 heads: each serves {H // groups} in a row."
        expect_close(weights, wide_weights, serves, what="weights")
        expect_close(output, wide_output, serves)


@check(
    exercise="attention",
    points=1,
    needs=[grouped_is_repeated],
    leans_on=SUMMED,
    proves="a key/value head serves neighbouring heads alone",
)
def group_serves_neighbours(student, probe):
    """Other columns of wk for key head 1 of 2 change the weights of heads 3, 4 and 5 and of no other."""
    _, weights = student.multi_head_attention(probe.grouped, probe.x, H, G, None)
    params = changed(probe.grouped, wk=one_head_changed(probe.grouped["wk"], G, 1))
    _, moved = student.multi_head_attention(params, probe.x, H, G, None)
    expect_close(moved[:3], weights[:3], "Key head 1 was changed; heads 0 to 2 use key head 0.", what="weights[:3]")
    for head in (3, 4, 5):
        expect_different(moved[head], weights[head], "Key head 1 was changed, but the", what=f"weights[{head}]")


GROUPED = (*SUMMED, grouped_is_repeated, group_serves_neighbours)


# ---- masks --------------------------------------------------------------------------------------------------------


@check(
    exercise="attention",
    points=1,
    needs=[rows_sum_to_one],
    leans_on=GROUPED,
    proves="the mask holds in every head",
)
def forbidden_get_nothing(student, probe):
    """In every head a key that the mask forbids gets 0, a key that it allows gets a share, and rows sum to 1."""
    for name, mask in (("causal", CAUSAL), ("uneven", UNEVEN)):
        _, weights = student.multi_head_attention(probe.full, probe.x, H, H, mask)
        expect(np.isfinite(weights).all(), f"Under the {name} mask some weights are not finite.")
        leaked = weights * ~mask
        head, row, column = (int(i) for i in np.unravel_index(np.abs(leaked).argmax(), leaked.shape))
        expect(
            abs(leaked[head, row, column]) <= 1e-7,
            f"Under the {name} mask token {row} may not attend to token {column}, "
            f"but weights[{head}, {row}, {column}] is {leaked[head, row, column]:.4g}.",
        )
        because = f"Under the {name} mask each query still distributes 1 over the keys that it may see."
        expect_close(weights.sum(axis=-1), np.ones((H, T)), because, what="weights.sum(axis=-1)")
        expect((weights[:, mask] > 0).all(), f"Under the {name} mask a key that may be seen gets no weight at all.")


@check(
    exercise="attention",
    points=1,
    needs=[forbidden_get_nothing],
    leans_on=GROUPED,
    proves="what the mask allows is shared as without it",
)
def mask_keeps_proportions(student, probe):
    """Among the keys that the mask allows, weights keep their proportions; a mask of True changes nothing."""
    output, weights = student.multi_head_attention(probe.full, probe.x, H, H, None)
    free, same = student.multi_head_attention(probe.full, probe.x, H, H, np.ones((T, T), dtype=bool))
    expect_close(same, weights, "A mask that allows everything hides nothing.", what="weights")
    expect_close(free, output, "A mask that allows everything hides nothing.")
    _, masked = student.multi_head_attention(probe.full, probe.x, H, H, UNEVEN)
    kept = weights * UNEVEN
    because = "Keys that may be seen keep their proportions; the hidden share goes to them."
    expect_close(masked, kept / kept.sum(axis=-1, keepdims=True), because, what="weights")


@check(
    exercise="attention",
    points=1,
    needs=[forbidden_get_nothing],
    leans_on=[*GROUPED, mask_keeps_proportions],
    proves="a token that sees itself alone keeps its own value",
)
def first_token(student, probe):
    """Under a causal mask the first token sees itself alone: its output is x·wv·wo."""
    output, _ = student.multi_head_attention(probe.full, probe.x, H, H, CAUSAL)
    own = probe.x[:1] @ probe.full["wv"] @ probe.full["wo"]
    expect_close(output[:1], own, "Token 0 sees itself alone: its output is x[0] @ wv @ wo.", what="output[:1]")


@check(
    exercise="attention",
    points=1,
    needs=[forbidden_get_nothing],
    leans_on=[*GROUPED, mask_keeps_proportions, first_token],
    proves="under a causal mask the past does not know the future",
)
def future_unknown(student, probe):
    """Under a causal mask, other tokens from the fourth on leave the first three output rows."""
    output, _ = student.multi_head_attention(probe.full, probe.x, H, H, CAUSAL)
    x = np.concatenate([probe.x[:3], -2 * probe.x[3:]])
    again, _ = student.multi_head_attention(probe.full, x, H, H, CAUSAL)
    expect_close(again[:3], output[:3], "Tokens 3 and 4 were changed; rows 0 to 2 come before them.")
    expect_different(again[3:], output[3:], "Tokens 3 and 4 were changed, but their", what="output[3:]")


@check(
    exercise="attention",
    points=1,
    needs=[rows_sum_to_one],
    leans_on=[*GROUPED, forbidden_get_nothing, mask_keeps_proportions, first_token, future_unknown],
    proves="large scores stay finite, masked or not",
)
def large_scores(student, probe):
    """With queries 1024 times as large all numbers are finite: in each row the best allowed key takes all."""
    params = changed(probe.full, wq=1024 * probe.full["wq"])
    for mask in (None, UNEVEN):
        output, weights = student.multi_head_attention(params, probe.x, H, H, mask)
        right_output, right_weights = multi_head_attention(params, probe.x, H, H, mask)
        because = "Queries 1024 times as large: the allowed key with the largest score takes all."
        if not np.isfinite(weights).all():
            because = "Weights are not finite at large scores: subtract each row's maximum before the exponential."
        expect_close(weights, right_weights, because, what="weights", tolerance=AT_LARGE_SCORES)
        expect_close(output, right_output, because, tolerance=AT_LARGE_SCORES)


MASKED = (*GROUPED, forbidden_get_nothing, mask_keeps_proportions, first_token, future_unknown, large_scores)


@check(exercise="attention", points=1, needs=[rows_sum_to_one], leans_on=MASKED, proves="no call leaves traces")
def repeated_call(student, probe):
    """The same question gets the same answer, whatever was asked in between."""
    question = ("multi_head_attention", probe.grouped, probe.x, H, G, UNEVEN)
    first = student.ask_again(*question)
    other, _ = student.ask_again("multi_head_attention", probe.grouped, -2 * probe.x[::-1], H, G, CAUSAL)
    second = student.ask_again(*question)
    expect_different(other, first[0], "Another question, of the same shapes, was asked after the first, but the")
    for what, before, after in zip(("output", "weights"), first, second, strict=True):
        expect_close(after, before, "The same call was made twice, with another one in between.", what=what)


@check(
    exercise="attention",
    points=2,
    needs=[rows_sum_to_one],
    leans_on=[*MASKED, permuted_heads, repeated_call],
    proves="multi_head_attention agrees with an independent NumPy calculation",
)
def numpy_oracle(student, probe):
    """multi_head_attention agrees with NumPy at double precision, grouped and masked."""
    square, x = probe.square
    for call in (
        (probe.grouped, probe.x, H, G, None),
        (probe.grouped, probe.x, H, G, UNEVEN),
        (probe.single, probe.x, H, 1, CAUSAL),
        (square, x, 3, 3, None),
    ):
        output, weights = student.multi_head_attention(*call)
        right_output, right_weights = multi_head_attention(*call)
        because = f"NumPy disagrees, with {call[2]} heads, {call[3]} key/value heads."
        expect_close(weights, right_weights, because, what="weights")
        expect_close(output, right_output, because)


@advice(exercise="attention", needs=[numpy_oracle], proves="it works inside jax.jit")
def works_under_jit(student, probe):
    """The same values come out inside jax.jit, the numbers of heads held fixed."""
    call = (probe.grouped, probe.x, H, G, UNEVEN)
    output, _ = student.transformed("jit", "multi_head_attention", *call)
    expect_close(output, student.multi_head_attention(*call)[0], "Under jit the values change.", tolerance=1e-4)


@advice(exercise="attention", needs=[numpy_oracle], proves="it works under jax.vmap")
def works_under_vmap(student, probe):
    """jax.vmap over the params of two layers gives what two calls give."""
    layers = {name: np.stack([part, -part[::-1]]) for name, part in probe.grouped.items()}
    outputs, _ = student.transformed("vmap", "multi_head_attention", layers, probe.x, H, G, CAUSAL)
    for layer_number in (0, 1):
        params = {name: part[layer_number] for name, part in layers.items()}
        one, _ = student.multi_head_attention(params, probe.x, H, G, CAUSAL)
        expect_close(outputs[layer_number], one, "Under vmap the values change.", tolerance=1e-4)


@advice(exercise="attention", needs=[numpy_oracle], proves="gradients stay finite under a mask at large scores")
def finite_gradients(student, probe):
    """The gradient by x is finite under a mask, at large scores too."""
    params = changed(probe.grouped, wq=1024 * probe.grouped["wq"])
    (gradient,) = student.transformed("grad", "multi_head_attention", params, probe.x, H, G, UNEVEN)
    expect(np.isfinite(gradient).all(), "The gradient by x is not finite where scores are large.")


# ---- the variables of main.py --------------------------------------------------------------------------------


@check(exercise="experiments", points=1, leans_on=CUTTING, proves="twelve numbers are cut and put together again")
def cut_and_restored(student, probe):
    """heads and back hold the twelve numbers split into three heads, and merged again."""
    expect_close(student.variable("numbers"), NUMBERS, "The experiment needs the lesson's numbers.", what="numbers")
    expect_close(student.variable("heads"), split_heads(NUMBERS, 3), "Three heads of width 2.", what="heads")
    expect_close(student.variable("back"), NUMBERS, "Merging undoes splitting.", what="back")


@check(exercise="experiments", points=1, leans_on=[numpy_oracle], proves="four heads look at five words")
def five_words(student, probe):
    """output and weights hold what four heads on two key/value heads make of the five words."""
    expect_close(student.variable("x"), WORDS, "The experiment needs the lesson's five words.", what="x")
    output, weights = multi_head_attention(PARAMS, WORDS, 4, 2)
    expect_close(student.variable("weights"), weights, "Weights of the five words, without a mask.", what="weights")
    expect_close(student.variable("output"), output, "Output of the five words, without a mask.")


@check(exercise="experiments", points=1, leans_on=[numpy_oracle], proves="the same words see only what came before")
def words_so_far(student, probe):
    """masked and masked_weights hold the same under a causal mask."""
    output, weights = multi_head_attention(PARAMS, WORDS, 4, 2, np.tri(5, dtype=bool))
    expect_close(student.variable("masked_weights"), weights, "Weights under the mask past.", what="masked_weights")
    expect_close(student.variable("masked"), output, "Output under the mask past.", what="masked")


def parts_of_output():
    """What each head of the lesson's layer adds to the output, (4, 5, 3)."""
    _, weights = multi_head_attention(PARAMS, WORDS, 4, 2)
    values = np.repeat(split_heads(WORDS @ PARAMS["wv"], 2), 2, axis=0)
    return weights @ values @ PARAMS["wo"].reshape(4, 2, 3)


@check(
    exercise="drop-head",
    points=1,
    leans_on=[*CUTTING, numpy_oracle],
    proves="the output splits into one part per head",
)
def parts_sum_to_output(student, probe):
    """contributions holds what each head adds: its mixture times its own two rows of wo."""
    parts, found = parts_of_output(), student.variable("contributions", shape=(4, 5, 3))
    expect_close(found.sum(axis=0), parts.sum(axis=0), "The contributions sum to output.", what="contributions.sum(0)")
    expect_close(found, parts, "Each head adds its mixture times its own rows of wo.", what="contributions")


@check(exercise="drop-head", points=1, leans_on=[numpy_oracle], proves="a dropped head takes exactly its part away")
def dropped_head(student, probe):
    """without is the output when the rows of wo that belong to your head are 0."""
    chosen = student.variable("head")
    number = float(chosen.ravel()[0]) if chosen.size == 1 else -1.0
    expect(number in (0, 1, 2, 3), f"head is {chosen.tolist()}; it has to be one of 0, 1, 2 and 3.")
    without = student.variable("without", shape=(5, 3), given=[number])
    parts = parts_of_output()
    because = f"Without head {number:g} the output is the sum of the other three."
    expect_close(without, parts.sum(axis=0) - parts[int(number)], because, what="without")


@check(exercise="fewer-keys", points=1, proves="repeated columns stand in for shared heads")
def repeated_columns(student, probe):
    """wide_wk and wide_wv give each of the four heads a copy of the columns that it shares."""
    for name, narrow in (("wide_wk", PARAMS["wk"]), ("wide_wv", PARAMS["wv"])):
        wide = student.variable(name, shape=(3, 8))
        right = beside(np.repeat(columns(narrow, 2), 2, axis=0))
        because = f"{name}: heads 0 and 1 get the columns of key/value head 0, heads 2 and 3 those of 1."
        expect_close(wide, right, because, what=name)


@check(exercise="fewer-keys", points=1, proves="the cache shrinks with the number of key/value heads")
def cache_of_one_token(student, probe):
    """token_bytes holds the bytes that one token leaves in the cache with 32, 8 and 1 key/value heads."""
    found = student.variable("token_bytes", shape=(3,))
    right = 2 * 32 * np.array([32, 8, 1]) * 128 * 2
    because = "Keys and values, 32 layers, heads of width 128, 2 bytes a number: with 32, 8 and 1 key/value heads."
    expect_close(found, right, because, what="token_bytes")


@check(exercise="repair", points=1, leans_on=CUTTING, proves="each query shares out 1 again")
def repaired_softmax(student, probe):
    """repaired: with queries of 0 every head finds the mean of its values."""
    q, k, v = probe.heads
    found = student.repaired(0 * q, k, v)
    mean = beside(np.repeat(v.mean(axis=1), H // G, axis=0)[:, None])
    because = "Queries of 0 weigh all keys alike, so each head finds the mean of its values."
    # Whatever the order of heads and tokens is: two other faults decide about that.
    expect_close(np.sort(found.ravel()), np.sort(np.repeat(mean, T, axis=0).ravel()), because, what="found, sorted")


@check(exercise="repair", points=1, needs=[repaired_softmax], leans_on=CUTTING, proves="rows belong to tokens again")
def repaired_merge(student, probe):
    """repaired: reordering the queries reorders the rows."""
    q, k, v = probe.heads
    found, again = student.repaired(q, k, v), student.repaired(q[:, probe.order], k, v)
    expect_close(again, found[probe.order], f"The queries were reordered ({probe.order.tolist()}).", what="found")


@check(
    exercise="repair", points=1, needs=[repaired_merge], leans_on=CUTTING, proves="the repaired port agrees with NumPy"
)
def repaired_groups(student, probe):
    """repaired agrees with NumPy: each key/value head serves neighbouring heads."""
    q, k, v = probe.heads
    mixed, _ = scaled_dot_product_attention(q, np.repeat(k, H // G, axis=0), np.repeat(v, H // G, axis=0))
    because = "Heads 0 to 2 use key/value head 0, heads 3 to 5 use 1, and they stand side by side in a row."
    expect_close(student.repaired(q, k, v), beside(mixed), because, what="found")
