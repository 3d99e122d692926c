"""The NumPy oracles of norms, gated MLP, block: relations that define them, and numbers worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.oracle.attention import causal_mask, multi_head_attention
from grader.oracle.block_parts import (
    block,
    block_from_parts,
    gelu,
    gelu_tanh,
    layer_norm_from_parts,
    rms_norm_from_parts,
    sigmoid,
    silu,
    swiglu,
    swiglu_from_parts,
)
from grader.oracle.norms import layer_norm, rms_norm

SEEDS = st.integers(0, 2**32 - 1)
EPS = st.sampled_from([0.0, 1e-5, 0.1, 2.0])


def rows(seed: int, *shape: int):
    return np.random.default_rng(seed).normal(size=shape)


def layer(seed: int, *, model: int = 6, heads: int = 4, kv_heads: int = 2, width: int = 3, hidden: int = 5):
    rng = np.random.default_rng(seed)
    shapes = {
        "norm_attention": (model,),
        "wq": (model, heads * width),
        "wk": (model, kv_heads * width),
        "wv": (model, kv_heads * width),
        "wo": (heads * width, model),
        "norm_mlp": (model,),
        "w_gate": (model, hidden),
        "w_up": (model, hidden),
        "w_down": (hidden, model),
    }
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


@settings(deadline=None)
@given(SEEDS, EPS)
def test_a_layer_norm_gives_mean_zero_and_the_biased_variance_but_for_eps(seed, eps):
    x = rows(seed, 3, 7) + 2
    normed = layer_norm(x, np.ones(7), np.zeros(7), eps)
    variance = x.var(axis=-1)
    np.testing.assert_allclose(normed.mean(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(normed.var(axis=-1), variance / (variance + eps), rtol=1e-9)


@settings(deadline=None)
@given(SEEDS, EPS)
def test_an_rms_norm_gives_mean_square_one_but_for_eps_and_keeps_the_direction(seed, eps):
    x = rows(seed, 3, 7) + 2
    normed = rms_norm(x, np.ones(7), eps)
    square = np.square(x).mean(axis=-1)
    np.testing.assert_allclose(np.square(normed).mean(axis=-1), square / (square + eps), rtol=1e-9)
    np.testing.assert_allclose(normed / x, np.repeat((normed / x)[:, :1], 7, axis=1), rtol=1e-9)


@settings(deadline=None)
@given(SEEDS, EPS)
def test_a_layer_norm_is_the_rms_norm_of_the_deviations_plus_bias(seed, eps):
    x, gain, bias = rows(seed, 3, 7), rows(seed + 1, 7), rows(seed + 2, 7)
    centred = x - x.mean(axis=-1, keepdims=True)
    np.testing.assert_allclose(layer_norm(x, gain, bias, eps), rms_norm(centred, gain, eps) + bias, atol=1e-12)


@settings(deadline=None)
@given(SEEDS, st.floats(0.1, 50), st.floats(-50, 50))
def test_norms_ignore_a_factor_when_eps_follows_by_its_square(seed, factor, shift):
    x, gain, bias = rows(seed, 3, 7), rows(seed + 1, 7), rows(seed + 2, 7)
    moved = layer_norm(factor * x + shift, gain, bias, factor**2 * 0.1)
    np.testing.assert_allclose(moved, layer_norm(x, gain, bias, 0.1), atol=1e-8)
    np.testing.assert_allclose(rms_norm(factor * x, gain, factor**2 * 0.1), rms_norm(x, gain, 0.1), atol=1e-9)


def test_flat_rows_become_the_bias_and_zeros_stay_unless_eps_is_zero():
    bias = np.array([1.0, 2.0])
    np.testing.assert_array_equal(layer_norm(np.full((1, 2), 3.0), np.ones(2), bias, 0.1), [bias])
    np.testing.assert_array_equal(rms_norm(np.zeros((1, 2)), np.ones(2), 0.1), np.zeros((1, 2)))
    assert np.isnan(layer_norm(np.full(2, 3.0), np.ones(2), bias, 0.0)).all()
    assert np.isnan(rms_norm(np.zeros(2), np.ones(2), 0.0)).all()


def test_one_row_comes_out_as_worked_by_hand():
    row = [1.0, 7.0, 7.0, 1.0]
    np.testing.assert_allclose(layer_norm(row, [2, 1, 0.5, 0], [0, 0, 5, 5], 0.0), [-2, 1, 5.5, 5])
    np.testing.assert_allclose(rms_norm(row, np.ones(4), 0.0), [0.2, 1.4, 1.4, 0.2])


def test_activations_have_their_known_values():
    np.testing.assert_allclose(silu([-1.0, 0.0, 1.0]).round(3), [-0.269, 0, 0.731])
    np.testing.assert_allclose(gelu([-1.0, 0.0, 1.0]).round(3), [-0.159, 0, 0.841])
    np.testing.assert_allclose(gelu_tanh(np.linspace(-4, 4, 81)), gelu(np.linspace(-4, 4, 81)), atol=5e-4)
    np.testing.assert_array_equal(silu([1e4, -1e4]), [1e4, 0])
    np.testing.assert_allclose(sigmoid([-3.0, 3.0]).sum(), 1)


@settings(deadline=None)
@given(SEEDS)
def test_the_gated_mlp_is_linear_in_up_and_down_and_shut_by_a_gate_of_zeros(seed):
    x, gate, up, down = rows(seed, 3, 4), rows(seed + 1, 4, 5), rows(seed + 2, 4, 5), rows(seed + 3, 5, 4)
    output = swiglu(x, gate, up, down)
    np.testing.assert_allclose(swiglu(x, gate, -3 * up, 2 * down), -6 * output, atol=1e-9)
    np.testing.assert_array_equal(swiglu(x, 0 * gate, up, down), np.zeros((3, 4)))
    by_hand = [[sum(silu(r @ gate[:, f]) * (r @ up[:, f]) * down[f, d] for f in range(5)) for d in range(4)] for r in x]
    np.testing.assert_allclose(output, by_hand, atol=1e-9)


@settings(deadline=None, max_examples=25)
@given(SEEDS)
def test_the_block_is_its_two_halves_in_turn(seed):
    params, x = layer(seed), rows(seed, 5, 6)
    attended = block(params | {"w_down": np.zeros((5, 6))}, x, 4, 2)
    normed = rms_norm(x, params["norm_attention"], 1e-5)
    np.testing.assert_allclose(attended, x + multi_head_attention(params, normed, 4, 2, causal_mask(5))[0], atol=1e-9)
    both = block(params | {"wo": np.zeros((12, 6))}, attended, 4, 2)
    np.testing.assert_allclose(block(params, x, 4, 2), both, atol=1e-9)


@settings(deadline=None, max_examples=25)
@given(SEEDS, st.integers(1, 4))
def test_the_block_passes_x_with_silent_halves_and_never_looks_ahead(seed, length):
    params, x = layer(seed), rows(seed, 5, 6)
    silent = params | {"wo": np.zeros((12, 6)), "w_down": np.zeros((5, 6))}
    np.testing.assert_array_equal(block(silent, x, 4, 2), x)
    np.testing.assert_allclose(block(params, x, 4, 2)[:length], block(params, x[:length], 4, 2), atol=1e-9)


@settings(deadline=None, max_examples=25)
@given(SEEDS)
def test_functions_made_of_unchanged_parts_are_the_references(seed):
    x, gain, bias, params = rows(seed, 3, 6), rows(seed + 1, 6), rows(seed + 2, 6), layer(seed)
    mlp = params["w_gate"], params["w_up"], params["w_down"]
    np.testing.assert_array_equal(layer_norm_from_parts()(x, gain, bias, 0.1), layer_norm(x, gain, bias, 0.1))
    np.testing.assert_array_equal(rms_norm_from_parts()(x, gain, 0.1), rms_norm(x, gain, 0.1))
    np.testing.assert_array_equal(swiglu_from_parts()(x, *mlp), swiglu(x, *mlp))
    np.testing.assert_array_equal(block_from_parts()(params, x, 4, 2), block(params, x, 4, 2))


@pytest.mark.parametrize("which", [0, 1])
def test_each_norm_of_a_block_can_have_an_eps_of_its_own(which):
    params, x = layer(1), rows(1, 5, 6) / 500
    eps = (1e-2, 1e-5) if which == 0 else (1e-5, 1e-2)
    silenced = {"w_down": np.zeros((5, 6))} if which == 0 else {"wo": np.zeros((12, 6))}
    other = {"wo": np.zeros((12, 6))} if which == 0 else {"w_down": np.zeros((5, 6))}
    changed = block_from_parts(eps=eps)
    assert not np.allclose(changed(params | silenced, x, 4, 2), block(params | silenced, x, 4, 2))
    np.testing.assert_array_equal(changed(params | other, x, 4, 2), block(params | other, x, 4, 2))


def test_nothing_but_rows_of_numbers_is_changed_in_place():
    params, x = layer(2), rows(2, 5, 6)
    before = {name: part.copy() for name, part in params.items()} | {"x": x.copy()}
    block(params, x, 4, 2)
    for name, part in (params | {"x": x}).items():
        np.testing.assert_array_equal(part, before[name])
