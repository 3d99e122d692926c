"""Answers to transformers-05 as people write them: wrong ones are named, right ones pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from grader.authoring.kept_worker import KeptWorker
from grader.cells import Cell, with_cell
from grader.checking.examine import examine
from grader.lesson import load_lesson
from grader.model import Lesson, Outcome, Submission, Verdict
from grader.running.program import WorkerProgram

RIGHT = {
    "layer_norm": (
        "def layer_norm(x, gain, bias, eps):",
        "return gain * (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + eps) + bias",
    ),
    "rms_norm": (
        "def rms_norm(x, gain, eps):",
        "return gain * x / jnp.sqrt(jnp.square(x).mean(-1, keepdims=True) + eps)",
    ),
}

# name: (function, its body, the mistakes that are named)
WRONG = {
    "torch's std": (
        "layer_norm",
        "m, s = x.mean(-1, keepdims=True), x.std(-1, ddof=1, keepdims=True); return gain * (x - m) / (s + eps) + bias",
        "eps added outside the root and variance over D - 1 (ddof=1)",
    ),
    "ddof": (
        "layer_norm",
        "v = x.var(-1, ddof=1, keepdims=True)\n"
        "    return gain * (x - x.mean(-1, keepdims=True)) / jnp.sqrt(v + eps) + bias",
        "variance over D - 1 (ddof=1)",
    ),
    "standardised without eps": (
        "layer_norm",
        "return gain * jax.nn.standardize(x, axis=-1, epsilon=1e-5) + bias",
        "a fixed eps in place of the argument",
    ),
    "batch norm": (
        "layer_norm",
        "return gain * (x - x.mean(0)) / jnp.sqrt(x.var(0) + eps) + bias",
        "normed over the tokens (axis 0)",
    ),
    "whole array": (
        "layer_norm",
        "return gain * (x - jnp.mean(x)) / jnp.sqrt(jnp.var(x) + eps) + bias",
        "normed over the whole array (no axis)",
    ),
    "no keepdims": (
        "layer_norm",
        "return gain * (x - x.mean(-1)) / jnp.sqrt(x.var(-1) + eps) + bias",
        "missing keepdims in a mean",
    ),
    "an rms norm with bias": (
        "layer_norm",
        "return gain * x / jnp.sqrt((x**2).mean(-1, keepdims=True) + eps) + bias",
        "mean not subtracted (RMS norm in place of layer norm)",
    ),
    "gemma": (
        "rms_norm",
        "return x * jax.lax.rsqrt((x**2).mean(-1, keepdims=True) + eps) * (1 + gain)",
        "1 + gain in place of gain (Gemma's convention)",
    ),
    "length": (
        "rms_norm",
        "return gain * x / jnp.sqrt((x**2).sum(-1, keepdims=True) + eps)",
        "sum of squares in place of their mean",
    ),
    "length with eps outside": (
        "rms_norm",
        "return gain * x / (jnp.linalg.norm(x, axis=-1, keepdims=True) + eps)",
        "eps added outside the root and sum of squares in place of their mean",
    ),
    "l2-normalised": (
        "rms_norm",
        "n = jnp.maximum(jnp.linalg.norm(x, axis=-1, keepdims=True), eps); return gain * x / n * x.shape[-1] ** 0.5",
        "eps as a floor under the length of the row",
    ),
    "rsqrt divided": (
        "rms_norm",
        "return gain * x / jax.lax.rsqrt((x**2).mean(-1, keepdims=True) + eps)",
        "multiplied by the root in place of divided",
    ),
    "gelu": (
        "swiglu",
        "return (jax.nn.gelu(x @ w_gate) * (x @ w_up)) @ w_down",
        "GELU by tanh in place of SiLU",
    ),
    "exact gelu": (
        "swiglu",
        "return (jax.nn.gelu(x @ w_gate, approximate=False) * (x @ w_up)) @ w_down",
        "GELU in place of SiLU (GEGLU)",
    ),
    "glu": ("swiglu", "return (jax.nn.sigmoid(x @ w_gate) * (x @ w_up)) @ w_down", "sigmoid in place of SiLU (GLU)"),
    "brackets": ("swiglu", "return jax.nn.silu(x @ w_gate * (x @ w_up)) @ w_down", "SiLU on the product"),
    "swapped": ("swiglu", "return ((x @ w_gate) * jax.nn.silu(x @ w_up)) @ w_down", "gate and up swapped"),
    "by hand, overflowing": (
        "swiglu",
        "g = x @ w_gate; return (g * jnp.exp(g) / (1 + jnp.exp(g)) * (x @ w_up)) @ w_down",
        "a SiLU that overflows",
    ),
    "no way down": ("swiglu", "return jax.nn.silu(x @ w_gate) * (x @ w_up)", "w_down not used"),
    "2017": (
        "block",
        "x = rms_norm(x + A(x), n1, 1e-5); return rms_norm(x + M(x), n2, 1e-5)",
        "post-norm: each sum is normed",
    ),
    "normed stream": (
        "block",
        "x = rms_norm(x, n1, 1e-5); x = x + A(x); x = rms_norm(x, n2, 1e-5); return x + M(x)",
        "norm on the way of x itself, in both halves",
    ),
    "gpt-j": (
        "block",
        "return x + A(rms_norm(x, n1, 1e-5)) + M(rms_norm(x, n2, 1e-5))",
        "parallel block: the MLP reads x, not what attention has written",
    ),
    "stale variable": (
        "block",
        "h = rms_norm(x, n1, 1e-5); x = x + A(h); return x + M(h)",
        "MLP fed with the rows that were normed for attention",
    ),
    "skip from the input": (
        "block",
        "h = x + A(rms_norm(x, n1, 1e-5)); return x + M(rms_norm(h, n2, 1e-5))",
        "second addition starts from the block's input",
    ),
    "one norm forgotten": (
        "block",
        "x = x + A(rms_norm(x, n1, 1e-5)); return x + M(x)",
        "norm missing in front of the MLP",
    ),
    "gains swapped": (
        "block",
        "x = x + A(rms_norm(x, n2, 1e-5)); return x + M(rms_norm(x, n1, 1e-5))",
        "norm_attention and norm_mlp swapped",
    ),
    "another eps": (
        "block",
        "x = x + A(rms_norm(x, n1, 1e-6)); return x + M(rms_norm(x, n2, 1e-6))",
        "another eps than 1e-5 in the norms of the block",
    ),
    "layer norms": (
        "block",
        "z = 0 * n1; x = x + A(layer_norm(x, n1, z, 1e-5)); return x + M(layer_norm(x, n2, z, 1e-5))",
        "layer norm in place of RMS norm in the block",
    ),
    "final norm": (
        "block",
        "x = x + A(rms_norm(x, n1, 1e-5)); x += M(rms_norm(x, n2, 1e-5)); return rms_norm(x, jnp.ones(n1.size), 1e-5)",
        "a norm at the end of the block",
    ),
    "residual twice": (
        "block",
        "h = x + A(rms_norm(x, n1, 1e-5)); return x + h + M(rms_norm(h, n2, 1e-5))",
        "block's input added once more at the end",
    ),
    "no residual": (
        "block",
        "x = A(rms_norm(x, n1, 1e-5)); return M(rms_norm(x, n2, 1e-5))",
        "no residual connections",
    ),
    "two faults": (
        "block",
        "return x + M(rms_norm(x + A(rms_norm(x, n2, 1e-5)), n1, 1e-5))",
        "second addition starts from the block's input and norm_attention and norm_mlp swapped",
    ),
}
HEADS = {
    "swiglu": "def swiglu(x, w_gate, w_up, w_down):",
    "block": "def block(p, x, H, G):\n"
    '    n1, n2, A = p["norm_attention"], p["norm_mlp"], lambda r: multi_head_attention(p, r, H, G)\n'
    '    M = lambda r: swiglu(r, p["w_gate"], p["w_up"], p["w_down"])',
}


@pytest.fixture(scope="module")
def block_lesson() -> Lesson:
    """The lesson without advice, which every program would pay for with new compilations."""
    lesson = load_lesson("transformers-05")
    return replace(lesson, checks=tuple(check for check in lesson.checks if not check.advice))


@pytest.fixture(scope="module")
def worker() -> Iterator[KeptWorker]:
    with KeptWorker() as kept:
        yield kept


def written(function: str, body: str) -> str:
    """A cell with this body; both norms, since they share a cell."""
    if function in HEADS:
        return f"{HEADS[function]}\n    {body}\n"
    norms = {name: f"{head}\n    {right}\n" for name, (head, right) in RIGHT.items()}
    norms[function] = f"{RIGHT[function][0]}\n    {body}\n"
    return "\n\n".join(norms.values())


def examined(lesson: Lesson, worker: KeptWorker, text: str) -> tuple[Outcome, ...]:
    source = with_cell(lesson.solution.read_text(encoding="utf-8"), Cell("mine", text)).encode()
    with WorkerProgram(Submission("main.py", source, "0" * 64), open_worker=worker.open) as program:
        return examine(lesson, program, seed=7)


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_named_once_and_the_rest_waits(block_lesson: Lesson, worker: KeptWorker, name: str) -> None:
    function, body, said = WRONG[name]
    outcomes = examined(block_lesson, worker, written(function, body))
    failed = [one for one in outcomes if one.max_points and one.verdict in (Verdict.FAIL, Verdict.ERROR)]
    assert failed, "it passes"
    assert not [one for one in outcomes if one.verdict is Verdict.INTERNAL]
    own = {"layer_norm": "layer-norm", "rms_norm": "rms-norm"}.get(function, function)
    assert {one.exercise for one in failed} == {own}
    assert " and ".join(one.title for one in failed[0].diagnosis) == said


def test_an_unforeseen_mistake_is_not_given_a_name(block_lesson: Lesson, worker: KeptWorker) -> None:
    body = "return (jax.nn.silu(1.3 * x @ w_gate + 0.2) * (x @ w_up)) @ w_down"
    failed = [one for one in examined(block_lesson, worker, written("swiglu", body)) if one.verdict is Verdict.FAIL]
    assert failed
    assert all(one.diagnosis == () for one in failed)
    assert any(one.witness is not None for one in failed)


def test_half_precision_is_told_from_a_wrong_value(block_lesson: Lesson, worker: KeptWorker) -> None:
    body = "return (gain * x / jnp.sqrt((x**2).mean(-1, keepdims=True) + eps)).astype(jnp.float16)"
    failed = [one for one in examined(block_lesson, worker, written("rms_norm", body)) if one.verdict is Verdict.FAIL]
    assert "All of your numbers are exact in float16: compute in float32." in failed[0].message


OTHER_WAYS = {
    "NumPy between JAX arrays": "import numpy as np\n"
    + written("rms_norm", "return np.asarray(gain * x) / np.sqrt(np.square(x).mean(-1, keepdims=True) + eps)"),
    "a block with a loop over halves": "def block(params, x, n_heads, n_kv_heads):\n"
    "    halves = {\n"
    '        "norm_attention": lambda rows: multi_head_attention(params, rows, n_heads, n_kv_heads),\n'
    '        "norm_mlp": lambda rows: swiglu(rows, *(params[name] for name in ("w_gate", "w_up", "w_down"))),\n'
    "    }\n"
    "    for gain, half in halves.items():\n"
    "        x = x + half(rms_norm(x, params[gain], 1e-5))\n"
    "    return x\n",
    "the sigmoid written out": written(
        "swiglu", "g = x @ w_gate; return (g * jax.nn.sigmoid(g) * (x @ w_up)) @ w_down"
    ),
}


@pytest.mark.parametrize("name", OTHER_WAYS)
def test_another_way_of_writing_it_passes(block_lesson: Lesson, worker: KeptWorker, name: str) -> None:
    outcomes = examined(block_lesson, worker, OTHER_WAYS[name])
    bad = [f"{one.check}: {one.verdict} {one.message}" for one in outcomes if one.verdict is not Verdict.PASS]
    assert bad == []
