"""Losses of next-token models in NumPy float64: the references that submissions are compared with.

Cross-entropy after Shannon, "A Mathematical Theory of Communication" (1948): the cost of an outcome is minus the
logarithm of the probability that it was given. Logits are (…, V); tokens are whole numbers from 0 to V - 1; masks are
boolean and True where a token is real. Everything is in nats where nothing else is said. Nothing here imports JAX.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grader.oracle.attention import Floats, softmax

Tokens = NDArray[np.integer[Any]]


def log_sum_exp(logits: ArrayLike) -> Floats:
    """(…, V) -> (…): log ∑ exp(z), by way of the largest z, so that nothing overflows."""
    scores = np.asarray(logits, dtype=np.float64)
    largest = scores.max(axis=-1, keepdims=True)
    result: Floats = np.log(np.exp(scores - largest).sum(axis=-1)) + largest[..., 0]
    return result


def log_softmax(logits: ArrayLike) -> Floats:
    """(…, V) -> (…, V): the logarithm of every probability, z - log ∑ exp(z)."""
    scores = np.asarray(logits, dtype=np.float64)
    return scores - log_sum_exp(scores)[..., None]


def token_costs(logits: ArrayLike, targets: ArrayLike) -> Floats:
    """logits (…, V), targets (…) -> (…): what each target costs, -log p."""
    picked = np.take_along_axis(log_softmax(logits), np.asarray(targets)[..., None], axis=-1)
    return -picked[..., 0]


def counted_targets(mask: ArrayLike) -> int:
    """How many targets a batch with mask (B, T) has: the real tokens that are not the first of their row."""
    return int(np.asarray(mask, dtype=bool)[:, 1:].sum())


def next_token_loss(logits: ArrayLike, tokens: ArrayLike, mask: ArrayLike) -> float:
    """logits (B, T, V), tokens (B, T), mask (B, T) bool -> the mean cost of all counted targets.

    Position t predicts tokens[:, t + 1], which counts where mask[:, t + 1]. Not a number where nothing counts.
    """
    counted = np.asarray(mask, dtype=bool)[:, 1:]
    costs = token_costs(np.asarray(logits)[:, :-1], np.asarray(tokens)[:, 1:])
    return float(np.where(counted, costs, 0.0).sum() / counted.sum())


def cost_gradient(logits: ArrayLike, targets: ArrayLike) -> Floats:
    """Derivative of each target's cost by its logits, (…, V): p - 1 at the target, p at every other token."""
    scores = np.asarray(logits, dtype=np.float64)
    gradient: Floats = softmax(scores) - np.eye(scores.shape[-1])[np.asarray(targets)]
    return gradient


def next_token_gradient(logits: ArrayLike, tokens: ArrayLike, mask: ArrayLike) -> Floats:
    """Derivative of ``next_token_loss`` by the logits, (B, T, V); 0 at the last position and where nothing counts."""
    scores = np.asarray(logits, dtype=np.float64)
    counted = np.asarray(mask, dtype=bool)[:, 1:]
    gradient = np.zeros_like(scores)
    by_position = cost_gradient(scores[:, :-1], np.asarray(tokens)[:, 1:])
    gradient[:, :-1] = by_position * counted[..., None] / counted.sum()
    return gradient


def perplexity(loss: ArrayLike) -> Floats:
    """exp(loss): among how many equally likely tokens the model seems to choose (Jelinek et al., 1977)."""
    return np.exp(np.asarray(loss, dtype=np.float64))


def bits_per_byte(loss: ArrayLike, n_tokens: ArrayLike, n_bytes: ArrayLike) -> Floats:
    """A loss in nats per token as bits for each byte of the text: loss / ln 2 · tokens / bytes."""
    bits: Floats = np.asarray(loss) / np.log(2) * np.asarray(n_tokens) / np.asarray(n_bytes)
    return bits


def smoothed_costs(logits: ArrayLike, targets: ArrayLike, share: float) -> Floats:
    """Costs with label smoothing (Szegedy et al., 2016): ``share`` of the target is spread over all tokens."""
    costs: Floats = (1 - share) * token_costs(logits, targets) - share * log_softmax(logits).mean(axis=-1)
    return costs


def z_loss(logits: ArrayLike) -> Floats:
    """(…, V) -> (…): the square of log ∑ exp(z), which pulls the level of the logits to 0 (Chowdhery et al., 2022)."""
    return np.square(log_sum_exp(logits))
