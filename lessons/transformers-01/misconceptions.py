"""The classic mistakes of this lesson, as the part that each one gets wrong.

Titles and hints are in lesson.toml under the same names.
"""

import numpy as np

from grader.checking import family, misconception
from grader.oracle.attention import scaled_dot_product_attention, softmax
from grader.oracle.attention_parts import attention_from_parts, float32_exp

HIDDEN = -1e30


def attend_probes(probe):
    """Argument lists that tell the mistakes apart: rectangular, square and at large scores."""
    return [
        probe.fixture,
        (probe.q, probe.k, probe.v),
        probe.square,
        (probe.q, probe.k, probe.wide_v),
        (1000 * probe.q, probe.k, probe.v),
        probe.far_apart,
        probe.at_height,
        probe.low,
    ]


attend = family("attend", variant=attention_from_parts, probes=attend_probes)


def mistake(name, **parts):
    """A mistake in ``attend``: the parts of ``attention_from_parts`` that it replaces."""
    return misconception(name, of="attend", **parts)


def divided_by(divisor):
    """Scores over divisor(q, k, v)."""
    return lambda scores, q, k, v: scores / divisor(q, k, v)


def unit_rows(x):
    """Every row at length 1."""
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


def as_is(scores):
    """Used where the exponential is missing."""
    return scores


def zero(scores, axis):
    """Used where nothing is subtracted."""
    return 0.0


def one(exponentials, axis):
    """Used where nothing is divided."""
    return 1.0


# Which axis is normalised.
softmax_over_queries = mistake("softmax-over-queries", axis=0)
softmax_over_queries_with_one_maximum = mistake(
    "softmax-over-queries-with-one-maximum", axis=0, shift=lambda s, axis: s.max()
)
softmax_over_everything = mistake("softmax-over-everything", axis=None)
sum_over_queries = mistake("sum-over-queries", denominator=lambda e, axis: e.sum(axis=0, keepdims=True))
sum_over_everything = mistake("sum-over-everything", denominator=lambda e, axis: e.sum())
sum_without_keepdims = mistake("sum-without-keepdims", denominator=lambda e, axis: e.sum(axis=-1))
maximum_over_queries = mistake("maximum-over-queries", shift=lambda s, axis: s.max(axis=0, keepdims=True))
maximum_without_keepdims = mistake("maximum-without-keepdims", shift=lambda s, axis: s.max(axis=-1))

# How the scores are scaled.
no_scale = mistake("no-scale", scale=divided_by(lambda q, k, v: 1.0))
scale_without_root = mistake("scale-without-root", scale=divided_by(lambda q, k, v: k.shape[1]))
scale_by_key_count = mistake("scale-by-key-count", scale=divided_by(lambda q, k, v: np.sqrt(k.shape[0])))
scale_by_query_count = mistake("scale-by-query-count", scale=divided_by(lambda q, k, v: np.sqrt(q.shape[0])))
scale_by_value_width = mistake("scale-by-value-width", scale=divided_by(lambda q, k, v: np.sqrt(v.shape[1])))
scale_hard_coded = mistake("scale-hard-coded", scale=divided_by(lambda q, k, v: np.sqrt(2.0)))
scale_hard_coded_2 = mistake("scale-hard-coded-2", scale=divided_by(lambda q, k, v: 2.0))
scale_half_width = mistake("scale-half-width", scale=divided_by(lambda q, k, v: k.shape[1] / 2))
scale_multiplied = mistake("scale-multiplied", scale=divided_by(lambda q, k, v: 1 / np.sqrt(k.shape[1])))
scale_twice = mistake("scale-twice", scale=divided_by(lambda q, k, v: k.shape[1] ** 2))
scale_after_softmax = mistake(
    "scale-after-softmax",
    scale=divided_by(lambda q, k, v: 1.0),
    after=lambda weights, q, k, v: weights / np.sqrt(k.shape[1]),
)

# How queries and keys are scored.
keys_reshaped = mistake("keys-reshaped", score=lambda q, k: q @ k.reshape(k.shape[1], k.shape[0]))
cosine_scores = mistake("cosine-scores", score=lambda q, k: unit_rows(q) @ unit_rows(k).T)
distances = mistake("distances", score=lambda q, k: np.linalg.norm(q[:, None] - k[None, :], axis=-1))
negative_distances = mistake("negative-distances", score=lambda q, k: -np.linalg.norm(q[:, None] - k[None, :], axis=-1))
squared_distances = mistake("squared-distances", score=lambda q, k: -np.square(q[:, None] - k[None, :]).sum(axis=-1))
absolute_scores = mistake("absolute-scores", adjust=np.abs)
negative_scores = mistake("negative-scores", adjust=np.negative)
rectified_scores = mistake("rectified-scores", adjust=lambda s: np.maximum(s, 0.0))
squared_scores = mistake("squared-scores", adjust=np.square)
scores_clipped = mistake("scores-clipped", adjust=lambda s: np.clip(s, -40.0, 40.0))
causal_by_mistake = mistake("causal-by-mistake", adjust=lambda s: np.where(np.tri(*s.shape, dtype=bool), s, HIDDEN))
causal_reversed = mistake("causal-reversed", adjust=lambda s: np.where(np.tri(*s.shape, -1, dtype=bool), HIDDEN, s))
causal_filled_with_zero = mistake(
    "causal-filled-with-zero", adjust=lambda s: np.where(np.tri(*s.shape, dtype=bool), s, 0.0)
)
causal_after_softmax = mistake("causal-after-softmax", after=lambda w, q, k, v: np.tril(w))
soft_capped = mistake("soft-capped", adjust=lambda s: 50.0 * np.tanh(s / 50.0))
zero_is_masked = mistake("zero-is-masked", adjust=lambda s: np.where(s == 0.0, HIDDEN, s))
position_bias = mistake("position-bias", adjust=lambda s: s - np.arange(s.shape[1]))
always_uniform = mistake("always-uniform", adjust=np.zeros_like)

# How softmax is computed.
no_maximum = mistake("no-maximum", shift=zero)
no_maximum_in_float64 = mistake("no-maximum-in-float64", shift=zero, exponential=np.exp)
naive_logsumexp = mistake(
    "naive-logsumexp", shift=lambda s, axis: np.log(float32_exp(s).sum(axis=axis, keepdims=True)), denominator=one
)
one_maximum = mistake("one-maximum", shift=lambda s, axis: s.max())
minimum_subtracted = mistake("minimum-subtracted", shift=lambda s, axis: s.min(axis=-1, keepdims=True))
mean_subtracted = mistake("mean-subtracted", shift=lambda s, axis: s.mean(axis=-1, keepdims=True))
nan_patched = mistake("nan-patched", shift=zero, after=lambda w, q, k, v: np.nan_to_num(w))
base_two = mistake("base-two", exponential=np.exp2)
no_exponential = mistake("no-exponential", shift=zero, exponential=as_is)
sigmoid = mistake("sigmoid", shift=zero, exponential=lambda s: 1 / (1 + np.exp(-s)), denominator=one)
sigmoid_normalised = mistake("sigmoid-normalised", shift=zero, exponential=lambda s: 1 / (1 + np.exp(-s)))
not_normalised = mistake("not-normalised", denominator=one)
no_softmax = mistake("no-softmax", shift=zero, exponential=as_is, denominator=one)
one_added = mistake("one-added", denominator=lambda e, axis: e.sum(axis=axis, keepdims=True) + 1)
divided_by_key_count = mistake("divided-by-key-count", denominator=lambda e, axis: e.shape[-1])
divided_by_length = mistake(
    "divided-by-length", denominator=lambda e, axis: np.sqrt(np.square(e).sum(axis=-1, keepdims=True))
)
softmax_twice = mistake("softmax-twice", after=lambda w, q, k, v: softmax(w))
log_softmax = mistake("log-softmax", after=lambda w, q, k, v: np.log(w))
arg_max = mistake("arg-max", after=lambda w, q, k, v: np.eye(w.shape[1])[w.argmax(axis=-1)])

# What is mixed.
keys_mixed = mistake("keys-mixed", inputs=lambda q, k, v: (q, k, k))
values_scored = mistake("values-scored", inputs=lambda q, k, v: (q, v, v))
keys_and_values_swapped = mistake("keys-and-values-swapped", inputs=lambda q, k, v: (q, v, k))
queries_and_keys_swapped = mistake("queries-and-keys-swapped", inputs=lambda q, k, v: (k, q, v))
inputs_softmaxed = mistake("inputs-softmaxed", inputs=lambda q, k, v: (softmax(q), softmax(k), v))
keys_ignored = mistake("keys-ignored", inputs=lambda q, k, v: (q, q, v))
weights_transposed = mistake("weights-transposed", mix=lambda w, v, scores: w.T @ v)
values_averaged = mistake(
    "values-averaged", mix=lambda w, v, scores: np.repeat(v.mean(axis=0, keepdims=True), len(w), axis=0)
)
mixture_averaged = mistake("mixture-averaged", mix=lambda w, v, scores: w @ v / len(v))
scores_mixed = mistake("scores-mixed", mix=lambda w, v, scores: scores @ v)
values_reversed = mistake("values-reversed", mix=lambda w, v, scores: w @ v[::-1])

# What comes back.
scores_returned = mistake("scores-returned", result=lambda output, weights, scores, q: (output, scores))
outputs_swapped = mistake("outputs-swapped", result=lambda output, weights, scores, q: (weights, output))
returned_weights_transposed = mistake(
    "returned-weights-transposed", result=lambda output, weights, scores, q: (output, weights.T)
)
never_filled = mistake(
    "never-filled", result=lambda output, weights, scores, q: (np.zeros_like(output), np.zeros_like(weights))
)
query_added = mistake("query-added", result=lambda output, weights, scores, q: (output + q, weights))
output_softmaxed = mistake("output-softmaxed", result=lambda output, weights, scores, q: (softmax(output), weights))
weights_returned_twice = mistake("weights-returned-twice", result=lambda output, weights, scores, q: (weights, weights))


# The variables of the exercises. Each is a function of what it is computed from.
QUERY = np.array([[2.0, 0.0]])
KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
VALUES = np.array([[2.0, 0.0], [0.0, 4.0], [4.0, 2.0]])


def reordered(*, keys=True, values=True):
    """The output for QUERY with the chosen inputs in ``order`` (3,)."""

    def output(order):
        rows = np.asarray(order, dtype=int)
        return scaled_dot_product_attention(QUERY, KEYS[rows] if keys else KEYS, VALUES[rows] if values else VALUES)[0]

    return output


paired = family("paired", variant=reordered, given=["order"])
mismatched = family(
    "mismatched", variant=lambda *, keys=False, values=True: reordered(keys=keys, values=values), given=["order"]
)
paired_values_only = misconception("paired-values-only", of="paired", keys=False)
paired_keys_only = misconception("paired-keys-only", of="paired", values=False)
mismatched_keys_only = misconception("mismatched-keys-only", of="mismatched", keys=True, values=False)
mismatched_both = misconception("mismatched-both", of="mismatched", keys=True)


def normalised(*, axis):
    """The softmax of zeros (2, 3) along ``axis``."""
    return lambda: softmax(np.zeros((2, 3)), axis=axis)


wrong_w = family("wrong_w", variant=lambda *, axis=0: normalised(axis=axis))
right_w = family("right_w", variant=lambda *, axis=-1: normalised(axis=axis))
wrong_w_is_right = misconception("wrong-w-is-right", of="wrong_w", axis=-1)
right_w_is_wrong = misconception("right-w-is-wrong", of="right_w", axis=0)


def answers(attend):
    """What main.py defines besides functions, computed with this ``attend``."""
    order = np.array([2, 0, 1])
    q, scalar_v = np.zeros((2, 2)), np.array([[3.0], [6.0], [9.0]])
    output, weights = attend(q, KEYS, VALUES)
    actual, w_new = attend(QUERY, KEYS, VALUES)
    return {
        "q": q,
        "k": KEYS,
        "v": VALUES,
        "output": output,
        "weights": weights,
        "q_new": QUERY,
        "actual": actual,
        "w_new": w_new,
        "order": order,
        "paired": attend(QUERY, KEYS[order], VALUES[order])[0],
        "mismatched": attend(QUERY, KEYS, VALUES[order])[0],
        "scalar_v": scalar_v,
        "scalar_out": attend(q, KEYS, scalar_v)[0],
        "wrong_w": normalised(axis=0)(),
        "right_w": normalised(axis=-1)(),
    }
