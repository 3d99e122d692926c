"""The next-token loss with exchangeable parts, so that a mistake can be stated as the part that it gets wrong.

With no part exchanged, ``loss_from_parts()`` is the reference. Mistakes in different parts combine. Computed in
float64; ``float32_exp`` and ``float32_softmax`` leave its range where a submission does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.oracle.attention import Floats, Mask
from grader.oracle.attention_parts import Part, float32_exp
from grader.oracle.losses import Tokens, log_softmax

Loss = Callable[[Floats, Tokens, Mask], Any]


def next_token(logits: Floats, tokens: Tokens, mask: Mask) -> tuple[Floats, Tokens, Mask]:
    """Position t against token t + 1, counted where that one is real: (B, T - 1, V), (B, T - 1), (B, T - 1)."""
    return logits[:, :-1], tokens[:, 1:], mask[:, 1:]


def as_given(logits: Floats) -> Floats:
    """Logits enter the softmax as they are."""
    return logits


def of_the_target(log_p: Floats, targets: Tokens) -> Floats:
    """(B, N, V), (B, N) -> (B, N): the entry of the target."""
    return np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]


def minus(log_p: Floats) -> Floats:
    """The cost of a target from its log probability."""
    return -log_p


def total(costs: Floats, counted: Mask) -> Any:
    """The sum of the costs that count."""
    return np.where(counted, costs, 0.0).sum()


def how_many(counted: Mask, logits: Floats, mask: Mask) -> Any:
    """What the total is divided by: the number of targets that count."""
    return counted.sum()


def as_it_is(loss: Any) -> Any:
    """Nothing happens to the mean in the reference."""
    return loss


def loss_from_parts(
    *,
    align: Part = next_token,
    scores: Part = as_given,
    log_p: Part = log_softmax,
    pick: Part = of_the_target,
    cost: Part = minus,
    summed: Part = total,
    count: Part = how_many,
    finish: Part = as_it_is,
) -> Loss:
    """A loss made of these parts, as a function of logits (B, T, V), tokens (B, T), mask (B, T).

    In order: ``align`` (logits, tokens, mask), ``scores`` (logits), ``log_p`` (scores), ``pick`` (log_p, targets),
    ``cost`` (picked), ``summed`` (costs, counted) over ``count`` (counted, logits, mask), ``finish`` (loss).
    """

    def loss(logits: Floats, tokens: Tokens, mask: Mask) -> Any:
        predictions, targets, counted = align(logits, tokens, mask)
        costs = cost(pick(log_p(scores(predictions)), targets))
        return finish(summed(costs, counted) / count(counted, logits, mask))

    return loss


def float32_softmax(logits: Floats, *, axis: int = -1) -> Floats:
    """Probabilities as float32 holds them with the maximum subtracted: 0 where e to the difference is too small."""
    exponentials = float32_exp(logits - logits.max(axis=axis, keepdims=True))
    shares: Floats = exponentials / exponentials.sum(axis=axis, keepdims=True)
    return shares
