"""The pre-norm transformer block with exchangeable parts, so that a mistake can be stated as the part it gets wrong.

With no part exchanged, every ``…_from_parts()`` is the reference: the norms of grader.oracle.norms, the gated MLP of
Shazeer, "GLU Variants Improve Transformer" (2020), and the block of Touvron et al., "LLaMA" (2023), without positions.
Mistakes in different parts combine. T tokens of width D, MLP width F, H query heads, G key/value heads; float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import erf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from grader.oracle.attention import Floats, causal_mask, multi_head_attention
from grader.oracle.norms import rms_norm

Part = Callable[..., Any]
Params = Mapping[str, Floats]
EPS = 1e-5  # of both norms of a block


# ---- norms ------------------------------------------------------------------------------------------------


def minus_mean(x: Floats) -> Floats:
    """(T, D): every row with mean 0."""
    return x - x.mean(axis=-1, keepdims=True)  # type: ignore[no-any-return]


def unchanged(x: Floats) -> Floats:
    """Nothing happens here in the reference."""
    return x


def mean_square(centred: Floats, x: Floats) -> Any:
    """(T, 1): the mean of squares of every row."""
    return np.square(centred).mean(axis=-1, keepdims=True)


def root_of_sum(moment: Any, eps: float) -> Any:
    """What rows are divided by: the root of their mean square plus eps."""
    return np.sqrt(moment + eps)


def gain_then_bias(normed: Floats, gain: Floats, bias: Floats) -> Floats:
    """Gain and bias after the division."""
    return gain * normed + bias


def times_gain(normed: Floats, gain: Floats) -> Floats:
    """The gain after the division."""
    return gain * normed


def layer_norm_from_parts(
    *,
    before: Part = lambda x, gain, bias: x,
    centre: Part = minus_mean,
    moment: Part = mean_square,
    divisor: Part = root_of_sum,
    affine: Part = gain_then_bias,
) -> Callable[[Floats, Floats, Floats, float], Floats]:
    """Layer norm of these parts, as a function of x (T, D), gain (D,), bias (D,), eps.

    In order: ``before`` (x, gain, bias), ``centre`` (x), ``moment`` (centred, x), ``divisor`` (moment, eps), ``affine``
    (normed, gain, bias).
    """

    def layer_norm(x: Floats, gain: Floats, bias: Floats, eps: float) -> Floats:
        rows = before(x, gain, bias)
        centred = centre(rows)
        return affine(centred / divisor(moment(centred, rows), eps), gain, bias)  # type: ignore[no-any-return]

    return layer_norm


def rms_norm_from_parts(
    *,
    before: Part = lambda x, gain: x,
    centre: Part = unchanged,
    moment: Part = mean_square,
    divisor: Part = root_of_sum,
    affine: Part = times_gain,
) -> Callable[[Floats, Floats, float], Floats]:
    """RMS norm of these parts, as a function of x (T, D), gain (D,), eps; parts as for layer norm, without a bias."""

    def rms_norm(x: Floats, gain: Floats, eps: float) -> Floats:
        rows = before(x, gain)
        centred = centre(rows)
        return affine(centred / divisor(moment(centred, rows), eps), gain)  # type: ignore[no-any-return]

    return rms_norm


# ---- the gated MLP ----------------------------------------------------------------------------------------------


def sigmoid(x: ArrayLike) -> Floats:
    """1 / (1 + e to the minus x), without overflow."""
    return 0.5 * (1.0 + np.tanh(0.5 * np.asarray(x, dtype=np.float64)))


def silu(x: ArrayLike) -> Floats:
    """x · sigmoid(x), also called swish (Ramachandran, Zoph and Le, "Searching for Activation Functions", 2017)."""
    numbers = np.asarray(x, dtype=np.float64)
    return numbers * sigmoid(numbers)


def gelu(x: ArrayLike) -> Floats:
    """x times the normal distribution function at x (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016)."""
    numbers = np.asarray(x, dtype=np.float64)
    share = np.vectorize(erf, otypes=[np.float64])(numbers / np.sqrt(2.0))
    return numbers * 0.5 * (1.0 + share)  # type: ignore[no-any-return]


def gelu_tanh(x: ArrayLike) -> Floats:
    """The approximation of ``gelu`` by a hyperbolic tangent, from the same paper."""
    numbers = np.asarray(x, dtype=np.float64)
    bent = np.tanh(np.sqrt(2.0 / np.pi) * (numbers + 0.044715 * numbers**3))
    return 0.5 * numbers * (1.0 + bent)  # type: ignore[no-any-return]


def gate_times_up(gate: Floats, up: Floats, activation: Part) -> Floats:
    """(T, F), (T, F) -> (T, F): the activated gate times the up branch."""
    return activation(gate) * up  # type: ignore[no-any-return]


def down(hidden: Floats, w_down: Floats, x: Floats) -> Floats:
    """(T, F) -> (T, D)."""
    return hidden @ w_down


def swiglu_from_parts(
    *,
    branches: Part = lambda x, w_gate, w_up: (x @ w_gate, x @ w_up),
    activation: Part = silu,
    combine: Part = gate_times_up,
    project: Part = down,
) -> Callable[[Floats, Floats, Floats, Floats], Floats]:
    """The gated MLP of these parts, as a function of x (T, D), w_gate (D, F), w_up (D, F), w_down (F, D).

    In order: ``branches`` (x, w_gate, w_up), ``combine`` (gate, up, activation), ``project`` (hidden, w_down, x).
    """

    def swiglu(x: Floats, w_gate: Floats, w_up: Floats, w_down: Floats) -> Floats:
        gate, up = branches(x, w_gate, w_up)
        return project(combine(gate, up, activation), w_down, x)  # type: ignore[no-any-return]

    return swiglu


def swiglu(x: ArrayLike, w_gate: ArrayLike, w_up: ArrayLike, w_down: ArrayLike) -> Floats:
    """(silu(x w_gate) · (x w_up)) w_down: x (…, T, D), w_gate, w_up (D, F), w_down (F, D) -> (…, T, D)."""
    rows, gate, up, last = (np.asarray(part, dtype=np.float64) for part in (x, w_gate, w_up, w_down))
    return swiglu_from_parts()(rows, gate, up, last)


# ---- the block -----------------------------------------------------------------------------------------------------


def own_gains(params: Params) -> tuple[Floats, Floats]:
    """Each half has a norm of its own."""
    return params["norm_attention"], params["norm_mlp"]


def causal_attention(params: Params, normed: Floats, x: Floats, n_heads: int, n_kv_heads: int) -> Floats:
    """(T, D) -> (T, D): what the heads find in the normed rows, each token looking at itself and at the past."""
    return multi_head_attention(dict(params), normed, n_heads, n_kv_heads, causal_mask(len(normed)))[0]


def gated_mlp(params: Params, normed: Floats) -> Floats:
    """(T, D) -> (T, D): every token by itself."""
    return swiglu(normed, params["w_gate"], params["w_up"], params["w_down"])


def pre_norm(x: Floats, attention: Part, mlp: Part, norm_attention: Part, norm_mlp: Part) -> Floats:
    """Each half adds to the stream what it makes of a normed copy of the stream."""
    after_attention = x + attention(norm_attention(x))
    return after_attention + mlp(norm_mlp(after_attention))  # type: ignore[no-any-return]


def block_from_parts(
    *,
    norm: Part = rms_norm,
    eps: float | tuple[float, float] = EPS,
    gains: Part = own_gains,
    attend: Part = causal_attention,
    feed: Part = gated_mlp,
    wire: Part = pre_norm,
) -> Callable[[Params, Floats, int, int], Floats]:
    """The block of these parts, as a function of params, x (T, D), n_heads = H, n_kv_heads = G.

    ``norm`` (x, gain, eps) with one ``eps`` or one for each norm and ``gains`` (params), ``attend`` (params, normed, x,
    n_heads, n_kv_heads), ``feed`` (params, normed), ``wire`` (x, attention, mlp, norm_attention, norm_mlp), the last
    four of which take and give rows (T, D).
    """
    first, second = eps if isinstance(eps, tuple) else (eps, eps)

    def block(params: Params, x: Floats, n_heads: int, n_kv_heads: int) -> Floats:
        gain_attention, gain_mlp = gains(params)
        return wire(  # type: ignore[no-any-return]
            x,
            lambda normed: attend(params, normed, x, n_heads, n_kv_heads),
            lambda normed: feed(params, normed),
            lambda rows: norm(rows, gain_attention, first),
            lambda rows: norm(rows, gain_mlp, second),
        )

    return block


def block(params: Mapping[str, ArrayLike], x: ArrayLike, n_heads: int, n_kv_heads: int) -> Floats:
    """The reference: x (T, D) -> (T, D).

    params: norm_attention (D,), wq (D, H·d), wk, wv (D, G·d), wo (H·d, D), norm_mlp (D,), w_gate, w_up (D, F),
    w_down (F, D).
    """
    arrays = {name: np.asarray(part, dtype=np.float64) for name, part in params.items()}
    return block_from_parts()(arrays, np.asarray(x, dtype=np.float64), n_heads, n_kv_heads)
