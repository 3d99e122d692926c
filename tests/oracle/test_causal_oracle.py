"""The NumPy oracle of causal attention: the rule of its mask, and the relations that define it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.oracle import attention
from grader.oracle.causal import (
    causal_attention,
    causal_attention_from_parts,
    causal_mask,
    causal_mask_from_parts,
    masked_softmax,
    masked_softmax_from_parts,
)

SIZES = st.integers(1, 7)
SEEDS = st.integers(0, 2**32 - 1)


def inputs(seed: int, *, tq: int = 5, tk: int = 5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(tq, 4)), rng.normal(size=(tk, 4)), rng.normal(size=(tk, 3))


@given(SIZES, SIZES)
def test_query_i_sees_key_j_up_to_its_own_position(tq, tk):
    mask = causal_mask(tq, tk)
    assert mask.shape == (tq, tk)
    assert mask.dtype == bool
    for i, j in np.ndindex(tq, tk):
        assert mask[i, j] == (j <= i + tk - tq)


@given(SIZES)
def test_as_many_queries_as_keys_give_the_square_mask(n):
    assert (causal_mask(n, n) == attention.causal_mask(n)).all()


@given(SEEDS)
def test_masked_softmax_is_the_softmax_of_what_is_visible(seed):
    rng = np.random.default_rng(seed)
    scores, mask = rng.normal(size=(4, 6)), rng.random((4, 6)) < 0.5
    weights = masked_softmax(scores, mask)
    for row, visible, shares in zip(scores, mask, weights, strict=True):
        assert (shares[~visible] == 0).all()
        if visible.any():
            np.testing.assert_allclose(shares[visible], attention.softmax(row[visible]), atol=1e-12)


def test_a_row_that_sees_nothing_gives_zeros():
    assert masked_softmax([[1.0, 2.0]], [[False, False]]).tolist() == [[0.0, 0.0]]


def test_hidden_scores_may_be_anything():
    weights = masked_softmax([[-20000.0, np.inf, np.nan, -20000.0]], [[True, False, False, True]])
    assert weights.tolist() == [[0.5, 0.0, 0.0, 0.5]]


@settings(deadline=None)
@given(SEEDS, st.integers(0, 3))
def test_the_future_changes_nothing(seed, t):
    (q, k, v), (_, other_k, other_v) = inputs(seed), inputs(seed + 1)
    later = np.arange(5)[:, None] > t
    output, _ = causal_attention(q, k, v)
    again, _ = causal_attention(q, np.where(later, other_k, k), np.where(later, other_v, v))
    np.testing.assert_allclose(again[: t + 1], output[: t + 1], atol=1e-12)


@settings(deadline=None)
@given(SEEDS, st.integers(1, 5))
def test_the_last_queries_alone_get_the_last_rows(seed, count):
    q, k, v = inputs(seed)
    output, weights = causal_attention(q, k, v)
    last, last_weights = causal_attention(q[-count:], k, v)
    np.testing.assert_allclose(last, output[-count:], atol=1e-12)
    np.testing.assert_allclose(last_weights, weights[-count:], atol=1e-12)


def test_queries_of_zeros_give_running_means():
    q, k, v = inputs(3)
    output, _ = causal_attention(0 * q, k, v)
    np.testing.assert_allclose(output, np.cumsum(v, axis=0) / np.arange(1, 6)[:, None], atol=1e-12)


@pytest.mark.parametrize(("tq", "tk"), [(5, 5), (2, 7), (6, 3)])
def test_without_an_exchanged_part_all_three_are_the_reference(tq, tk):
    q, k, v = inputs(4, tq=tq, tk=tk)
    assert (causal_mask_from_parts()(tq, tk) == causal_mask(tq, tk)).all()
    scores, mask = q @ k.T, causal_mask(tq, tk)
    np.testing.assert_allclose(masked_softmax_from_parts()(scores, mask), masked_softmax(scores, mask), atol=1e-6)
    for got, wanted in zip(causal_attention_from_parts()(q, k, v), causal_attention(q, k, v), strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-12)


def test_jax_agrees_where_there_are_as_many_queries_as_keys():
    jax = pytest.importorskip("jax")
    q, k, v = (np.asarray(part, dtype=np.float32) for part in inputs(5))
    wide_v = np.pad(v, ((0, 0), (0, 1)))  # the library asks for values as wide as the keys
    heads = [part[None, :, None, :] for part in (q, k, wide_v)]
    output = jax.nn.dot_product_attention(*heads, is_causal=True)[0, :, 0, :3]
    np.testing.assert_allclose(output, causal_attention(q, k, v)[0], atol=1e-5)
