"""The classic mistakes of this lesson, as the part that each one gets wrong.

Titles and hints are in lesson.toml under the same names.
"""

import numpy as np

from grader.checking import family, misconception
from grader.oracle.attention import merge_heads, multi_head_attention, softmax, split_heads
from grader.oracle.attention_parts import float32_exp
from grader.oracle.heads_parts import multi_head_from_parts, neighbours, softmax_over_keys

T, H, G = 5, 6, 2
CAUSAL = np.tri(T, dtype=bool)
UNEVEN = np.array([[1, 0, 1, 0, 0], [0, 1, 1, 1, 0], [1, 0, 0, 0, 1], [1, 1, 1, 0, 0], [0, 0, 0, 1, 1]], dtype=bool)


# ---- split_heads and merge_heads ----------------------------------------------------------------------


def split_variant(*, cut=split_heads):
    """split_heads with another way to cut."""
    return cut


def merge_variant(*, join=merge_heads):
    """merge_heads with another way to join."""
    return join


split = family(
    "split_heads", variant=split_variant, probes=lambda probe: [(probe.flat, 3), (probe.flat, 2), (probe.flat, 1)]
)
merge = family("merge_heads", variant=merge_variant, probes=lambda probe: [(probe.stacked,), (probe.heads[0],)])


def cut_by_reshape(x, n):
    """(T, H·d) -> (H, T, d) in memory order: heads and tokens get mixed."""
    return x.reshape(n, len(x), -1)


def cut_interleaved(x, n):
    """Head h gets the columns h, h + H, h + 2H …"""
    return x.reshape(len(x), -1, n).transpose(2, 0, 1)


def joined_by_reshape(x):
    """(H, T, d) -> (T, H·d) in memory order."""
    return x.reshape(x.shape[1], -1)


def joined_interleaved(x):
    """Number j of every head side by side."""
    return x.transpose(1, 2, 0).reshape(x.shape[1], -1)


def cut(name, function):
    """A mistake in ``split_heads``."""
    return misconception(name, of="split_heads", cut=function)


def join(name, function):
    """A mistake in ``merge_heads``."""
    return misconception(name, of="merge_heads", join=function)


split_by_reshape = cut("split-by-reshape", cut_by_reshape)
split_interleaved = cut("split-interleaved", cut_interleaved)
split_not_transposed = cut("split-not-transposed", lambda x, n: x.reshape(len(x), n, -1))
split_columns_first = cut("split-columns-first", lambda x, n: x.T.reshape(n, len(x), -1))
split_reshape_swapped = cut(
    "split-reshape-swapped", lambda x, n: np.swapaxes(x.reshape(n, x.shape[1] // n, len(x)), 1, 2)
)
split_count_as_width = cut("split-count-as-width", lambda x, n: x.reshape(len(x), -1, n).transpose(1, 0, 2))
split_heads_transposed = cut("split-heads-transposed", lambda x, n: x.reshape(len(x), n, -1).transpose(1, 2, 0))
split_first_head_only = cut("split-first-head-only", lambda x, n: np.repeat(split_heads(x, n)[:1], n, axis=0))
split_never_filled = cut("split-never-filled", lambda x, n: np.zeros_like(split_heads(x, n)))
split_batch_axis = cut("split-batch-axis", lambda x, n: split_heads(x, n)[None])

merge_by_reshape = join("merge-by-reshape", joined_by_reshape)
merge_interleaved = join("merge-interleaved", joined_interleaved)
merge_stacked = join("merge-stacked", lambda x: x.reshape(-1, x.shape[-1]))
merge_not_joined = join("merge-not-joined", lambda x: x.transpose(1, 0, 2))
merge_swapped = join("merge-swapped", lambda x: np.swapaxes(x, 1, 2).reshape(x.shape[1], -1))
merge_columns_first = join("merge-columns-first", lambda x: x.transpose(0, 2, 1).reshape(-1, x.shape[1]))
merge_averaged = join("merge-averaged", lambda x: x.mean(axis=0))
merge_summed = join("merge-summed", lambda x: x.sum(axis=0))
merge_first_head_only = join("merge-first-head-only", lambda x: np.tile(x[0], (1, len(x))))
merge_mean_repeated = join("merge-mean-repeated", lambda x: np.tile(x.mean(axis=0), (1, len(x))))
merge_never_filled = join("merge-never-filled", lambda x: np.zeros_like(merge_heads(x)))


# ---- multi_head_attention ------------------------------------------------------------------------------------


def attention_probes(probe):
    """Argument lists that tell the mistakes apart, with and without masks; the last one is small enough to retype."""
    return [
        (probe.full, probe.x, H, H, None),
        (probe.full, probe.x, H, H, CAUSAL),
        (probe.full, probe.x, H, H, UNEVEN),
        (probe.full | {"wq": 1024 * probe.full["wq"]}, probe.x, H, H, UNEVEN),
        (probe.grouped, probe.x, H, G, UNEVEN),
        (probe.single, probe.x, H, 1, None),
        (probe.lone, probe.x, 1, 1, None),
        (*probe.square, 3, 3, None),
        (*probe.tiny, 2, 1, None),
    ]


attention = family("multi_head_attention", variant=multi_head_from_parts, probes=attention_probes)


def mistake(name, **parts):
    """A mistake in ``multi_head_attention``: the parts of ``multi_head_from_parts`` that it replaces."""
    return misconception(name, of="multi_head_attention", **parts)


def divided_by(divisor):
    """Scores over divisor(d, D, T, H, G)."""
    return lambda scores, width, x, heads, groups: scores / divisor(width, x.shape[1], len(x), heads, groups)


def only_where_equal(scores, width, x, heads, groups):
    """Breaks unless the heads together are as wide as a token, as a reshape to D or by D/H does."""
    if heads * width != x.shape[1]:
        raise ValueError("cannot reshape")
    return scores / np.sqrt(width)


def through(q, k, v):
    """Inputs through other matrices than their own."""
    return lambda params, x: tuple(x @ params[name] for name in (q, k, v))


def with_mask(hide):
    """What happens to scores (H, T, T) when there is a mask."""
    return lambda scores, mask: scores if mask is None else hide(scores, mask)


def filled_with(fill):
    """Hidden scores replaced by a number."""
    return with_mask(lambda scores, mask: np.where(mask, scores, fill))


def weights_masked(change):
    """What happens to weights after the softmax when there is a mask; nothing is hidden before it."""
    return {
        "hide": lambda scores, mask: scores,
        "after": lambda weights, mask, width: weights if mask is None else change(weights, mask),
    }


def first_table_masked(scores, mask):
    """Only head 0 knows the mask."""
    hidden = scores.copy()
    hidden[0] = np.where(mask, scores[0], -np.inf)
    return hidden


def one_big_head(result):
    """All columns in one head."""
    return {"split": lambda flat, n: flat[None], "share": lambda part, n: part, "result": result}


def returned(change):
    """Another second value than the weights: change(weights, scores, hidden, groups)."""
    return lambda output, *found: (output, change(*found))


def per_head(change):
    """wo used in another way: change(mixed (H, T, d), wo (H·d, D)) -> (T, D)."""
    return lambda mixed, params, x, merge: change(mixed, params["wo"])


def divided_group(part, n_heads):
    """Key/value head h // G in place of h // (H/G); JAX clamps an index beyond the end."""
    return part[np.minimum(np.arange(n_heads) // len(part), len(part) - 1)]


def naive_softmax(scores):
    """Without the maximum: overflows where float32 does."""
    exponentials = float32_exp(scores)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def over(axis):
    """Softmax along another axis."""
    return lambda scores: softmax_over_keys(scores, axis=axis)


# How heads are cut and joined.
heads_by_reshape = mistake("heads-by-reshape", split=cut_by_reshape)
heads_interleaved = mistake("heads-interleaved", split=cut_interleaved)
heads_attend_to_heads = mistake(
    "heads-attend-to-heads",
    split=lambda flat, n: flat.reshape(len(flat), n, -1),
    share=lambda part, n: np.repeat(part, n // part.shape[1], axis=1),
    merge=lambda mixed: mixed.reshape(len(mixed), -1),
)
heads_merged_by_reshape = mistake("heads-merged-by-reshape", merge=joined_by_reshape)
heads_merged_interleaved = mistake("heads-merged-interleaved", merge=joined_interleaved)
one_head_copied = mistake("one-head-copied", split=lambda flat, n: np.repeat(split_heads(flat, n)[:1], n, axis=0))
heads_averaged = mistake("heads-averaged", merge=lambda mixed: np.tile(mixed.mean(axis=0), (1, len(mixed))))
one_big_head_2d = mistake("one-big-head", **one_big_head(returned(lambda weights, scores, hidden, groups: weights[0])))
one_big_head_3d = mistake(
    "one-big-head-repeated",
    **one_big_head(returned(lambda weights, scores, hidden, groups: np.repeat(weights, groups, axis=0))),
)
output_averaged = mistake(
    "output-averaged", project=lambda mixed, params, x, merge: merge(mixed) @ params["wo"] / len(mixed)
)

# How scores are scaled.
no_scale = mistake("no-scale", scale=divided_by(lambda d, D, T, H, G: 1.0))
scale_by_model_width = mistake("scale-by-model-width", scale=divided_by(lambda d, D, T, H, G: np.sqrt(D)))
scale_by_all_heads = mistake("scale-by-all-heads", scale=divided_by(lambda d, D, T, H, G: np.sqrt(H * d)))
scale_without_root = mistake("scale-without-root", scale=divided_by(lambda d, D, T, H, G: d))
scale_by_head_count = mistake("scale-by-head-count", scale=divided_by(lambda d, D, T, H, G: np.sqrt(H)))
scale_by_group_count = mistake("scale-by-group-count", scale=divided_by(lambda d, D, T, H, G: np.sqrt(G)))
scale_by_group_width = mistake("scale-by-group-width", scale=divided_by(lambda d, D, T, H, G: np.sqrt(G * d)))
scale_by_token_count = mistake("scale-by-token-count", scale=divided_by(lambda d, D, T, H, G: np.sqrt(T)))
scale_by_share = mistake("scale-by-share", scale=divided_by(lambda d, D, T, H, G: np.sqrt(D // H)))
scale_multiplied = mistake("scale-multiplied", scale=divided_by(lambda d, D, T, H, G: 1 / np.sqrt(d)))
scale_hard_coded = mistake("scale-hard-coded", scale=divided_by(lambda d, D, T, H, G: 8.0))
scale_after_softmax = mistake(
    "scale-after-softmax",
    scale=divided_by(lambda d, D, T, H, G: 1.0),
    after=lambda weights, mask, width: weights / np.sqrt(width),
)

model_width_assumed = mistake("model-width-assumed", scale=only_where_equal)

# How softmax runs.
softmax_over_queries = mistake("softmax-over-queries", soften=over(-2))
softmax_over_heads = mistake("softmax-over-heads", soften=over(0))
softmax_over_everything = mistake("softmax-over-everything", soften=over(None))
softmax_over_tables = mistake("softmax-over-tables", soften=over((-2, -1)))
no_maximum = mistake("no-maximum", soften=naive_softmax)
no_softmax = mistake("no-softmax", soften=lambda scores: np.where(np.isneginf(scores), 0.0, scores))
softmax_twice = mistake("softmax-twice", after=lambda weights, mask, width: softmax(weights))

# Who is asked, who answers.
keys_and_values_swapped = mistake("keys-and-values-swapped", inputs=through("wq", "wv", "wk"))
keys_mixed = mistake("keys-mixed", inputs=through("wq", "wk", "wk"))
values_scored = mistake("values-scored", inputs=through("wq", "wv", "wv"))
queries_for_keys = mistake("queries-for-keys", inputs=through("wq", "wq", "wv"))
all_axes_reversed = mistake("all-axes-reversed", score=lambda q, k: q @ k.T)
keys_reshaped = mistake("keys-reshaped", score=lambda q, k: q @ k.reshape(len(k), k.shape[2], k.shape[1]))
keys_of_all_heads = mistake("keys-of-all-heads", score=lambda q, k: q @ k.sum(axis=0).T)
queries_and_keys_swapped = mistake("queries-and-keys-swapped", score=lambda q, k: k @ np.swapaxes(q, -1, -2))
weights_transposed = mistake("weights-transposed", mix=lambda weights, v: np.swapaxes(weights, -1, -2) @ v)
inputs_transposed = mistake(
    "inputs-transposed", inputs=lambda params, x: tuple(x @ params[name].T for name in ("wq", "wk", "wv"))
)

# What becomes of the heads.
no_output_projection = mistake("no-output-projection", project=lambda mixed, params, x, merge: merge(mixed))
wo_transposed = mistake("wo-transposed", project=lambda mixed, params, x, merge: merge(mixed) @ params["wo"].T)
wo_first_rows = mistake(
    "wo-first-rows", project=per_head(lambda mixed, wo: (mixed @ wo[: mixed.shape[-1]]).sum(axis=0))
)
wo_first_head = mistake("wo-first-head", project=per_head(lambda mixed, wo: mixed[0] @ wo[: mixed.shape[-1]]))
residual_added = mistake("residual-added", project=lambda mixed, params, x, merge: merge(mixed) @ params["wo"] + x)

# How few key/value heads serve many.
tiled = mistake("tiled", share=lambda part, n: np.tile(part, (n // len(part), 1, 1)))
repeated_along_tokens = mistake("repeated-along-tokens", share=lambda part, n: np.repeat(part, n // len(part), axis=1))
first_group_only = mistake("first-group-only", share=lambda part, n: np.repeat(part[:1], n, axis=0))
groups_averaged = mistake(
    "groups-averaged", share=lambda part, n: np.repeat(part.mean(axis=0, keepdims=True), n, axis=0)
)
groups_averaged_when_fewer = mistake(
    "groups-averaged-when-fewer",
    share=lambda part, n: part if len(part) == n else np.repeat(part.mean(axis=0, keepdims=True), n, axis=0),
)
first_group_when_fewer = mistake(
    "first-group-when-fewer", share=lambda part, n: part if len(part) == n else np.repeat(part[:1], n, axis=0)
)
group_divided_by_count = mistake("group-divided-by-count", share=divided_group)
not_repeated = mistake("not-repeated", share=lambda part, n: part)
breaks_with_fewer_keys = mistake("breaks-with-fewer-keys", kv_count=lambda heads, groups: heads)
columns_repeated = mistake(
    "columns-repeated",
    share=lambda part, n: split_heads(np.repeat(merge_heads(part), n // len(part), axis=1), n),
)

# What the mask does.
mask_as_condition = mistake(
    "mask-as-condition", hide=lambda scores, mask: np.where(mask, scores, -np.inf) if mask else scores
)
mask_ignored = mistake("mask-ignored", hide=lambda scores, mask: scores)
mask_inverted = mistake("mask-inverted", hide=with_mask(lambda scores, mask: np.where(mask, -np.inf, scores)))
mask_inverted_finite = mistake(
    "mask-inverted-finite", hide=with_mask(lambda scores, mask: np.where(mask, -1e9, scores))
)
mask_added = mistake("mask-added", hide=with_mask(lambda scores, mask: scores + mask))
mask_multiplied = mistake("mask-multiplied", hide=with_mask(lambda scores, mask: scores * mask))
mask_transposed = mistake("mask-transposed", hide=with_mask(lambda scores, mask: np.where(mask.T, scores, -np.inf)))
mask_for_first_head = mistake("mask-for-first-head", hide=with_mask(first_table_masked))
mask_with_ten = mistake("mask-with-ten", hide=filled_with(-10.0))
mask_with_hundred = mistake("mask-with-hundred", hide=filled_with(-100.0))
mask_plus_infinity = mistake("mask-plus-infinity", hide=filled_with(np.inf))
zero_times_infinity = mistake("zero-times-infinity", hide=with_mask(lambda scores, mask: scores + (1 - mask) * -np.inf))
mask_after_softmax = mistake("mask-after-softmax", **weights_masked(lambda weights, mask: weights * mask))
always_causal = mistake(
    "always-causal", hide=lambda scores, mask: np.where(np.tri(*scores.shape[1:], dtype=bool), scores, -np.inf)
)
causal_for_any_mask = mistake(
    "causal-for-any-mask",
    hide=with_mask(lambda scores, mask: np.where(np.tri(*scores.shape[1:], dtype=bool), scores, -np.inf)),
)

# What comes back.
outputs_swapped = mistake("outputs-swapped", result=lambda output, weights, scores, hidden, groups: (weights, output))
scores_returned = mistake("scores-returned", result=returned(lambda weights, scores, hidden, groups: hidden))
scores_returned_finite = mistake(
    "scores-returned-finite",
    result=returned(lambda weights, scores, hidden, groups: np.where(np.isneginf(hidden), -1e9, hidden)),
)
weights_before_mask = mistake(
    "weights-before-mask", result=returned(lambda weights, scores, hidden, groups: softmax(scores))
)
weights_averaged = mistake(
    "weights-averaged", result=returned(lambda weights, scores, hidden, groups: weights.mean(axis=0))
)
weights_summed = mistake("weights-summed", result=returned(lambda weights, scores, hidden, groups: weights.sum(axis=0)))
weights_of_groups = mistake(
    "weights-of-groups", result=returned(lambda weights, scores, hidden, groups: weights[:groups])
)
weights_of_one_head = mistake(
    "weights-of-one-head", result=returned(lambda weights, scores, hidden, groups: weights[0])
)
returned_weights_transposed = mistake(
    "returned-weights-transposed", result=returned(lambda weights, scores, hidden, groups: np.swapaxes(weights, -1, -2))
)
heads_in_the_middle = mistake(
    "heads-in-the-middle", result=returned(lambda weights, scores, hidden, groups: weights.transpose(1, 0, 2))
)
never_filled = mistake(
    "never-filled",
    result=lambda output, weights, scores, hidden, groups: (np.zeros_like(output), np.zeros_like(weights)),
)


# ---- the port of exercise 3 ---------------------------------------------------------------------------------------


def context(*, share=neighbours, share_values=None, scale=True, soften=softmax_over_keys, merge=merge_heads):
    """What the heads found, side by side: q (H, T, d), k and v (G, T, d) -> (T, H·d)."""

    def repaired(q, k, v):
        k, v = share(k, len(q)), (share_values or share)(v, len(q))
        scores = q @ np.swapaxes(k, -1, -2) / (np.sqrt(q.shape[-1]) if scale else 1.0)
        return merge(soften(scores) @ v)

    return repaired


repaired = family(
    "repaired", variant=context, probes=lambda probe: [probe.heads, (0 * probe.heads[0], *probe.heads[1:])]
)
LEFT = {"share": tiled.switches["share"], "soften": over(0), "merge": joined_by_reshape}
port_unchanged = misconception("port-unchanged", of="repaired", **LEFT)
port_tiled = misconception("port-tiled", of="repaired", share=LEFT["share"])
port_keys_tiled = misconception("port-tiled-once", of="repaired", share=LEFT["share"], share_values=neighbours)
port_values_tiled = misconception("port-tiled-once", of="repaired", share_values=LEFT["share"])
port_softmax_over_heads = misconception("port-softmax-over-heads", of="repaired", soften=LEFT["soften"])
port_merged_by_reshape = misconception("port-merged-by-reshape", of="repaired", merge=LEFT["merge"])
port_merged_interleaved = misconception("port-merged-interleaved", of="repaired", merge=joined_interleaved)
port_softmax_over_queries = misconception("port-softmax-over-queries", of="repaired", soften=over(-2))
port_not_scaled = misconception("port-not-scaled", of="repaired", scale=False)


# ---- the variables of the exercises. Each is a function of what it is computed from ------------------------------

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


def rows_of_head(head):
    """The rows of wo that belong to a head of the lesson's layer."""
    return slice(2 * int(head), 2 * int(head) + 2)


def emptied(name, at):
    """The lesson's params with zeros in one matrix where ``at`` says."""
    matrix = PARAMS[name].copy()
    matrix[at] = 0.0
    return PARAMS | {name: matrix}


def without_head(*, params=lambda head: emptied("wo", rows_of_head(head))):
    """The output (5, 3) with other params for the chosen head."""
    return lambda head: multi_head_attention(params(head), WORDS, 4, 2)[0]


def others_emptied(head):
    """All rows of wo but those of the chosen head are 0."""
    return emptied("wo", [row for row in range(8) if row // 2 != int(head)])


without = family("without", variant=without_head, given=["head"])
without_one_row = misconception("without-one-row", of="without", params=lambda head: emptied("wo", int(head)))
without_queries = misconception(
    "without-queries", of="without", params=lambda head: emptied("wq", (slice(None), rows_of_head(head)))
)
without_others = misconception("without-others", of="without", params=others_emptied)
without_columns, without_column = (
    misconception("without-columns", of="without", params=lambda head, at=at: emptied("wo", (slice(None), at(head))))
    for at in (rows_of_head, int)
)
without_next, without_second_next, without_previous = (
    misconception("without-another", of="without", params=lambda head, n=n: emptied("wo", rows_of_head((head + n) % 4)))
    for n in (1, 2, 3)
)
without_nothing = misconception("without-nothing", of="without", params=lambda head: PARAMS)


def parts(*, share=neighbours, rows=lambda wo: wo.reshape(4, 2, 3)):
    """What each head of the lesson's layer adds to the output, (4, 5, 3)."""
    _, weights = multi_head_attention(PARAMS, WORDS, 4, 2)
    return lambda: weights @ share(split_heads(WORDS @ PARAMS["wv"], 2), 4) @ rows(PARAMS["wo"])


contributions = family("contributions", variant=parts)
contributions_tiled = misconception("contributions-tiled", of="contributions", share=tiled.switches["share"])
contributions_interleaved = misconception(
    "contributions-interleaved", of="contributions", rows=lambda wo: wo.reshape(2, 4, 3).transpose(1, 0, 2)
)


def widened(name):
    """The variants of wide_wk and wide_wv: (3, 4) -> (3, 8)."""

    def variant(*, widen=lambda blocks: np.repeat(blocks, 2, axis=1)):
        return lambda: widen(PARAMS[name].reshape(3, 2, 2)).reshape(3, 8)

    return variant


wide_wk = family("wide_wk", variant=widened("wk"))
wide_wv = family("wide_wv", variant=widened("wv"))
WIDENED = {
    "wide-tiled": lambda blocks: np.tile(blocks, (1, 2, 1)),
    "wide-columns-repeated": lambda blocks: np.repeat(blocks, 2, axis=2),
    "wide-first-head-only": lambda blocks: np.repeat(blocks[:, :1], 4, axis=1),
}
wide_wk_tiled, wide_wk_columns, wide_wk_first = (
    misconception(name, of="wide_wk", widen=widen) for name, widen in WIDENED.items()
)
wide_wv_tiled, wide_wv_columns, wide_wv_first = (
    misconception(name, of="wide_wv", widen=widen) for name, widen in WIDENED.items()
)


def cached(*, kinds=2, layers=32, heads=(32, 8, 1), item=2, width=128):
    """Bytes that one token leaves in the cache with 32, 8 and 1 key/value heads, (3,)."""
    return lambda: kinds * layers * np.array(heads) * width * item


token_bytes = family("token_bytes", variant=cached)
bytes_of_keys_alone = misconception("bytes-of-keys-alone", of="token_bytes", kinds=1)
bytes_of_one_layer = misconception("bytes-of-one-layer", of="token_bytes", layers=1)
bytes_as_bits = misconception("bytes-as-bits", of="token_bytes", item=16)
bytes_of_float32 = misconception("bytes-of-float32", of="token_bytes", item=4)
bytes_as_kibibytes = misconception("bytes-as-kibibytes", of="token_bytes", item=2 / 1024)
bytes_reversed = misconception("bytes-reversed", of="token_bytes", heads=(1, 8, 32))
bytes_of_model_width = misconception("bytes-of-model-width", of="token_bytes", width=4096)


def answers(split_heads, merge_heads, multi_head_attention, repaired):
    """What main.py defines besides functions, computed with these functions."""
    heads = split_heads(NUMBERS, 3)
    output, weights = multi_head_attention(PARAMS, WORDS, 4, 2, None)
    masked, masked_weights = multi_head_attention(PARAMS, WORDS, 4, 2, np.tri(5, dtype=bool))
    return {
        "numbers": NUMBERS,
        "heads": heads,
        "back": merge_heads(heads),
        "x": WORDS,
        "output": output,
        "weights": weights,
        "masked": masked,
        "masked_weights": masked_weights,
        "head": np.array(1.0),
        "contributions": parts()(),
        "without": without_head()(1),
        "wide_wk": widened("wk")()(),
        "wide_wv": widened("wv")()(),
        "token_bytes": cached()(),
    }
