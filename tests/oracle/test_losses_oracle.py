"""The NumPy oracle of the losses: relations that define it, numbers worked by hand, optax as a second opinion."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.oracle.attention import softmax
from grader.oracle.loss_parts import float32_softmax, loss_from_parts
from grader.oracle.losses import (
    bits_per_byte,
    cost_gradient,
    counted_targets,
    log_softmax,
    log_sum_exp,
    next_token_gradient,
    next_token_loss,
    perplexity,
    smoothed_costs,
    token_costs,
    z_loss,
)

LOGITS = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=1, max_dims=3, max_side=5),
    elements=st.floats(-500, 500, allow_nan=False, width=32),
)
SEEDS = st.integers(0, 2**32 - 1)


def batch(seed: int, *, texts: int = 3, length: int = 5, size: int = 7):
    """Logits, tokens and a mask in which something counts."""
    rng = np.random.default_rng(seed)
    mask = rng.random((texts, length)) < 0.6
    mask[0, 1] = True
    return rng.normal(size=(texts, length, size)), rng.integers(0, size, (texts, length)), mask


@settings(deadline=None)
@given(LOGITS)
def test_log_softmax_is_the_logarithm_of_softmax_where_that_is_not_zero(logits):
    near = logits / 50
    np.testing.assert_allclose(log_softmax(near), np.log(softmax(near)), atol=1e-12)
    assert (log_softmax(logits) <= 0).all()
    np.testing.assert_allclose(np.exp(log_softmax(logits)).sum(axis=-1), 1, atol=1e-12)


@settings(deadline=None)
@given(LOGITS, st.floats(-1e4, 1e4))
def test_a_level_moves_log_sum_exp_and_no_cost(logits, level):
    np.testing.assert_allclose(log_sum_exp(logits + level), log_sum_exp(logits) + level, atol=1e-9)
    targets = np.zeros(logits.shape[:-1], dtype=int)
    np.testing.assert_allclose(token_costs(logits + level, targets), token_costs(logits, targets), atol=1e-9)


@pytest.mark.parametrize("margin", [50.0, 1e4, 1e300])
def test_a_confident_error_costs_its_margin(margin):
    assert token_costs([0.0, margin, 0.0], 0) == margin
    assert token_costs([0.0, margin, 0.0], 1) == 0.0


def test_numbers_worked_by_hand():
    logits = np.log([[1.0, 2.0, 5.0], [6.0, 1.0, 1.0], [1.0, 1.0, 1.0]])[None]
    tokens, mask = np.array([[2, 1, 0]]), np.array([[True, True, True]])
    # Position 0 gives token 1 a quarter, position 1 gives token 0 three quarters; position 2 predicts nothing.
    assert next_token_loss(logits, tokens, mask) == pytest.approx((math.log(4) + math.log(4 / 3)) / 2)
    assert next_token_loss(logits, tokens, np.array([[False, False, True]])) == pytest.approx(math.log(4 / 3))
    assert counted_targets(mask) == 2
    assert perplexity(math.log(8)) == pytest.approx(8)
    assert bits_per_byte(math.log(16), 100, 50) == pytest.approx(8)
    assert smoothed_costs(np.zeros(4), 2, 0.1) == pytest.approx(math.log(4))
    assert z_loss(np.zeros(4)) == pytest.approx(math.log(4) ** 2)


def test_where_nothing_counts_the_loss_is_not_a_number():
    logits, tokens, _ = batch(0)
    with np.errstate(invalid="ignore"):
        assert np.isnan(next_token_loss(logits, tokens, np.zeros_like(tokens, dtype=bool)))


@settings(deadline=None)
@given(SEEDS)
def test_the_loss_is_weighted_by_targets(seed):
    logits, tokens, mask = batch(seed)
    counts = mask[:, 1:].sum(axis=1)
    with np.errstate(invalid="ignore"):
        rows = [next_token_loss(*(part[b, None] for part in (logits, tokens, mask))) for b in range(3)]
    assert next_token_loss(logits, tokens, mask) == pytest.approx(counts @ np.nan_to_num(rows) / counts.sum())


@settings(deadline=None, max_examples=30)
@given(SEEDS)
def test_the_gradient_is_what_nudges_measure(seed):
    logits, tokens, mask = batch(seed, texts=2, length=3, size=4)
    gradient = next_token_gradient(logits, tokens, mask)
    np.testing.assert_allclose(gradient.sum(axis=-1), 0, atol=1e-12)
    for place in np.ndindex(*logits.shape):
        step = np.zeros_like(logits)
        step[place] = 1e-5
        rise = next_token_loss(logits + step, tokens, mask) - next_token_loss(logits - step, tokens, mask)
        assert rise / 2e-5 == pytest.approx(gradient[place], abs=1e-8)


def test_the_gradient_of_equal_logits_is_that_of_the_text():
    np.testing.assert_allclose(cost_gradient(np.zeros(5), 2), [0.2, 0.2, -0.8, 0.2, 0.2])


@settings(deadline=None)
@given(SEEDS)
def test_the_parts_make_the_reference(seed):
    logits, tokens, mask = batch(seed)
    assert loss_from_parts()(logits, tokens, mask) == pytest.approx(next_token_loss(logits, tokens, mask))


def test_float32_softmax_loses_what_float32_loses():
    assert float32_softmax(np.array([0.0, 200.0]))[0] == 0.0
    np.testing.assert_allclose(float32_softmax(np.array([0.0, 1.0])), softmax([0.0, 1.0]), rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_optax_agrees(seed):
    optax = pytest.importorskip("optax")
    logits, tokens, mask = batch(seed)
    logits = logits.astype(np.float32)
    costs = np.asarray(optax.softmax_cross_entropy_with_integer_labels(logits[:, :-1], tokens[:, 1:]))
    np.testing.assert_allclose(token_costs(logits[:, :-1], tokens[:, 1:]), costs, atol=2e-6)
    labels = optax.smooth_labels(np.eye(7, dtype=np.float32)[tokens], 0.1)
    smoothed = np.asarray(optax.softmax_cross_entropy(logits, labels))
    np.testing.assert_allclose(smoothed_costs(logits, tokens, 0.1), smoothed, atol=2e-6)
    mean = costs[mask[:, 1:]].mean()
    assert next_token_loss(logits, tokens, mask) == pytest.approx(mean, abs=2e-6)
