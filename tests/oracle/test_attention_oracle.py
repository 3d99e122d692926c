"""The NumPy oracle of attention: relations that define it, and numbers worked by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.oracle.attention import (
    MultiHeadAttention,
    attention_cost,
    causal_mask,
    merge_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
    softmax_jacobian,
    split_heads,
    sqrt_dk_experiment,
)
from grader.oracle.attention_parts import attention_from_parts

SCORES = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=1, max_dims=3, max_side=5),
    elements=st.floats(-500, 500, allow_nan=False, width=32),
)
SEEDS = st.integers(0, 2**32 - 1)


def inputs(seed: int, *, leading: tuple[int, ...] = (), tq: int = 3, tk: int = 5, dk: int = 4, dv: int = 6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*leading, tq, dk)), rng.normal(size=(*leading, tk, dk)), rng.normal(size=(*leading, tk, dv))


@settings(deadline=None)
@given(SCORES, st.data())
def test_softmax_sums_to_one_along_its_axis(x, data):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    weights = softmax(x, axis=axis)
    assert weights.shape == x.shape
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=axis), 1, atol=1e-12)


@settings(deadline=None)
@given(SCORES, st.floats(-1e4, 1e4))
def test_softmax_ignores_a_constant_added_to_a_row(x, constant):
    np.testing.assert_allclose(softmax(x + constant), softmax(x), atol=1e-9)


@settings(deadline=None)
@given(SCORES)
def test_softmax_turns_differences_of_scores_into_ratios_of_weights(x):
    x = x / 50
    weights = softmax(x)
    np.testing.assert_allclose(np.log(weights / weights[..., :1]), x - x[..., :1], atol=1e-9)


@settings(deadline=None)
@given(SCORES, st.data())
def test_softmax_gives_exactly_zero_to_minus_infinity(x, data):
    hidden = data.draw(hnp.arrays(bool, x.shape))
    assume((~hidden).any(axis=-1).all())
    weights = softmax(np.where(hidden, -np.inf, x))
    assert (weights[hidden] == 0.0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-12)
    np.testing.assert_allclose(weights, softmax(np.where(hidden, -1e9, x)), atol=1e-12)


def test_softmax_gives_zeros_to_a_fully_masked_row_and_leaves_the_others():
    weights = softmax([[-np.inf, -np.inf], [0.0, 0.0]])
    np.testing.assert_array_equal(weights, [[0.0, 0.0], [0.5, 0.5]])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_softmax_keeps_what_is_not_a_number_visible(bad):
    weights = softmax([[bad, 1.0], [0.0, 0.0]])
    assert np.isnan(weights[0]).any()
    np.testing.assert_array_equal(weights[1], [0.5, 0.5])


@settings(deadline=None, max_examples=30)
@given(hnp.arrays(np.float64, st.integers(1, 6), elements=st.floats(-4, 4)))
def test_softmax_jacobian_agrees_with_central_differences(x):
    step = 1e-5
    columns = [(softmax(x + step * unit) - softmax(x - step * unit)) / (2 * step) for unit in np.eye(x.size)]
    jacobian = softmax_jacobian(softmax(x))
    np.testing.assert_allclose(jacobian, np.stack(columns, axis=1), atol=1e-8)
    np.testing.assert_allclose(jacobian.sum(axis=0), 0, atol=1e-12)


def test_softmax_jacobian_refuses_a_matrix():
    with pytest.raises(ValueError, match=r"one vector \(n,\), got shape \(2, 3\)"):
        softmax_jacobian(np.full((2, 3), 1 / 3))


def test_causal_mask_allows_a_position_itself_and_what_came_before():
    assert causal_mask(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 5))
def test_causal_attention_of_a_prefix_does_not_depend_on_what_follows(seed, length):
    q, k, v = inputs(seed, tq=5, tk=5)
    output, weights = scaled_dot_product_attention(q, k, v, causal_mask(5))
    early, _ = scaled_dot_product_attention(q[:length], k[:length], v[:length], causal_mask(length))
    np.testing.assert_allclose(output[:length], early, atol=1e-12)
    assert (weights[~causal_mask(5)] == 0.0).all()


def test_attention_to_nothing_gives_zero_weights_and_output():
    output, weights = scaled_dot_product_attention(*inputs(0), mask=np.zeros((3, 5)))
    np.testing.assert_array_equal(output, np.zeros((3, 6)))
    np.testing.assert_array_equal(weights, np.zeros((3, 5)))


def test_leading_axes_broadcast():
    q, _, _ = inputs(1, leading=(2, 3))
    _, k, v = inputs(2, leading=(3,))
    mask = np.random.default_rng(3).random((3, 5)) < 0.7
    output, weights = scaled_dot_product_attention(q, k, v, mask)
    assert (output.shape, weights.shape) == ((2, 3, 3, 6), (2, 3, 3, 5))
    for a, b in itertools.product(range(2), range(3)):
        one, own = scaled_dot_product_attention(q[a, b], k[b], v[b], mask)
        np.testing.assert_allclose(output[a, b], one, atol=1e-12)
        np.testing.assert_allclose(weights[a, b], own, atol=1e-12)


@settings(deadline=None, max_examples=25)
@given(SEEDS)
def test_attention_made_of_unchanged_parts_is_the_reference(seed):
    given_inputs = inputs(seed)
    for made, right in zip(
        attention_from_parts()(*given_inputs), scaled_dot_product_attention(*given_inputs), strict=True
    ):
        np.testing.assert_allclose(made, right, atol=1e-6)


@settings(deadline=None, max_examples=20)
@given(SEEDS, st.sampled_from([(4, 1), (4, 2), (4, 4), (6, 3)]), st.booleans())
def test_every_head_is_single_attention_on_its_own_columns(seed, heads, masked):
    n_heads, groups = heads
    attention = MultiHeadAttention(12, n_heads, groups, seed=seed)
    x = np.random.default_rng(seed).normal(size=(5, 12))
    mask = causal_mask(5) if masked else None
    output, weights = attention(x, mask)
    width, params = attention.d_head, attention.params
    mixed = []
    for head in range(n_heads):
        own, shared = slice(head * width, (head + 1) * width), head // (n_heads // groups)
        group = slice(shared * width, (shared + 1) * width)
        one, one_weights = scaled_dot_product_attention(
            x @ params["wq"][:, own], x @ params["wk"][:, group], x @ params["wv"][:, group], mask
        )
        np.testing.assert_allclose(weights[head], one_weights, atol=1e-12)
        mixed.append(one)
    np.testing.assert_allclose(output, np.concatenate(mixed, axis=-1) @ params["wo"], atol=1e-12)


def test_grouped_heads_are_multi_head_attention_with_repeated_weights():
    grouped = MultiHeadAttention(8, 4, 2)
    params = dict(grouped.params)
    for name in ("wk", "wv"):
        params[name] = np.repeat(params[name].reshape(8, 2, 2), 2, axis=1).reshape(8, 8)
    x = np.random.default_rng(1).normal(size=(2, 3, 8))
    for one, other in zip(grouped(x), multi_head_attention(params, x, 4, 4), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_merging_heads_undoes_splitting_them():
    x = np.arange(2 * 3 * 8.0).reshape(2, 3, 8)
    heads = split_heads(x, 4)
    np.testing.assert_array_equal(heads[0, 1], x[0, :, 2:4])
    np.testing.assert_array_equal(merge_heads(heads), x)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((10, 4), "d_model 10 must be a multiple of n_heads 4"),
        ((8, 0), "must be a multiple of n_heads 0"),
        ((8, 4, 3), "n_heads 4 must be a multiple of n_kv_heads 3"),
        ((8, 4, 0), "must be a multiple of n_kv_heads 0"),
    ],
)
def test_sizes_that_do_not_divide_are_refused_by_name(sizes, message):
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(*sizes)


def test_key_and_value_parameters_shrink_with_the_number_of_groups():
    assert [MultiHeadAttention(64, 32, groups).kv_params for groups in (None, 8, 1)] == [8192, 2048, 256]


def test_weights_are_normal_with_the_root_of_the_width_and_follow_the_seed():
    params = MultiHeadAttention(256, 4, seed=5).params
    assert params["wq"].std() * 16 == pytest.approx(1, abs=0.02)
    np.testing.assert_array_equal(params["wo"], MultiHeadAttention(256, 4, seed=5).params["wo"])
    assert not np.array_equal(params["wo"], MultiHeadAttention(256, 4, seed=6).params["wo"])


@settings(deadline=None)
@given(st.integers(1, 5000), st.integers(1, 100))
def test_the_two_costs_are_equal_at_twice_the_width_and_grow_with_layers(d_model, layers):
    cost = attention_cost(2 * d_model, d_model, layers)
    assert cost.score_and_mix_flops == cost.projection_flops == layers * 16 * d_model**3


@pytest.mark.parametrize(("tokens", "scores"), [(1000, 10**6), (2000, 4 * 10**6), (128_000, 16_384_000_000)])
def test_every_head_keeps_the_square_of_the_length_in_scores(tokens, scores):
    assert attention_cost(tokens, 4096).scores_per_head == scores


def test_at_width_4096_and_128000_tokens_the_quadratic_part_is_sixteen_times_the_linear():
    cost = attention_cost(128_000, 4096)
    assert cost.score_and_mix_flops / cost.projection_flops == pytest.approx(15.625)


def test_without_the_scale_wide_scores_spread_and_softmax_saturates():
    rows = sqrt_dk_experiment([2, 64, 512], trials=300)
    raw, scaled = ([row for row in rows if row.scaled is wanted] for wanted in (False, True))
    for row in raw:
        assert row.score_std == pytest.approx(np.sqrt(row.width), rel=0.1)
    assert raw[0].mean_largest_weight < raw[1].mean_largest_weight < raw[2].mean_largest_weight
    assert raw[2].mean_largest_weight == pytest.approx(0.94, abs=0.03)
    assert raw[0].mean_jacobian_norm > 3 * raw[2].mean_jacobian_norm
    assert all(row.score_std == pytest.approx(1, rel=0.1) for row in scaled)
    assert scaled[2].mean_largest_weight == pytest.approx(scaled[0].mean_largest_weight, abs=0.06)
    assert scaled[2].mean_jacobian_norm == pytest.approx(scaled[0].mean_jacobian_norm, abs=0.06)


def test_three_words_share_out_as_worked_by_hand():
    scores = np.array([2.0, 1.0, 0.5])
    np.testing.assert_allclose(np.exp(scores).round(2), [7.39, 2.72, 1.65])
    assert np.exp(scores).sum().round(2) == 11.76
    np.testing.assert_allclose(softmax(scores).round(2), [0.63, 0.23, 0.14])


def test_the_same_three_words_come_out_of_vectors():
    q, k = np.ones((1, 4)), np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]])
    v = np.array([[1, 0], [0, 1], [1, 1]])
    output, weights = scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(weights, softmax([[2.0, 1.0, 0.5]]))
    np.testing.assert_allclose(output.round(2), [[0.77, 0.37]])
    np.testing.assert_allclose(scaled_dot_product_attention(q, k, v, scale=False)[1], softmax([[4.0, 2.0, 1.0]]))
