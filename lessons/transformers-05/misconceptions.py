"""The classic mistakes of this lesson, as the part that each one gets wrong.

Titles and hints are in lesson.toml under the same names; a name may stand for the same mistake in several functions.
"""

import numpy as np

from grader.checking import family, misconception
from grader.oracle import block_parts as oracle
from grader.oracle.attention import softmax
from grader.oracle.attention_parts import float32_exp
from grader.oracle.block_parts import EPS, gelu, gelu_tanh, mean_square, minus_mean, sigmoid, silu, unchanged
from grader.oracle.heads_parts import multi_head_from_parts
from grader.oracle.norms import layer_norm, rms_norm

H, G = 6, 2
LARGE = 2.0  # a second eps


def both(name, **parts):
    """The same mistake in layer_norm and in rms_norm."""
    return misconception(name, of="layer_norm", **parts), misconception(name, of="rms_norm", **parts)


def layer_mistake(name, **parts):
    """A mistake in ``layer_norm``: the parts of ``layer_norm_from_parts`` that it replaces."""
    return misconception(name, of="layer_norm", **parts)


def rms_mistake(name, **parts):
    """A mistake in ``rms_norm``: the parts of ``rms_norm_from_parts`` that it replaces."""
    return misconception(name, of="rms_norm", **parts)


# ---- what both norms can get wrong ------------------------------------------------------------------------


def layer_probes(probe):
    """Argument lists that tell the mistakes apart: two eps, a flat row, uneven rows, one token."""
    cases = [(probe.x, 0.1), (probe.x, LARGE), (probe.flat, 0.1), (probe.uneven, 0.1), (probe.x[:1], 0.1)]
    return [(x, probe.gain, probe.bias, eps) for x, eps in cases]


def rms_probes(probe):
    """The same without a bias, and a row of zeros in place of the flat one."""
    zeros = probe.flat.copy()
    zeros[2] = 0.0
    cases = [(probe.x, 0.1), (probe.x, LARGE), (zeros, 0.1), (probe.uneven, 0.1), (probe.x[:1], 0.1)]
    return [(x, probe.gain, eps) for x, eps in cases]


layer_family = family("layer_norm", variant=oracle.layer_norm_from_parts, probes=layer_probes)
rms_family = family("rms_norm", variant=oracle.rms_norm_from_parts, probes=rms_probes)


def moment_of(statistic, **how):
    """A statistic of the squares, over another axis or otherwise."""
    return lambda centred, x: statistic(np.square(centred), **how)


def with_eps(eps):
    """A fixed eps in place of the given one."""
    return lambda moment, given: np.sqrt(moment + eps)


layer_eps_outside_root, rms_eps_outside_root = both("eps-outside-root", divisor=lambda m, eps: np.sqrt(m) + eps)
layer_eps_missing, rms_eps_missing = both("eps-missing", divisor=with_eps(0.0))
layer_eps_hard_coded_5, rms_eps_hard_coded_5 = both("eps-hard-coded", divisor=with_eps(1e-5))
layer_eps_hard_coded_6, rms_eps_hard_coded_6 = both("eps-hard-coded", divisor=with_eps(1e-6))
layer_eps_hard_coded_8, rms_eps_hard_coded_8 = both("eps-hard-coded", divisor=with_eps(1e-8))
layer_eps_squared, rms_eps_squared = both("eps-squared", divisor=lambda m, eps: np.sqrt(m + eps**2))
layer_eps_as_floor, rms_eps_as_floor = both("eps-as-floor", divisor=lambda m, eps: np.sqrt(np.maximum(m, eps)))
layer_eps_as_floor_of_root, rms_eps_as_floor_of_root = both(
    "eps-as-floor-of-root", divisor=lambda m, eps: np.maximum(np.sqrt(m), eps)
)
layer_eps_subtracted, rms_eps_subtracted = both("eps-subtracted", divisor=lambda m, eps: np.sqrt(m - eps))
layer_no_root, rms_no_root = both("no-root", divisor=lambda m, eps: m + eps)
layer_not_divided, rms_not_divided = both("not-divided", divisor=lambda m, eps: 1.0)
layer_multiplied_by_root, rms_multiplied_by_root = both(
    "multiplied-by-root", divisor=lambda m, eps: 1 / np.sqrt(m + eps)
)
layer_sum_for_mean, rms_sum_for_mean = both("sum-for-mean", moment=moment_of(np.sum, axis=-1, keepdims=True))
layer_mean_of_abs, rms_mean_of_abs = both(
    "mean-of-abs",
    moment=lambda centred, x: np.abs(centred).mean(axis=-1, keepdims=True),
    divisor=lambda m, eps: m + eps,
)
layer_root_of_mean_of_abs, rms_root_of_mean_of_abs = both(
    "root-of-mean-of-abs", moment=lambda centred, x: np.abs(centred).mean(axis=-1, keepdims=True)
)
layer_largest_for_mean, rms_largest_for_mean = both(
    "largest-for-mean", moment=moment_of(np.max, axis=-1, keepdims=True)
)


def first_rows(x, *gains):
    """Used where gain and bias act before the norm."""
    return x * gains[0] + (gains[1] if len(gains) > 1 else 0.0)


def without(normed, *gains):
    """No gain, no bias."""
    return normed


layer_affine_first = layer_mistake("affine-first", before=first_rows, affine=without)
rms_affine_first = rms_mistake("affine-first", before=first_rows, affine=without)
layer_gain_plus_one = layer_mistake("gain-plus-one", affine=lambda n, g, b: (1 + g) * n + b)
rms_gain_plus_one = rms_mistake("gain-plus-one", affine=lambda n, g: (1 + g) * n)
layer_no_gain = layer_mistake("no-gain", affine=lambda n, g, b: n + b)
rms_no_gain = rms_mistake("no-gain", affine=lambda n, g: n)
layer_gain_twice = layer_mistake("gain-twice", affine=lambda n, g, b: g * g * n + b)
rms_gain_twice = rms_mistake("gain-twice", affine=lambda n, g: g * g * n)
layer_divided_by_gain = layer_mistake("divided-by-gain", affine=lambda n, g, b: n / g + b)
rms_divided_by_gain = rms_mistake("divided-by-gain", affine=lambda n, g: n / g)
layer_gain_added = layer_mistake("gain-added", affine=lambda n, g, b: n + g + b)
rms_gain_added = rms_mistake("gain-added", affine=lambda n, g: n + g)
layer_never_filled = layer_mistake("never-filled", affine=lambda n, g, b: 0 * np.nan_to_num(n))
rms_never_filled = rms_mistake("never-filled", affine=lambda n, g: 0 * np.nan_to_num(n))
layer_input_returned = layer_mistake(
    "input-returned", centre=unchanged, divisor=lambda moment, eps: 1.0, affine=without
)
rms_input_returned = rms_mistake("input-returned", divisor=lambda moment, eps: 1.0, affine=without)

# ---- layer norm -------------------------------------------------------------------------------------------------


def minus_mean_over(axis):
    """Centred over another axis."""
    return lambda x: x - x.mean(axis=axis, keepdims=True)


def same_or_error(statistic):
    """Used where keepdims is missing: lines up with the wrong axis, or not at all."""
    return lambda x: x - statistic(x)


layer_over_tokens = layer_mistake(
    "over-tokens", centre=minus_mean_over(0), moment=moment_of(np.mean, axis=0, keepdims=True)
)
rms_over_tokens = rms_mistake("over-tokens", moment=moment_of(np.mean, axis=0, keepdims=True))
layer_over_everything = layer_mistake("over-everything", centre=minus_mean_over(None), moment=moment_of(np.mean))
rms_over_everything = rms_mistake("over-everything", moment=moment_of(np.mean))
keepdims_missing = layer_mistake("keepdims-missing", centre=same_or_error(lambda x: x.mean(axis=-1)))
rms_keepdims_missing = rms_mistake("keepdims-missing", moment=moment_of(np.mean, axis=-1))
mean_over_tokens = layer_mistake("mean-over-tokens", centre=minus_mean_over(0))
mean_over_everything = layer_mistake("mean-over-everything", centre=minus_mean_over(None))
variance_over_tokens = layer_mistake("variance-over-tokens", moment=lambda centred, x: x.var(axis=0, keepdims=True))
variance_over_everything = layer_mistake("variance-over-everything", moment=lambda centred, x: x.var())
unbiased = layer_mistake("unbiased", moment=lambda centred, x: x.var(axis=-1, ddof=1, keepdims=True))
no_mean = layer_mistake("no-mean", centre=unchanged)
mean_kept = layer_mistake("mean-kept", centre=unchanged, moment=lambda centred, x: x.var(axis=-1, keepdims=True))
raw_squares = layer_mistake("raw-squares", moment=lambda centred, x: mean_square(x, x))
mean_not_squared = layer_mistake(
    "mean-not-squared",
    moment=lambda centred, x: mean_square(x, x) - x.mean(axis=-1, keepdims=True),
)
no_bias = layer_mistake("no-bias", affine=lambda n, g, b: g * n)
no_affine = layer_mistake("no-affine", affine=without)
bias_twice = layer_mistake("bias-twice", affine=lambda n, g, b: g * n + 2 * b)
bias_before_gain = layer_mistake("bias-before-gain", affine=lambda n, g, b: g * (n + b))
gain_and_bias_swapped = layer_mistake("gain-and-bias-swapped", affine=lambda n, g, b: b * n + g)
bias_subtracted = layer_mistake("bias-subtracted", affine=lambda n, g, b: g * n - b)
median_subtracted = layer_mistake("median-subtracted", centre=lambda x: x - np.median(x, axis=-1, keepdims=True))

# ---- RMS norm -----------------------------------------------------------------------------------------------------

mean_subtracted = rms_mistake("mean-subtracted", centre=minus_mean)
std_for_rms = rms_mistake("std-for-rms", moment=lambda centred, x: x.var(axis=-1, keepdims=True))
square_of_mean = rms_mistake("square-of-mean", moment=lambda centred, x: np.square(x.mean(axis=-1, keepdims=True)))
floor_of_length = rms_mistake(
    "floor-of-length",
    moment=moment_of(np.sum, axis=-1, keepdims=True),
    divisor=lambda moment, eps: np.maximum(np.sqrt(moment), eps),
    affine=lambda n, g: np.sqrt(n.shape[-1]) * g * n,
)
eps_on_x = rms_mistake("eps-on-x", moment=lambda centred, x: x, divisor=lambda x, eps: np.sqrt(mean_square(x + eps, x)))

# ---- the gated MLP -------------------------------------------------------------------------------------------------


def gated_probes(probe):
    """Argument lists that tell the mistakes apart: tokens, one gate in large, gates far out, one token."""
    x, gate, up, last = np.zeros_like(probe.x), *(np.zeros_like(m) for m in (probe.w_gate, probe.w_up, probe.w_down))
    x[:, 0], x[:, 1] = probe.gates, 64.0  # two gelus differ by 5e-4 at most
    gate[0, 0], up[1, 0], last[0, 0] = 1.0, 1.0, 1.0
    far = x.copy()
    far[:, 0], far[:, 1] = [200.0, -200.0, 100.0, -100.0, 0.0], 1.0
    own = (probe.w_gate, probe.w_up, probe.w_down)
    square = (probe.half[0], probe.half[2][:, :4], probe.half[3][:, :4], probe.half[4][:4])
    return [(probe.x, *own), (x, gate, up, last), (far, gate, up, last), (probe.x[:1], *own), square]


gated_family = family("swiglu", variant=oracle.swiglu_from_parts, probes=gated_probes)


def activation(function):
    """Another bend on the gate."""
    return {"activation": function}


def combine(function):
    """Another way to put gate and up together: function(gate, up, activation)."""
    return {"combine": function}


def naive_silu(x):
    """With exponentials that overflow where float32 does."""
    return x * float32_exp(x) / (1 + float32_exp(x))


# In swiglu and, where somebody writes the MLP into the block, there too.
GATED = {
    "gate-and-up-swapped": {"branches": lambda x, w_gate, w_up: (x @ w_up, x @ w_gate)},
    "relu-gate": activation(lambda x: np.maximum(x, 0.0)),
    "sigmoid-gate": activation(sigmoid),
    "gelu-gate": activation(gelu),
    "gelu-tanh-gate": activation(gelu_tanh),
    "tanh-gate": activation(np.tanh),
    "no-activation": activation(unchanged),
    "silu-on-product": combine(lambda gate, up, bend: bend(gate * up)),
    "silu-on-both": combine(lambda gate, up, bend: bend(gate) * bend(up)),
    "sum-for-product": combine(lambda gate, up, bend: bend(gate) + up),
    "gate-alone": combine(lambda gate, up, bend: bend(gate)),
    "no-gate": combine(lambda gate, up, bend: bend(up)),
}
in_swiglu = [misconception(name, of="swiglu", **parts) for name, parts in GATED.items()]
(
    gate_and_up_swapped,
    relu_gate,
    sigmoid_gate,
    gelu_gate,
    gelu_tanh_gate,
    tanh_gate,
    no_activation,
    silu_on_product,
    silu_on_both,
    sum_for_product,
    gate_alone,
    no_gate,
) = in_swiglu


def gated(name, **parts):
    """A mistake in ``swiglu``: the parts of ``swiglu_from_parts`` that it replaces."""
    return misconception(name, of="swiglu", **parts)


quick_gelu_gate = gated("quick-gelu-gate", activation=lambda x: x * sigmoid(1.702 * x))
squared_relu_gate = gated("squared-relu-gate", activation=lambda x: np.square(np.maximum(x, 0.0)))
softplus_gate = gated("softplus-gate", activation=lambda x: np.logaddexp(0.0, x))
softmax_gate = gated("softmax-gate", activation=softmax)
silu_twice = gated("silu-twice", activation=lambda x: silu(silu(x)))
sigmoid_of_minus = gated("sigmoid-of-minus", activation=lambda x: x * sigmoid(-x))
silu_overflows = gated("silu-overflows", activation=naive_silu)
up_alone = gated("up-alone", combine=lambda gate, up, bend: up)
gate_squared = gated("gate-squared", branches=lambda x, w_gate, w_up: (x @ w_gate, x @ w_gate))
up_squared = gated("up-squared", branches=lambda x, w_gate, w_up: (x @ w_up, x @ w_up))
no_down = gated("no-down", project=lambda hidden, w_down, x: hidden)
silu_at_the_end = gated(
    "silu-at-the-end",
    combine=lambda gate, up, bend: gate * up,
    project=lambda hidden, w_down, x: silu(hidden @ w_down),
)
input_added = gated("input-added", project=lambda hidden, w_down, x: hidden @ w_down + x)
weights_transposed = gated("weights-transposed", branches=lambda x, w_gate, w_up: (x @ w_gate.T, x @ w_up.T))
gated_never_filled = gated("never-filled", project=lambda hidden, w_down, x: np.zeros_like(x))
# The product is taken after both branches went down.
gate_after_down = gated(
    "gate-after-down",
    combine=lambda gate, up, bend: (bend(gate), up),
    project=lambda hidden, w_down, x: (hidden[0] @ w_down) * (hidden[1] @ w_down),
)

# ---- the block ------------------------------------------------------------------------------------------------------


def only(params, *silent):
    """``params`` with zeros for some names."""
    return params | {name: 0 * params[name] for name in silent}


def block_probes(probe):
    """Argument lists that tell the mistakes apart: each half alone and both, at three sizes, with other heads."""
    halves = [only(probe.params, "w_down"), only(probe.params, "wo")]
    single, x = probe.single
    return [
        (probe.params, probe.x, H, G),
        *((params, probe.x / scale, H, G) for scale in (1, 512, 8192) for params in halves),
        (only(probe.params, "wo", "w_down"), probe.x, H, G),
        (single, x, 3, 3),
    ]


block_family = family("block", variant=oracle.block_from_parts, probes=block_probes)


def wired(name, wire):
    """A mistake in how the halves of the block are put together: wire(x, attention, mlp, norm 1, norm 2)."""
    return misconception(name, of="block", wire=wire)


def in_turn(first, second):
    """The two halves as functions of the stream: first(x, attention, norm 1), second(h, mlp, norm 2)."""
    return lambda x, attention, mlp, n1, n2: second(first(x, attention, n1), mlp, n2)


def right(x, half, norm):
    """How a half should work."""
    return x + half(norm(x))


def skip_normed(x, half, norm):
    """x itself is replaced by its norm."""
    return norm(x) + half(norm(x))


def normed_after(x, half, norm):
    """Post-norm."""
    return norm(x + half(x))


def normed_before_and_after(x, half, norm):
    """Pre-norm, then a norm around the sum."""
    return norm(right(x, half, norm))


def output_normed(x, half, norm):
    """The norm on what is added."""
    return x + norm(half(x))


def sandwiched(x, half, norm):
    """The norm before and after."""
    return x + norm(half(norm(x)))


def not_added(x, half, norm):
    """No residual."""
    return half(norm(x))


def not_normed(x, half, norm):
    """No norm."""
    return x + half(x)


def added_twice(x, half, norm):
    """The input comes twice."""
    return x + right(x, half, norm)


skip_normed_twice = wired("skip-normed", in_turn(skip_normed, skip_normed))
skip_normed_first = wired("skip-normed-attention", in_turn(skip_normed, right))
skip_normed_second = wired("skip-normed-mlp", in_turn(right, skip_normed))
post_norm = wired("post-norm", in_turn(normed_after, normed_after))
post_norm_first = wired("post-norm-attention", in_turn(normed_after, right))
post_norm_second = wired("post-norm-mlp", in_turn(right, normed_after))
pre_and_post = wired(
    "pre-and-post-norm", in_turn(lambda x, half, n: n(right(x, half, n)), lambda x, half, n: n(right(x, half, n)))
)
norm_on_what_is_added = wired("norm-on-what-is-added", in_turn(output_normed, output_normed))
sandwich = wired("sandwich-norm", in_turn(sandwiched, sandwiched))
no_residuals = wired("no-residuals", in_turn(not_added, not_added))
no_residual_first = wired("no-residual-attention", in_turn(not_added, right))
no_residual_second = wired("no-residual-mlp", in_turn(right, not_added))
added_twice_first = wired("added-twice-attention", in_turn(added_twice, right))
added_twice_second = wired("added-twice-mlp", in_turn(right, added_twice))
no_norms = wired("no-norms", in_turn(not_normed, not_normed))
no_norm_first = wired("no-norm-attention", in_turn(not_normed, right))
no_norm_second = wired("no-norm-mlp", in_turn(right, not_normed))
parallel = wired("parallel", lambda x, attention, mlp, n1, n2: x + attention(n1(x)) + mlp(n2(x)))
parallel_shared = wired("parallel-shared", lambda x, attention, mlp, n1, n2: x + attention(n1(x)) + mlp(n1(x)))
skip_from_input = wired("skip-from-input", lambda x, attention, mlp, n1, n2: x + mlp(n2(x + attention(n1(x)))))
chained = wired("chained", lambda x, attention, mlp, n1, n2: x + mlp(n2(attention(n1(x)))))
chained_in_stream = wired(
    "chained-in-stream", lambda x, attention, mlp, n1, n2: x + attention(n1(x)) + mlp(n2(attention(n1(x))))
)
input_added_again = wired(
    "input-added-again", lambda x, attention, mlp, n1, n2: x + right(right(x, attention, n1), mlp, n2)
)
mlp_first = wired("mlp-first", lambda x, attention, mlp, n1, n2: right(right(x, mlp, n2), attention, n1))
mlp_first_norms_kept = wired(
    "mlp-first-norms-kept", lambda x, attention, mlp, n1, n2: right(right(x, mlp, n1), attention, n2)
)
attention_missing = wired("attention-missing", lambda x, attention, mlp, n1, n2: right(x, mlp, n2))
mlp_missing = wired("mlp-missing", lambda x, attention, mlp, n1, n2: right(x, attention, n1))
final_norm = wired("final-norm", lambda x, attention, mlp, n1, n2: n2(right(right(x, attention, n1), mlp, n2)))
final_norm_plain = wired(
    "final-norm",
    lambda x, attention, mlp, n1, n2: rms_norm(right(right(x, attention, n1), mlp, n2), np.ones(x.shape[1]), EPS),
)
attention_half_twice = wired(
    "attention-half-twice",
    lambda x, attention, mlp, n1, n2: right(right(right(x, attention, n1), attention, n1), mlp, n2),
)
subtracted = wired("subtracted", lambda x, attention, mlp, n1, n2: (h := x - attention(n1(x))) - mlp(n2(h)))
stream_replaced = wired("never-filled", lambda x, attention, mlp, n1, n2: 0 * x)
block_input_returned = wired("input-returned", lambda x, attention, mlp, n1, n2: x)


def in_block(name, **parts):
    """Another mistake in ``block``: the parts of ``block_from_parts`` that it replaces."""
    return misconception(name, of="block", **parts)


def plain_gains(params):
    """Gains of 1 in both norms."""
    return np.ones_like(params["norm_attention"]), np.ones_like(params["norm_mlp"])


norms_swapped = in_block("norms-swapped", gains=lambda params: (params["norm_mlp"], params["norm_attention"]))
norm_shared = in_block("norm-shared", gains=lambda params: (params["norm_attention"],) * 2)
norm_shared_mlp = in_block("norm-shared-mlp", gains=lambda params: (params["norm_mlp"],) * 2)
block_no_gain = in_block("block-no-gain", gains=plain_gains)
block_gain_plus_one = in_block(
    "block-gain-plus-one", gains=lambda params: (1 + params["norm_attention"], 1 + params["norm_mlp"])
)
block_layer_norm = in_block("block-layer-norm", norm=lambda x, gain, eps: layer_norm(x, gain, np.zeros_like(gain), eps))
block_eps_outside = in_block(
    "block-eps-outside", norm=lambda x, gain, eps: gain * x / (np.sqrt(mean_square(x, x)) + eps)
)
block_eps_6 = in_block("block-eps", eps=1e-6)
block_eps_8 = in_block("block-eps", eps=1e-8)
block_eps_0 = in_block("block-eps", eps=0.0)
block_eps_12 = in_block("block-eps", eps=1e-12)
block_eps_4 = in_block("block-eps", eps=1e-4)
block_eps_3 = in_block("block-eps", eps=1e-3)
block_eps_1 = in_block("block-eps", eps=0.1)
block_eps_first = in_block("block-eps-attention", eps=(1e-6, EPS))
block_eps_second = in_block("block-eps-mlp", eps=(EPS, 1e-6))


def attend_with(**parts):
    """Attention with other parts, always causal unless ``mask`` says otherwise."""
    mask = parts.pop("mask", lambda n: np.tri(n, dtype=bool))
    attention = multi_head_from_parts(**parts)

    def attend(params, normed, x, n_heads, n_kv_heads):
        return attention(params, normed, n_heads, n_kv_heads, mask(len(normed)))[0]

    return attend


def raw_for(*names):
    """Attention in which some of q, k and v are made from x itself and not from its norm."""

    def attend(params, normed, x, n_heads, n_kv_heads):
        def inputs(params, rows):
            return tuple((x if name in names else normed) @ params[name] for name in ("wq", "wk", "wv"))

        return attend_with(inputs=inputs)(params, normed, x, n_heads, n_kv_heads)

    return attend


def split(flat, n_heads):
    """(T, n·d) -> (n, T, d)."""
    return flat.reshape(len(flat), n_heads, -1).transpose(1, 0, 2)


def turned(one, other):
    """Pairs (one, other), both (n, T, d/2), rotated by their positions."""
    angles = np.arange(one.shape[1])[:, None] * 10000.0 ** (-np.arange(one.shape[2]) / one.shape[2])
    return one * np.cos(angles) - other * np.sin(angles), one * np.sin(angles) + other * np.cos(angles)


def rotated(flat, n_heads):
    """(T, n·d) -> (n, T, d) with rotary positions, half against half."""
    return np.concatenate(turned(*np.split(split(flat, n_heads), 2, axis=-1)), axis=-1)


def rotated_pairs(flat, n_heads):
    """The same, neighbour against neighbour."""
    heads = split(flat, n_heads)
    return np.stack(turned(heads[..., ::2], heads[..., 1::2]), axis=-1).reshape(heads.shape)


def with_positions(rotate):
    """Attention whose queries and keys are rotated by their positions."""

    def attend(params, normed, x, n_heads, n_kv_heads):
        q, k = rotate(normed @ params["wq"], n_heads), rotate(normed @ params["wk"], n_kv_heads)
        k, v = (
            np.repeat(part, n_heads // n_kv_heads, axis=0) for part in (k, split(normed @ params["wv"], n_kv_heads))
        )
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
        weights = softmax(np.where(np.tri(len(x), dtype=bool), scores, -np.inf))
        return (weights @ v).transpose(1, 0, 2).reshape(len(x), -1) @ params["wo"]

    return attend


not_causal = in_block("not-causal", attend=attend_with(mask=lambda n: np.ones((n, n), dtype=bool)))
causal_reversed = in_block("causal-reversed", attend=attend_with(mask=lambda n: np.tri(n, dtype=bool).T))
one_step_leak = in_block("one-step-leak", attend=attend_with(mask=lambda n: np.tri(n, k=1, dtype=bool)))
diagonal_hidden = in_block("diagonal-hidden", attend=attend_with(mask=lambda n: np.tri(n, k=-1, dtype=bool)))
keys_unnormed = in_block("keys-unnormed", attend=raw_for("wk"))
values_unnormed = in_block("values-unnormed", attend=raw_for("wv"))
queries_unnormed = in_block("queries-unnormed", attend=raw_for("wq"))
keys_and_values_unnormed = in_block("keys-and-values-unnormed", attend=raw_for("wk", "wv"))
not_scaled = in_block("not-scaled", attend=attend_with(scale=lambda scores, width, x, heads, groups: scores))
scale_by_model_width = in_block(
    "scale-by-model-width",
    attend=attend_with(scale=lambda scores, width, x, heads, groups: scores / np.sqrt(x.shape[1])),
)
heads_tiled = in_block("heads-tiled", attend=attend_with(share=lambda part, n: np.tile(part, (n // len(part), 1, 1))))
first_group_only = in_block(
    "first-group-only", attend=attend_with(share=lambda part, n: np.repeat(part[:1], n, axis=0))
)
groups_not_handled = in_block("groups-not-handled", attend=attend_with(kv_count=lambda n_heads, n_kv_heads: n_heads))
merged_by_reshape = in_block(
    "merged-by-reshape", attend=attend_with(merge=lambda mixed: mixed.reshape(mixed.shape[1], -1))
)
rotary_inside = in_block("rotary-inside", attend=with_positions(rotated))
rotary_inside_pairs = in_block("rotary-inside", attend=with_positions(rotated_pairs))


def fed(**parts):
    """The MLP of the block with other parts."""
    mlp = oracle.swiglu_from_parts(**parts)
    return lambda params, normed: mlp(normed, params["w_gate"], params["w_up"], params["w_down"])


(
    block_gate_and_up_swapped,
    block_relu_gate,
    block_sigmoid_gate,
    block_gelu_gate,
    block_gelu_tanh_gate,
    block_tanh_gate,
    block_no_activation,
    block_silu_on_product,
    block_silu_on_both,
    block_sum_for_product,
    block_gate_alone,
    block_no_gate,
) = (misconception(name, of="block", feed=fed(**parts)) for name, parts in GATED.items())

# ---- exercise 3: the faults that are left -------------------------------------------------------------------------


def half_block(
    *,
    moment=lambda x: mean_square(x, x),
    skip=lambda x, normed: x,
    bend=lambda gate, up: silu(gate) * up,
    eps=0.1,
    with_gain=True,
):
    """Half a block of these parts, as a function of x, gain, w_gate, w_up, w_down."""

    def repaired(x, gain, w_gate, w_up, w_down):
        normed = (gain if with_gain else 1.0) * x / np.sqrt(moment(x) + eps)
        return skip(x, normed) + bend(normed @ w_gate, normed @ w_up) @ w_down

    return repaired


repaired = family("repaired", variant=half_block, probes=lambda probe: [probe.half, tuple(2 * p for p in probe.half)])
LEFT = {
    "moment": lambda x: np.square(x).mean(),
    "skip": lambda x, normed: normed,
    "bend": lambda g, u: silu(g * u),
}
port_unchanged = misconception("port-unchanged", of="repaired", **LEFT)
port_mean_over_everything = misconception("port-mean-over-everything", of="repaired", moment=LEFT["moment"])
port_skip_normed = misconception("port-skip-normed", of="repaired", skip=LEFT["skip"])
port_silu_on_product = misconception("port-silu-on-product", of="repaired", bend=LEFT["bend"])
port_mean_over_tokens = misconception(
    "port-mean-over-tokens", of="repaired", moment=lambda x: np.square(x).mean(axis=0, keepdims=True)
)
port_eps = misconception("port-eps", of="repaired", eps=EPS)
port_no_gain = misconception("port-no-gain", of="repaired", with_gain=False)
port_no_residual = misconception("port-no-residual", of="repaired", skip=lambda x, normed: 0 * x)
port_silu_on_up = misconception("port-silu-on-up", of="repaired", bend=lambda g, u: g * silu(u))

# ---- the variables of the exercises. Each is a function of what it is computed from --------------------------------


def waves(start, rows, columns):
    """The lesson's numbers between -1 and 1, (rows, columns)."""
    return np.sin(np.arange(start, start + rows * columns).reshape(rows, columns))


NUMBERS = np.array([[1.0, 7.0, 7.0, 1.0], [11.0, 17.0, 17.0, 11.0], [3.0, 21.0, 21.0, 3.0]])
GATES = np.array([-4.0, -1.0, 0.0, 1.0, 4.0])
X = np.array([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, -1.0, 2.0]])
STORED = np.array([-0.5, 0.0, 0.5, 1.0])
PARAMS = {
    "norm_attention": np.array([1.0, 0.5, 2.0, 1.0]),
    "wq": waves(0, 4, 6),
    "wk": waves(30, 4, 2),
    "wv": waves(40, 4, 2),
    "wo": waves(50, 6, 4),
    "norm_mlp": np.array([2.0, 1.0, 1.0, 0.5]),
    "w_gate": waves(80, 4, 5),
    "w_up": waves(100, 4, 5),
    "w_down": waves(120, 5, 4),
}
ATTENTION_ONLY = only(PARAMS, "w_down")


def added(*, params=ATTENTION_ONLY, minus=lambda factor: factor):
    """What the lesson's block adds to factor · x."""
    return lambda factor: oracle.block(params, factor * X, 3, 1) - minus(factor) * X


change = family("change", variant=lambda **parts: lambda: added(**parts)(1.0))
scaled_change = family("scaled_change", variant=added, given=["factor"])
change_of_whole_block = misconception("change-of-whole-block", of="change", params=PARAMS)
change_not_subtracted = misconception("change-not-subtracted", of="change", minus=lambda factor: 0.0)
scaled_of_whole_block = misconception("change-of-whole-block", of="scaled_change", params=PARAMS)
scaled_not_subtracted = misconception("change-not-subtracted", of="scaled_change", minus=lambda factor: 0.0)
scaled_minus_x = misconception("scaled-minus-x", of="scaled_change", minus=lambda factor: 1.0)

from_stored = family("from_stored", variant=lambda *, gain=1 + STORED, eps=1e-5: lambda: rms_norm(NUMBERS, gain, eps))
stored_as_gain = misconception("stored-as-gain", of="from_stored", gain=STORED)
stored_subtracted = misconception("stored-subtracted", of="from_stored", gain=1 - STORED)


def halves(*, cut=lambda fused: (fused[:, :5], fused[:, 5:])):
    """The gated MLP with the two matrices that ``cut`` finds in the fused one."""
    fused = np.concatenate([PARAMS["w_gate"], PARAMS["w_up"]], axis=1)
    return lambda: oracle.swiglu(X, *cut(fused), PARAMS["w_down"])


unfused = family("unfused", variant=halves)
unfused_swapped = misconception("unfused-swapped", of="unfused", cut=lambda fused: (fused[:, 5:], fused[:, :5]))
unfused_interleaved = misconception(
    "unfused-interleaved", of="unfused", cut=lambda fused: (fused[:, ::2], fused[:, 1::2])
)


def counted(*, gains=2, queries=2, kv_heads=8, matrices=3):
    """Numbers in the gains, the attention and the MLP of one layer, (3,)."""
    attention = 4096 * 128 * (queries * 32 + 2 * kv_heads)
    return lambda: np.array([gains * 4096, attention, matrices * 4096 * 14336])


layer_params = family("layer_params", variant=counted)
counted_one_gain = misconception("counted-one-gain", of="layer_params", gains=1)
counted_full_heads = misconception("counted-full-heads", of="layer_params", kv_heads=32)
counted_no_wo = misconception("counted-no-wo", of="layer_params", queries=1)
counted_two_matrices = misconception("counted-two-matrices", of="layer_params", matrices=2)


def answers(layer_norm, rms_norm, swiglu, block, repaired):
    """What main.py defines besides functions, computed with these functions."""
    ones, zeros = np.ones(4), np.zeros(4)
    first, second = np.eye(2)
    gates = np.stack([GATES, np.ones(5)], axis=1)
    fused = np.concatenate([PARAMS["w_gate"], PARAMS["w_up"]], axis=1)
    return {
        "numbers": NUMBERS,
        "layer_normed": layer_norm(NUMBERS, ones, zeros, 1e-5),
        "rms_normed": rms_norm(NUMBERS, ones, 1e-5),
        "centred": rms_norm(minus_mean(NUMBERS), ones, 1e-5),
        "gated": swiglu(gates, first[:, None], second[:, None], first[None]),
        "x": X,
        "output": block(PARAMS, X, 3, 1),
        "silent": block(only(PARAMS, "wo", "w_down"), X, 3, 1),
        "factor": np.array(8.0),
        "change": block(ATTENTION_ONLY, X, 3, 1) - X,
        "scaled_change": block(ATTENTION_ONLY, 8 * X, 3, 1) - 8 * X,
        "from_stored": rms_norm(NUMBERS, 1 + STORED, 1e-5),
        "unfused": swiglu(X, fused[:, :5], fused[:, 5:], PARAMS["w_down"]),
        "layer_params": counted()(),
    }
