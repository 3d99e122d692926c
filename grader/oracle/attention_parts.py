"""Attention with exchangeable parts, so that a mistake can be stated as the part that it gets wrong.

With no part exchanged, ``attention_from_parts()`` is the reference. Mistakes in different parts
combine. Computed in float64; ``exponential`` overflows where float32 does, since that is what a
missing maximum looks like in a submission.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.oracle.attention import Floats

Attention = Callable[[Floats, Floats, Floats], tuple[Any, ...]]
Part = Callable[..., Any]


def inputs_as_given(q: Floats, k: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
    """The three inputs in their own roles."""
    return q, k, v


def dot_products(q: Floats, k: Floats) -> Floats:
    """(Tq, Dk), (Tk, Dk) -> (Tq, Tk): a row per query, a column per key."""
    return q @ k.T


def over_root_of_key_width(scores: Floats, q: Floats, k: Floats, v: Floats) -> Floats:
    """Scores over √Dk."""
    return scores / float(np.sqrt(k.shape[-1]))


def unchanged(array: Floats) -> Floats:
    """Nothing happens here in the reference."""
    return array


def weights_unchanged(weights: Floats, q: Floats, k: Floats, v: Floats) -> Floats:
    """Nothing happens between softmax and mixing."""
    return weights


def largest(scores: Floats, axis: int | None) -> Any:
    """What is subtracted before the exponential: the largest score along the softmax axis."""
    return scores.max(axis=axis, keepdims=True)


def float32_exp(scores: Floats) -> Floats:
    """exp that overflows to infinity where float32 does, above 88.7."""
    return np.exp(scores.astype(np.float32)).astype(np.float64)


def total(exponentials: Floats, axis: int | None) -> Any:
    """What the exponentials are divided by: their sum along the softmax axis."""
    return exponentials.sum(axis=axis, keepdims=True)


def weighted_sum(weights: Floats, v: Floats, scores: Floats) -> Floats:
    """(Tq, Tk), (Tk, Dv) -> (Tq, Dv)."""
    return weights @ v


def output_and_weights(output: Floats, weights: Floats, scores: Floats, q: Floats) -> tuple[Any, ...]:
    """The pair that attention returns."""
    return output, weights


def attention_from_parts(
    *,
    inputs: Part = inputs_as_given,
    score: Part = dot_products,
    scale: Part = over_root_of_key_width,
    adjust: Part = unchanged,
    axis: int | None = -1,
    shift: Part = largest,
    exponential: Part = float32_exp,
    denominator: Part = total,
    after: Part = weights_unchanged,
    mix: Part = weighted_sum,
    result: Part = output_and_weights,
) -> Attention:
    """Attention made of these parts, as a function of q (Tq, Dk), k (Tk, Dk), v (Tk, Dv).

    In order: ``inputs`` (q, k, v), ``score`` (q, k), ``scale`` (scores, q, k, v), ``adjust`` (scores),
    softmax along ``axis`` with ``shift``, ``exponential`` and ``denominator``, ``after`` (weights, q, k, v),
    ``mix`` (weights, v, scores), ``result`` (output, weights, scores, q).
    """

    def attend(q: Floats, k: Floats, v: Floats) -> tuple[Any, ...]:
        q, k, v = inputs(q, k, v)
        scores = adjust(scale(score(q, k), q, k, v))
        exponentials = exponential(scores - shift(scores, axis))
        weights = after(exponentials / denominator(exponentials, axis), q, k, v)
        return result(mix(weights, v, scores), weights, scores, q)  # type: ignore[no-any-return]

    return attend
