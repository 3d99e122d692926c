"""Multi-head attention with exchangeable parts, so that a mistake can be stated as the part that it gets wrong.

With no part exchanged, ``multi_head_from_parts()`` is the reference: Vaswani et al., "Attention Is All You Need"
(2017), section 3.2.2, with the grouped key/value heads of Ainslie et al., "GQA" (2023). Mistakes in different parts
combine. T tokens of width D; H query heads and G key/value heads of width d; float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.oracle.attention import Floats, Mask, merge_heads, split_heads

Part = Callable[..., Any]
Params = Mapping[str, Floats]
MultiHead = Callable[[Params, Floats, int, int, Mask | None], tuple[Any, ...]]


def queries_keys_values(params: Params, x: Floats) -> tuple[Floats, Floats, Floats]:
    """(T, D) -> (T, H·d), (T, G·d), (T, G·d): each input through its own matrix."""
    return x @ params["wq"], x @ params["wk"], x @ params["wv"]


def key_value_heads(n_heads: int, n_kv_heads: int) -> int:
    """Into how many heads keys and values are split."""
    return n_kv_heads


def neighbours(part: Floats, n_heads: int) -> Floats:
    """(G, T, d) -> (H, T, d): each key/value head serves H/G query heads in a row."""
    return np.repeat(part, n_heads // len(part), axis=0)


def dot_products(q: Floats, k: Floats) -> Floats:
    """(H, T, d), (H, T, d) -> (H, T, T): a row per query and a column per key in every head."""
    return q @ np.swapaxes(k, -1, -2)


def over_root_of_head_width(scores: Floats, width: int, x: Floats, n_heads: int, n_kv_heads: int) -> Floats:
    """Scores over √d, the width of one head."""
    return scores / float(np.sqrt(width))


def hidden_by_mask(scores: Floats, mask: Mask | None) -> Floats:
    """Scores with -inf where a query may not attend; all of them without a mask."""
    if mask is None:
        return scores
    hidden: Floats = np.where(mask, scores, -np.inf)
    return hidden


def softmax_over_keys(scores: Floats, axis: Any = -1) -> Floats:
    """exp(s - max) / sum exp(s - max); a row of -inf throughout gives NaN, as it does in a submission."""
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    weights: Floats = exponentials / exponentials.sum(axis=axis, keepdims=True)
    return weights


def weights_unchanged(weights: Floats, mask: Mask | None, width: int) -> Floats:
    """Nothing happens between softmax and mixing."""
    return weights


def weighted_sums(weights: Floats, v: Floats) -> Floats:
    """(H, T, T), (H, T, d) -> (H, T, d)."""
    return weights @ v


def projected(mixed: Floats, params: Params, x: Floats, merge: Part) -> Floats:
    """(H, T, d) -> (T, D): the heads side by side, times wo."""
    return merge(mixed) @ params["wo"]  # type: ignore[no-any-return]


def output_and_weights(
    output: Floats, weights: Floats, scores: Floats, hidden: Floats, n_kv_heads: int
) -> tuple[Any, ...]:
    """The pair that multi-head attention returns."""
    return output, weights


def multi_head_from_parts(
    *,
    inputs: Part = queries_keys_values,
    kv_count: Part = key_value_heads,
    split: Part = split_heads,
    share: Part = neighbours,
    score: Part = dot_products,
    scale: Part = over_root_of_head_width,
    hide: Part = hidden_by_mask,
    soften: Part = softmax_over_keys,
    after: Part = weights_unchanged,
    mix: Part = weighted_sums,
    merge: Part = merge_heads,
    project: Part = projected,
    result: Part = output_and_weights,
) -> MultiHead:
    """Multi-head attention made of these parts, as a function of params, x (T, D), n_heads, n_kv_heads, mask (T, T).

    In order: ``inputs`` (params, x), ``split`` (flat, n) with ``kv_count`` (n_heads, n_kv_heads) heads for keys and
    values, ``share`` (part, n_heads), ``score`` (q, k), ``scale`` (scores, width, x, n_heads, n_kv_heads), ``hide``
    (scores, mask), ``soften`` (scores), ``after`` (weights, mask, width), ``mix`` (weights, v), ``project`` (mixed,
    params, x, merge) with ``merge`` (mixed), ``result`` (output, weights, scores, scores after
    ``hide``, n_kv_heads).
    """

    def multi_head_attention(
        params: Params, x: Floats, n_heads: int, n_kv_heads: int, mask: Mask | None
    ) -> tuple[Any, ...]:
        flat_q, flat_k, flat_v = inputs(params, x)
        groups = kv_count(n_heads, n_kv_heads)
        q = split(flat_q, n_heads)
        k, v = (share(split(flat, groups), n_heads) for flat in (flat_k, flat_v))
        width = q.shape[-1]
        scores = scale(score(q, k), width, x, n_heads, n_kv_heads)
        hidden = hide(scores, mask)
        weights = after(soften(hidden), mask, width)
        output = project(mix(weights, v), params, x, merge)
        return result(output, weights, scores, hidden, n_kv_heads)  # type: ignore[no-any-return]

    return multi_head_attention
