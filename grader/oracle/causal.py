"""Causal attention in NumPy float64, with exchangeable parts.

Attention as in Vaswani et al., "Attention Is All You Need" (2017), section 3.2.3: illegal connections are masked
out before the softmax. Where there are fewer queries than keys they are the last ones, so that the mask is aligned
at the end, as a decoder with a cache needs it. With no part exchanged every ``…_from_parts()`` is the reference;
mistakes in different parts combine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from grader.oracle.attention import Floats, Mask, softmax
from grader.oracle.attention_parts import (
    Attention,
    Part,
    dot_products,
    float32_exp,
    inputs_as_given,
    output_and_weights,
    over_root_of_key_width,
    total,
    weighted_sum,
    weights_unchanged,
)

MaskRule = Callable[[int, int], Any]
MaskedSoftmax = Callable[[Floats, Mask], Any]


def causal_mask(n_queries: int, n_keys: int) -> Mask:
    """(Tq, Tk) bool, True where query i may attend to key j: j ≤ i + Tk - Tq.

    The last query sees every key. With more queries than keys the first Tq - Tk queries see none.
    """
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


def masked_softmax(scores: ArrayLike, mask: ArrayLike) -> Floats:
    """scores (…, Tq, Tk), mask (…, Tq, Tk) bool -> weights; softmax over the keys where ``mask`` is True.

    A hidden key gets exactly 0, whatever its score, and so does every key of a row that sees nothing.
    """
    return softmax(np.where(np.asarray(mask, dtype=bool), np.asarray(scores, dtype=np.float64), -np.inf))


def causal_attention(q: ArrayLike, k: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats]:
    """q (Tq, Dk), k (Tk, Dk), v (Tk, Dv) -> output (Tq, Dv), weights (Tq, Tk)."""
    queries, keys, values = (np.asarray(part, dtype=np.float64) for part in (q, k, v))
    scores = queries @ keys.T / np.sqrt(keys.shape[-1])
    weights = masked_softmax(scores, causal_mask(len(queries), len(keys)))
    return weights @ values, weights


# ---- the mask ----------------------------------------------------------------------------


def end_aligned(n_queries: int, n_keys: int) -> int:
    """How many keys lie before the one at which query 0 stands."""
    return n_keys - n_queries


def up_to_itself(i: Any, j: Any) -> Any:
    """Query at position i sees the keys j up to its own position."""
    return j <= i


def as_asked(n_queries: int, n_keys: int) -> tuple[int, int]:
    """A row for each query, a column for each key."""
    return n_queries, n_keys


def as_built(mask: Any) -> Any:
    """Nothing happens to the mask afterwards in the reference."""
    return mask


def causal_mask_from_parts(
    *, sizes: Part = as_asked, offset: Part = end_aligned, rule: Part = up_to_itself, finish: Part = as_built
) -> MaskRule:
    """A mask function: ``sizes`` (Tq, Tk), ``offset`` (Tq, Tk) of row 0, ``rule`` (i, j), ``finish`` (mask)."""

    def mask(n_queries: int, n_keys: int) -> Any:
        rows, columns = sizes(n_queries, n_keys)
        positions = np.arange(rows)[:, None] + offset(n_queries, n_keys)
        return finish(rule(positions, np.arange(columns)[None, :]))

    return mask


# ---- softmax over what is visible --------------------------------------------------------


def hidden_at_minus_infinity(scores: Floats, mask: Mask) -> Floats:
    """Hidden scores at -inf, which e turns into exactly 0."""
    return np.where(mask, scores, -np.inf)


def largest_finite(scores: Floats, axis: int | None) -> Any:
    """What is subtracted: the largest score along the axis, and nothing where all of it is hidden."""
    largest = scores.max(axis=axis, keepdims=True)
    return np.where(np.isneginf(largest), 0.0, largest)


def total_or_one(exponentials: Floats, axis: int | None) -> Any:
    """What the exponentials are divided by: their sum, and 1 where all of them are 0."""
    sums = total(exponentials, axis)
    return np.where(sums == 0.0, 1.0, sums)


def shown(weights: Floats, scores: Floats, mask: Mask) -> Floats:
    """Nothing happens to the weights afterwards in the reference."""
    return weights


def masked_softmax_from_parts(
    *,
    hide: Part = hidden_at_minus_infinity,
    axis: int | None = -1,
    shift: Part = largest_finite,
    exponential: Part = float32_exp,
    denominator: Part = total_or_one,
    after: Part = shown,
) -> MaskedSoftmax:
    """Masked softmax made of these parts, as a function of scores (Tq, Tk) and mask (Tq, Tk).

    In order: ``hide`` (scores, mask), ``shift`` (hidden, axis), ``exponential``, ``denominator`` (exponentials,
    axis), ``after`` (weights, scores, mask). ``exponential`` overflows where float32 does.
    """

    def weights(scores: Floats, mask: Mask) -> Any:
        hidden = hide(scores, mask)
        exponentials = exponential(hidden - shift(hidden, axis))
        return after(exponentials / denominator(exponentials, axis), scores, mask)

    return weights


# ---- both in attention -------------------------------------------------------------------


def causal_attention_from_parts(
    *,
    inputs: Part = inputs_as_given,
    score: Part = dot_products,
    scale: Part = over_root_of_key_width,
    mask: MaskRule = causal_mask,
    softmax: MaskedSoftmax = masked_softmax,
    after: Part = weights_unchanged,
    mix: Part = weighted_sum,
    result: Part = output_and_weights,
) -> Attention:
    """Causal attention made of these parts, as a function of q (Tq, Dk), k (Tk, Dk), v (Tk, Dv).

    In order: ``inputs`` (q, k, v), ``score`` (q, k), ``scale`` (scores, q, k, v), ``mask`` (Tq, Tk), ``softmax``
    (scores, mask), ``after`` (weights, q, k, v), ``mix`` (weights, v, scores), ``result`` (output, weights, scores, q).
    """

    def attend(q: Floats, k: Floats, v: Floats) -> tuple[Any, ...]:
        q, k, v = inputs(q, k, v)
        scores = scale(score(q, k), q, k, v)
        weights = after(softmax(scores, mask(len(q), len(k))), q, k, v)
        return result(mix(weights, v, scores), weights, scores, q)  # type: ignore[no-any-return]

    return attend
