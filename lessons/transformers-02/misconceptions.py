"""The classic mistakes of this lesson, as the part that each one gets wrong.

Titles and hints are in lesson.toml under the same names. A mistake in the mask or in the softmax can also be made
inside causal_attend, where it carries the same name.
"""

import numpy as np

from grader.checking import family, misconception
from grader.oracle.attention import softmax
from grader.oracle.causal import (
    causal_attention,
    causal_attention_from_parts,
    causal_mask,
    causal_mask_from_parts,
    masked_softmax,
    masked_softmax_from_parts,
)


def mask_probes(probe):
    """Square, fewer queries, many more keys, more queries."""
    return [(5, 5), (3, 5), (2, 12), (5, 3)]


def softmax_probes(probe):
    """Rectangular, square, a row without keys, scores far from 0."""
    return [
        (probe.scores, probe.mask),
        (probe.square_scores, probe.square_mask),
        (probe.scores, probe.emptied),
        (probe.steep, probe.mask),
        (probe.low, probe.mask),
    ]


def attend_probes(probe):
    """As many queries as keys, the last queries alone, wide values, large scores."""
    return [
        (probe.q, probe.k, probe.v),
        (probe.q[-3:], probe.k, probe.v),
        (probe.q, probe.k, probe.wide_v),
        probe.at_height,
    ]


mask_family = family("causal_mask", variant=causal_mask_from_parts, probes=mask_probes)
softmax_family = family("masked_softmax", variant=masked_softmax_from_parts, probes=softmax_probes)
attend_family = family("causal_attend", variant=causal_attention_from_parts, probes=attend_probes)


def mask_and_attend(name, **parts):
    """A mistake in the mask, made in ``causal_mask`` or inside ``causal_attend``."""
    return (
        misconception(name, of="causal_mask", **parts),
        misconception(name, of="causal_attend", mask=causal_mask_from_parts(**parts)),
    )


def blinding(name, **parts):
    """A mistake in the mask that leaves rows without keys: inside ``causal_attend`` what they give is open."""
    in_the_mask, zeros = mask_and_attend(name, **parts)
    mask = causal_mask_from_parts(**parts)
    return (
        in_the_mask,
        zeros,
        misconception(name, of="causal_attend", mask=mask, softmax=masked_softmax_from_parts(**NAN_IF_EMPTY)),
        misconception(name, of="causal_attend", mask=mask, softmax=masked_softmax_from_parts(**UNIFORM_IF_EMPTY)),
    )


NAN_IF_EMPTY = {"denominator": lambda e, axis: e.sum(axis=axis, keepdims=True)}
UNIFORM_IF_EMPTY = {"after": lambda w, s, m: np.where(m.any(axis=-1, keepdims=True), w, 1 / m.shape[1])}


def softmax_and_attend(name, **parts):
    """A mistake in the softmax, made in ``masked_softmax`` or inside ``causal_attend``."""
    return (
        misconception(name, of="masked_softmax", **parts),
        misconception(name, of="causal_attend", softmax=masked_softmax_from_parts(**parts)),
    )


def filled(name, hide):
    """A mistake in what hides: a row without keys as it comes, zeros there, or all hidden weights cut off."""
    return (
        *softmax_and_attend(name, hide=hide),
        misconception(name, of="masked_softmax", hide=hide, after=zeros_if_empty),
        *softmax_and_attend(name, hide=hide, after=cut_off),
    )


def zeros_if_empty(weights, scores, mask):
    """Zeros for a row that sees nothing, whatever the softmax made of it."""
    return np.where(mask.any(axis=-1, keepdims=True), weights, 0.0)


def cut_off(weights, scores, mask):
    """Zeros for every hidden key, without sharing out again."""
    return np.where(mask, weights, 0.0)


def in_mask(name, **parts):
    """A mistake in ``causal_mask`` alone."""
    return misconception(name, of="causal_mask", **parts)


def in_softmax(name, **parts):
    """A mistake in ``masked_softmax`` alone."""
    return misconception(name, of="masked_softmax", **parts)


def in_attend(name, **parts):
    """A mistake in ``causal_attend`` alone."""
    return misconception(name, of="causal_attend", **parts)


# ---- which key a query may see ---------------------------------------------------------------

no_mask, no_mask_a = mask_and_attend("no-mask", rule=lambda i, j: (i - j) > -1000)
strict_past, strict_past_zeros, strict_past_nan, strict_past_uniform = blinding("strict-past", rule=lambda i, j: j < i)
one_step_leak, one_step_leak_a = mask_and_attend("one-step-leak", rule=lambda i, j: j <= i + 1)
inverted, inverted_zeros, inverted_nan, inverted_uniform = blinding("inverted", rule=lambda i, j: j > i)
future_only, future_only_a = mask_and_attend("future-with-itself", rule=lambda i, j: j >= i)
itself_only, itself_only_a = mask_and_attend("itself-only", rule=lambda i, j: j == i)
window_of_two, window_of_two_a = mask_and_attend("hidden-window", rule=lambda i, j: (j <= i) & (j > i - 2))
window_of_three, window_of_three_a = mask_and_attend("hidden-window", rule=lambda i, j: (j <= i) & (j > i - 3))
window_of_four, window_of_four_a = mask_and_attend("hidden-window", rule=lambda i, j: (j <= i) & (j > i - 4))
first_blocked, first_blocked_zeros, first_blocked_nan, first_blocked_uniform = blinding(
    "first-column-blocked", rule=lambda i, j: (j <= i) & (j > 0)
)
first_blocked_kept, first_blocked_kept_a = mask_and_attend(
    "first-column-blocked", rule=lambda i, j: (j <= i) & ((j > 0) | (i == 0))
)
top_left, top_left_a = mask_and_attend("top-left", offset=lambda n_queries, n_keys: 0)
offset_reversed, offset_reversed_zeros, offset_reversed_nan, offset_reversed_uniform = blinding(
    "offset-reversed", offset=lambda tq, tk: tq - tk
)
offset_absolute = in_mask("offset-not-negative", offset=lambda tq, tk: abs(tk - tq))
offset_one_more, offset_one_more_a = mask_and_attend(
    "offset-off-by-one", offset=lambda tq, tk: tk - tq + (1 if tk > tq else 0)
)
offset_one_less, offset_one_less_zeros, offset_one_less_nan, offset_one_less_uniform = blinding(
    "offset-off-by-one", offset=lambda tq, tk: tk - tq - (1 if tk > tq else 0)
)
offset_not_negative = in_mask("offset-not-negative", offset=lambda tq, tk: max(tk - tq, 0))
anti_diagonal, anti_diagonal_zeros, anti_diagonal_nan, anti_diagonal_uniform = blinding(
    "anti-diagonal", finish=lambda mask: mask[:, ::-1]
)
rows_reversed, rows_reversed_zeros, rows_reversed_nan, rows_reversed_uniform = blinding(
    "rows-reversed", finish=lambda mask: mask[::-1]
)
sizes_swapped = in_mask("sizes-swapped", sizes=lambda tq, tk: (tk, tq), offset=lambda tq, tk: tq - tk)
sizes_swapped_offset_kept = in_mask("sizes-swapped", sizes=lambda tq, tk: (tk, tq))
sizes_swapped_top_left = in_mask("sizes-swapped", sizes=lambda tq, tk: (tk, tq), offset=lambda tq, tk: 0)
transposed = in_mask("transposed", finish=np.transpose)
square_of_queries = in_mask("square-only", sizes=lambda tq, tk: (tq, tq), offset=lambda tq, tk: 0)
square_of_keys = in_mask("square-only", sizes=lambda tq, tk: (tk, tk), offset=lambda tq, tk: 0)
square_only = in_attend("square-only", mask=lambda tq, tk: causal_mask(tq, tq))
transposed_a = in_attend("transposed", mask=lambda tq, tk: causal_mask(tq, tk).T)

# ---- how a key is hidden -----------------------------------------------------------------------


def nothing(hidden, axis):
    """Nothing is subtracted."""
    return 0.0


def largest(scores):
    """The largest score of each row, visible or not."""
    return scores.max(axis=-1, keepdims=True)


def visible(scores, mask):
    """The largest visible score of each row, -inf where a row sees nothing."""
    return largest(np.where(mask, scores, -np.inf))


not_hidden = in_softmax("mask-not-used", hide=lambda s, m: s)
mask_inverted = in_softmax("mask-inverted", hide=lambda s, m: np.where(m, -np.inf, s))
mask_inverted_filled = in_softmax("mask-inverted", hide=lambda s, m: np.where(m, -1e9, s))
(added, added_a, added_zeros, added_cut, added_cut_a) = filled("mask-added", lambda s, m: s + m)
zero_filled, zero_filled_a = softmax_and_attend("filled-with-zero", hide=lambda s, m: s * m)
zero_filled_zeros = in_softmax("filled-with-zero", hide=lambda s, m: s * m, after=zeros_if_empty)
zero_below_largest = in_softmax("filled-with-zero", hide=lambda s, m: s * m - largest(s), shift=nothing)
zero_below_visible = in_softmax("filled-with-zero", hide=lambda s, m: s * m - visible(s, m), shift=nothing)
zero_exponents = in_softmax("filled-with-zero", hide=lambda s, m: np.where(m, s - visible(s, m), 0), shift=nothing)
zero_times_difference = in_softmax("filled-with-zero", hide=lambda s, m: (s - visible(s, m)) * m, shift=nothing)
zero_times_distance = in_softmax("filled-with-zero", hide=lambda s, m: (s - largest(s)) * m, shift=nothing)
(filled_minus_one, filled_minus_one_a, filled_minus_one_zeros, filled_minus_one_cut, filled_minus_one_cut_a) = filled(
    "fill-too-small", lambda s, m: np.where(m, s, -1.0)
)
(filled_minus_ten, filled_minus_ten_a, filled_minus_ten_zeros, filled_minus_ten_cut, filled_minus_ten_cut_a) = filled(
    "fill-too-small", lambda s, m: np.where(m, s, -10.0)
)
(fill_in_hundreds, fill_in_hundreds_a, fill_in_hundreds_zeros, fill_in_hundreds_cut, fill_in_hundreds_cut_a) = filled(
    "fill-too-small", lambda s, m: np.where(m, s, -100.0)
)
(fill_in_thousands, fill_in_thousands_a, fill_in_thousands_zeros, fill_in_thousands_cut, fill_in_thousands_cut_a) = (
    filled("fill-too-small", lambda s, m: np.where(m, s, -1e3))
)
fill_in_tens = in_softmax("fill-too-small", hide=lambda s, m: np.where(m, s, -1e4))
fill_in_tens_zeros = in_softmax("fill-too-small", hide=lambda s, m: np.where(m, s, -1e4), after=zeros_if_empty)
fill_in_tens_cut = in_softmax("fill-too-small", hide=lambda s, m: np.where(m, s, -1e4), after=cut_off)
(minimum_filled, minimum_filled_a, minimum_filled_zeros, minimum_filled_cut, minimum_filled_cut_a) = filled(
    "filled-with-minimum", lambda s, m: np.where(m, s, s.min())
)
(
    filled_plus_infinity,
    filled_plus_infinity_a,
    filled_plus_infinity_zeros,
    filled_plus_infinity_cut,
    filled_plus_infinity_cut_a,
) = filled("filled-with-plus", lambda s, m: np.where(m, s, np.inf))
(filled_plus_large, filled_plus_large_a, filled_plus_large_zeros, filled_plus_large_cut, filled_plus_large_cut_a) = (
    filled("filled-with-plus", lambda s, m: np.where(m, s, 1e9))
)
zero_times_infinity, zero_times_infinity_a = softmax_and_attend(
    "zero-times-infinity", hide=lambda s, m: s + (1.0 - m) * -np.inf
)
zero_times_infinity_nan = in_softmax("zero-times-infinity", hide=lambda s, m: s + (1.0 - m) * -np.inf, **NAN_IF_EMPTY)
logits_lost, logits_lost_a = softmax_and_attend("scores-lost", hide=lambda s, m: np.where(m, 0.0, -np.inf))
first_row_for_all = in_softmax("first-row-for-all", hide=lambda s, m: np.where(m[:1], s, -np.inf))
mask_transposed = in_softmax("mask-transposed", hide=lambda s, m: np.where(m.T, s, -np.inf))
zero_scores_hidden = in_softmax("zero-scores-hidden", hide=lambda s, m: np.where(m & (s != 0), s, -np.inf))
own_triangle = in_softmax("triangle-for-any-mask", hide=lambda s, m: np.where(np.tri(*s.shape), s, -np.inf))
own_triangle_at_the_end = in_softmax(
    "triangle-for-any-mask", hide=lambda s, m: np.where(causal_mask(*s.shape), s, -np.inf)
)


exponentials_kept, exponentials_kept_a = softmax_and_attend("masked-after-softmax", hide=lambda s, m: s, after=cut_off)
nothing_after_exp, nothing_after_exp_a = softmax_and_attend(
    "multiplied-before-and-after", hide=lambda s, m: s * m, after=cut_off
)

# ---- how the softmax is computed -----------------------------------------------------------------

over_queries, over_queries_a = softmax_and_attend("softmax-over-queries", axis=0)
over_queries_filled = in_softmax("softmax-over-queries", axis=0, hide=lambda s, m: np.where(m, s, -1e9))
over_everything, over_everything_a = softmax_and_attend("softmax-over-everything", axis=None)


# The sum as it is, and zeros only where the mask says so: what underflows to a row of 0 becomes NaN.
UNGUARDED = {
    "denominator": lambda e, axis: e.sum(axis=axis, keepdims=True),
    "after": zeros_if_empty,
}


def one(exponentials, axis):
    """Nothing is divided."""
    return 1.0


def logarithms(scores):
    """The logarithm of the softmax, without taking that of 0."""
    below = scores - largest(scores)
    return below - np.log(np.exp(below).sum(axis=-1, keepdims=True))


no_maximum, no_maximum_a = softmax_and_attend("no-maximum", shift=nothing)
no_maximum_nan, no_maximum_nan_a = softmax_and_attend("no-maximum", shift=nothing, **UNGUARDED)
one_maximum, one_maximum_a = softmax_and_attend("one-maximum", shift=lambda h, axis: h.max())
one_maximum_nan, one_maximum_nan_a = softmax_and_attend("one-maximum", shift=lambda h, axis: h.max(), **UNGUARDED)
maximum_over_queries, maximum_over_queries_a = softmax_and_attend(
    "maximum-over-queries",
    shift=lambda h, axis: np.where(np.isneginf(h.max(0, keepdims=True)), 0, h.max(0, keepdims=True)),
)
maximum_without_keepdims = in_softmax(
    "maximum-without-keepdims", shift=lambda h, axis: np.where(np.isneginf(h.max(axis=-1)), 0.0, h.max(axis=-1))
)
sum_without_keepdims = in_softmax(
    "sum-without-keepdims", denominator=lambda e, axis: np.where(e.sum(axis=-1) == 0, 1.0, e.sum(axis=-1))
)
minimum_subtracted = in_softmax(
    "minimum-subtracted", shift=lambda h, axis: np.where(np.isinf(h), np.inf, h).min(axis=-1, keepdims=True)
)
not_normalised, not_normalised_a = softmax_and_attend("not-normalised", denominator=one)
one_added, one_added_a = softmax_and_attend(
    "one-added", denominator=lambda e, axis: e.sum(axis=axis, keepdims=True) + 1
)
large_epsilon, large_epsilon_a = softmax_and_attend(
    "large-epsilon", denominator=lambda e, axis: e.sum(axis=axis, keepdims=True) + 1e-2
)
divided_by_visible, divided_by_visible_a = softmax_and_attend(
    "divided-by-count", denominator=lambda e, axis: np.maximum((e > 0).sum(axis=-1, keepdims=True), 1)
)
divided_by_keys, divided_by_keys_a = softmax_and_attend("divided-by-count", denominator=lambda e, axis: e.shape[-1])
base_two, base_two_a = softmax_and_attend("base-two", exponential=np.exp2)
softmax_twice, softmax_twice_a = softmax_and_attend(
    "softmax-twice", after=lambda w, s, m: softmax(np.where(m, w, -np.inf))
)
softmax_twice_plain, softmax_twice_plain_a = softmax_and_attend("softmax-twice", after=lambda w, s, m: softmax(w))
softmax_first, softmax_first_a = softmax_and_attend("softmax-twice", hide=lambda s, m: np.where(m, softmax(s), -np.inf))
log_softmax, log_softmax_a = softmax_and_attend("log-softmax", after=lambda w, s, m: np.log(w))
log_softmax_filled = in_softmax("log-softmax", after=lambda w, s, m: logarithms(np.where(m, s, -1e9)))
arg_max, arg_max_a = softmax_and_attend("arg-max", after=lambda w, s, m: np.eye(w.shape[1])[w.argmax(-1)] * m)

# ---- a row that sees nothing -----------------------------------------------------------------------

nan_on_empty = in_softmax("nan-on-empty-row", **NAN_IF_EMPTY)
nan_on_empty_after = in_softmax(
    "nan-on-empty-row",
    hide=lambda s, m: s,
    after=lambda w, s, m: cut_off(w, s, m) / cut_off(w, s, m).sum(axis=-1, keepdims=True),
)
uniform_on_empty = in_softmax("uniform-on-empty-row", **UNIFORM_IF_EMPTY)
unmasked_on_empty = in_softmax(
    "unmasked-on-empty-row", after=lambda w, s, m: np.where(m.any(-1, keepdims=True), w, softmax(s))
)
first_on_empty = in_softmax(
    "something-on-empty-row", after=lambda w, s, m: np.where(m.any(-1, keepdims=True), w, np.eye(m.shape[1])[0])
)
ones_on_empty = in_softmax("something-on-empty-row", after=lambda w, s, m: np.where(m.any(-1, keepdims=True), w, 1.0))

# ---- the attention around it ---------------------------------------------------------------------


def divided_by(divisor):
    """Scores over divisor(q, k, v)."""
    return lambda scores, q, k, v: scores / divisor(q, k, v)


def values_as_wide_as_keys(q, k, v):
    """The inputs, refused as the library's function refuses them."""
    if v.shape[1] != k.shape[1]:
        raise ValueError("values and keys of different width")
    return q, k, v


no_scale = in_attend("no-scale", scale=divided_by(lambda q, k, v: 1.0))
scale_without_root = in_attend("scale-without-root", scale=divided_by(lambda q, k, v: k.shape[1]))
scale_by_key_count = in_attend("scale-by-key-count", scale=divided_by(lambda q, k, v: np.sqrt(k.shape[0])))
scale_by_query_count = in_attend("scale-by-query-count", scale=divided_by(lambda q, k, v: np.sqrt(q.shape[0])))
scale_by_value_width = in_attend("scale-by-value-width", scale=divided_by(lambda q, k, v: np.sqrt(v.shape[1])))
scale_hard_coded = in_attend("scale-hard-coded", scale=divided_by(lambda q, k, v: 2.0))
scale_hard_coded_eight = in_attend("scale-hard-coded", scale=divided_by(lambda q, k, v: 8.0))
scale_multiplied = in_attend("scale-multiplied", scale=divided_by(lambda q, k, v: 1 / np.sqrt(k.shape[1])))
scale_after_softmax = in_attend(
    "scale-after-softmax",
    scale=divided_by(lambda q, k, v: 1.0),
    after=lambda weights, q, k, v: weights / np.sqrt(k.shape[1]),
)
values_scored = in_attend("values-scored", inputs=lambda q, k, v: (q, v, v))
keys_mixed = in_attend("keys-mixed", inputs=lambda q, k, v: (q, k, k))
keys_and_values_swapped = in_attend("keys-and-values-swapped", inputs=lambda q, k, v: (q, v, k))
queries_and_keys_swapped = in_attend("queries-and-keys-swapped", inputs=lambda q, k, v: (k, q, v))
softmax_arguments_swapped = in_attend("softmax-arguments-swapped", softmax=lambda s, m: masked_softmax(m, s != 0))
scores_mixed = in_attend("scores-mixed", mix=lambda w, v, scores: scores @ v)
weights_transposed = in_attend("weights-transposed", mix=lambda w, v, scores: w.T @ v)
scores_returned = in_attend("scores-returned", result=lambda output, weights, scores, q: (output, scores))
outputs_swapped = in_attend("outputs-swapped", result=lambda output, weights, scores, q: (weights, output))
mask_returned = in_attend(
    "mask-returned", result=lambda output, weights, scores, q: (output, causal_mask(*scores.shape).astype(float))
)
unmasked_weights_mixed = in_attend("unmasked-weights-mixed", mix=lambda w, v, scores: softmax(scores) @ v)
unmasked_weights_returned = in_attend(
    "unmasked-weights-returned", result=lambda output, weights, scores, q: (output, softmax(scores))
)
library_flag = in_attend("library-flag", mix=lambda w, v, scores: masked_softmax(scores, np.tri(*scores.shape)) @ v)
library_flag_direct = in_attend(
    "library-flag",
    inputs=values_as_wide_as_keys,
    mix=lambda w, v, scores: masked_softmax(scores, np.tri(*scores.shape)) @ v,
)
query_added = in_attend("query-added", result=lambda output, weights, scores, q: (output + q, weights))


# ---- the variables of the exercises ----------------------------------------------------------------

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
EVERYTHING = np.ones((10, 10), dtype=bool)


def with_ending(*, attend=causal_attention, keys=True, values=True):
    """The output of the sentence with the chosen parts of a new ending."""
    return lambda new_k, new_v: attend(Q, new_k if keys else K, new_v if values else V)[0]


changed = family("changed", variant=with_ending, given=["new_k", "new_v"])
changed_without_keys = misconception("changed-without-keys", of="changed", keys=False)
changed_without_values = misconception("changed-without-values", of="changed", values=False)
changed_without_mask = misconception(
    "changed-without-mask", of="changed", attend=lambda q, k, v: (softmax(q @ k.T / 2) @ v,)
)


def windowed(*, rule=lambda i, j: (j <= i) & (i - j < 3)):
    """The weights of zero scores under a window."""
    positions = np.arange(10)
    return lambda: masked_softmax(np.zeros((10, 10)), rule(positions[:, None], positions))


window_w = family("window_w", variant=windowed)
window_too_wide = misconception("window-off-by-one", of="window_w", rule=lambda i, j: (j <= i) & (i - j <= 3))
window_too_narrow = misconception("window-off-by-one", of="window_w", rule=lambda i, j: (j <= i) & (i - j < 2))
window_both_sides = misconception("window-both-sides", of="window_w", rule=lambda i, j: abs(i - j) < 3)
window_with_future = misconception("window-with-future", of="window_w", rule=lambda i, j: i - j < 3)
window_forgotten = misconception("window-forgotten", of="window_w", rule=lambda i, j: j <= i)
window_of_the_first = misconception("window-of-the-first", of="window_w", rule=lambda i, j: (j <= i) & (j < 3))
window_sees_nothing = misconception("window-sees-nothing", of="window_w", rule=lambda i, j: i + j < 0)
window_strict = misconception("window-without-itself", of="window_w", rule=lambda i, j: (j < i) & (i - j <= 3))

two_layers = family(
    "two_layers", variant=lambda *, mix=np.matmul: lambda window_w: mix(window_w, window_w), given=["window_w"]
)
layers_multiplied = misconception("layers-multiplied", of="two_layers", mix=np.multiply)
layers_added = misconception("layers-added", of="two_layers", mix=np.add)
one_layer = misconception("one-layer", of="two_layers", mix=lambda a, b: (a + b) / 2)
wider_window = misconception(
    "wider-window", of="two_layers", mix=lambda a, b: windowed(rule=lambda i, j: (j <= i) & (i - j < 5))()
)
first_layer_added = misconception("first-layer-added", of="two_layers", mix=lambda a, b: a @ b + a)
layers_transposed = misconception("layers-transposed", of="two_layers", mix=lambda a, b: a @ b.T)


def last_three(*, offset=0, rows=slice(-3, None)):
    """Weights of three queries over ten keys, the first of them standing at key ``offset``."""
    return lambda: masked_softmax(Q[rows] @ K.T / 2, np.tri(3, 10, offset, dtype=bool))


forgotten = family("forgotten", variant=last_three)
repaired = family("repaired", variant=lambda *, offset=7, rows=slice(-3, None): last_three(offset=offset, rows=rows))
forgotten_is_repaired = misconception("forgotten-is-repaired", of="forgotten", offset=7)
first_three_forgotten = misconception("first-three-repaired", of="forgotten", rows=slice(None, 3))
repaired_still_forgets = misconception("repaired-still-forgets", of="repaired", offset=0)
repaired_too_late = misconception("repaired-off-by-one", of="repaired", offset=6)
repaired_too_early = misconception("repaired-off-by-one", of="repaired", offset=8)
repaired_by_query_count = misconception("repaired-by-query-count", of="repaired", offset=3)
repaired_without_mask = misconception("repaired-without-mask", of="repaired", offset=10)
first_three_repaired = misconception("first-three-repaired", of="repaired", rows=slice(None, 3))


def answers(causal_mask, masked_softmax, causal_attend):
    """What main.py defines besides functions, computed with these."""
    output, weights = causal_attend(Q, K, V)
    t, late = 6, np.arange(10)[:, None] > 6
    new_k, new_v = np.where(late, 3.0, K), np.where(late, -5.0, V)
    distance = np.arange(10)[:, None] - np.arange(10)
    window_w = masked_softmax(np.zeros((10, 10)), causal_mask(10, 10) & (distance < 3))
    return {
        "q": Q,
        "k": K,
        "v": V,
        "output": output,
        "weights": weights,
        "free_w": masked_softmax(Q @ K.T / 2, EVERYTHING),
        "means": causal_attend(0 * Q, K, V)[0],
        "t": t,
        "new_k": new_k,
        "new_v": new_v,
        "changed": causal_attend(Q, new_k, new_v)[0],
        "window_w": window_w,
        "two_layers": window_w @ window_w,
        "forgotten": masked_softmax(Q[-3:] @ K.T / 2, np.tri(3, 10, dtype=bool)),
        "repaired": masked_softmax(Q[-3:] @ K.T / 2, causal_mask(3, 10)),
    }
