"""Attention in NumPy float64: the references that submissions are compared with.

Shapes follow Vaswani et al., "Attention Is All You Need" (2017), section 3.2:
queries (…, Tq, Dk), keys (…, Tk, Dk), values (…, Tk, Dv). Masks are boolean and
True where a query may attend to a key. Nothing here imports JAX.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def softmax(x: ArrayLike, axis: int = -1) -> Floats:
    """Softmax along ``axis``: exp(x - max) / sum exp(x - max).

    An entry of -inf gets weight exactly 0. A slice that is -inf throughout has
    nothing to attend to and gives zeros, not NaN. NaN and +inf stay visible as NaN.
    """
    scores = np.asarray(x, dtype=np.float64)
    largest = scores.max(axis=axis, keepdims=True)
    shift = np.where(np.isneginf(largest), 0.0, largest)
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(scores - shift)
    total = exponentials.sum(axis=axis, keepdims=True)
    return exponentials / np.where(total == 0.0, 1.0, total)


def softmax_jacobian(p: ArrayLike) -> Floats:
    """Derivative of the softmax output ``p`` (n,) by its scores, (n, n): diag(p) - p pᵀ."""
    probabilities = np.asarray(p, dtype=np.float64)
    if probabilities.ndim != 1:
        raise ValueError(f"softmax_jacobian: p must be one vector (n,), got shape {probabilities.shape}")
    return np.diag(probabilities) - np.outer(probabilities, probabilities)


def causal_mask(n: int) -> Mask:
    """(n, n) bool, True where position i may attend to j: j ≤ i."""
    return np.tri(n, dtype=bool)


def scaled_dot_product_attention(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, mask: ArrayLike | None = None, *, scale: bool = True
) -> tuple[Floats, Floats]:
    """Attention of every query over all keys; leading axes broadcast.

    q (…, Tq, Dk), k (…, Tk, Dk), v (…, Tk, Dv), mask (…, Tq, Tk) bool or None
    -> output (…, Tq, Dv), weights (…, Tq, Tk). With ``scale`` the scores are divided by
    √Dk. A query that may attend to nothing gets weights and output of 0.
    """
    queries, keys, values = (np.asarray(part, dtype=np.float64) for part in (q, k, v))
    scores = queries @ np.swapaxes(keys, -1, -2)
    if scale:
        scores = scores / np.sqrt(keys.shape[-1])
    if mask is not None:
        scores = np.where(np.asarray(mask, dtype=bool), scores, -np.inf)
    weights = softmax(scores)
    return weights @ values, weights


@dataclass(frozen=True)
class MultiHeadAttention:
    """Multi-head attention with grouped key/value heads and seeded weights.

    Each of the ``n_kv_heads`` key/value heads serves n_heads / n_kv_heads neighbouring
    query heads (Ainslie et al., "GQA", 2023); n_kv_heads = 1 is multi-query attention.
    Weights are normal with standard deviation 1/√d_model.

    Raises ValueError unless n_heads divides d_model and n_kv_heads divides n_heads.
    """

    d_model: int
    n_heads: int
    n_kv_heads: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n_heads < 1 or self.d_model % self.n_heads:
            raise ValueError(f"d_model {self.d_model} must be a multiple of n_heads {self.n_heads}")
        if self.groups < 1 or self.n_heads % self.groups:
            raise ValueError(f"n_heads {self.n_heads} must be a multiple of n_kv_heads {self.groups}")

    @property
    def groups(self) -> int:
        """Number of key/value heads."""
        return self.n_heads if self.n_kv_heads is None else self.n_kv_heads

    @property
    def d_head(self) -> int:
        """Width of one head."""
        return self.d_model // self.n_heads

    @cached_property
    def params(self) -> dict[str, Floats]:
        """wq (D, H·d), wk and wv (D, G·d), wo (H·d, D)."""
        rng = np.random.default_rng(self.seed)
        wide, narrow = self.n_heads * self.d_head, self.groups * self.d_head
        shapes = {
            "wq": (self.d_model, wide),
            "wk": (self.d_model, narrow),
            "wv": (self.d_model, narrow),
            "wo": (wide, self.d_model),
        }
        return {name: rng.normal(size=shape) / np.sqrt(self.d_model) for name, shape in shapes.items()}

    @property
    def kv_params(self) -> int:
        """Entries of wk and wv together: 2 · D · G · d."""
        return self.params["wk"].size + self.params["wv"].size

    def __call__(self, x: ArrayLike, mask: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """x (…, T, D), mask (T, T) or None -> output (…, T, D), weights (…, H, T, T)."""
        return multi_head_attention(self.params, x, self.n_heads, self.groups, mask)


def split_heads(x: ArrayLike, n_heads: int) -> Floats:
    """(…, T, H·d) -> (…, H, T, d): head h owns the columns h·d to (h+1)·d."""
    rows = np.asarray(x, dtype=np.float64)
    return np.swapaxes(rows.reshape(*rows.shape[:-1], n_heads, -1), -2, -3)


def merge_heads(x: ArrayLike) -> Floats:
    """(…, H, T, d) -> (…, T, H·d): the inverse of ``split_heads``."""
    heads = np.swapaxes(np.asarray(x, dtype=np.float64), -2, -3)
    return heads.reshape(*heads.shape[:-2], -1)


def multi_head_attention(
    params: dict[str, Any], x: ArrayLike, n_heads: int, n_kv_heads: int, mask: ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """x (…, T, D) with wq (D, H·d), wk, wv (D, G·d), wo (H·d, D) -> (…, T, D), (…, H, T, T)."""
    rows = np.asarray(x, dtype=np.float64)
    q = split_heads(rows @ params["wq"], n_heads)
    k, v = (
        np.repeat(split_heads(rows @ params[name], n_kv_heads), n_heads // n_kv_heads, axis=-3) for name in ("wk", "wv")
    )
    mixed, weights = scaled_dot_product_attention(q, k, v, mask)
    return merge_heads(mixed) @ params["wo"], weights


@dataclass(frozen=True)
class AttentionCost:
    """Work of attention over a sequence; FLOPs count a multiply and an add as two."""

    score_and_mix_flops: int
    projection_flops: int
    scores_per_head: int


def attention_cost(n: int, d_model: int, n_layers: int = 1) -> AttentionCost:
    """Cost of n tokens through ``n_layers`` layers of width ``d_model``.

    Scores and mixing take 2 · 2·n²·d_model FLOPs a layer, the four projections
    2 · 4·n·d_model²; the two are equal at n = 2·d_model. Every head keeps n² scores.
    """
    return AttentionCost(
        score_and_mix_flops=n_layers * 2 * 2 * n**2 * d_model,
        projection_flops=n_layers * 2 * 4 * n * d_model**2,
        scores_per_head=n**2,
    )


@dataclass(frozen=True)
class SqrtDkRow:
    """One width of the √d_k experiment: how peaked softmax is, with or without the scale."""

    width: int
    scaled: bool
    score_std: float
    mean_largest_weight: float
    mean_jacobian_norm: float


def sqrt_dk_experiment(widths: Sequence[int], n_keys: int = 16, trials: int = 2000, seed: int = 0) -> list[SqrtDkRow]:
    """Softmax of Gaussian queries and keys at every width, unscaled and scaled by 1/√d_k.

    Per row: the standard deviation of the scores, the mean largest weight over ``trials``
    rows of ``n_keys`` keys, and the mean Frobenius norm of the softmax Jacobian over the
    first 200 trials.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for width in widths:
        queries = rng.normal(size=(trials, width))
        # One trial at a time: at width 1024 all keys together would take 260 MB.
        raw = np.stack([rng.normal(size=(n_keys, width)) @ query for query in queries])
        for scaled in (False, True):
            scores = raw / np.sqrt(width) if scaled else raw
            weights = softmax(scores)
            norms = [float(np.linalg.norm(softmax_jacobian(row))) for row in weights[:200]]
            rows.append(
                SqrtDkRow(width, scaled, float(scores.std()), float(weights.max(axis=-1).mean()), float(np.mean(norms)))
            )
    return rows
