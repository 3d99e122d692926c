"""Answers to transformers-06 as people write them: wrong ones are named, right ones pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from grader.authoring.kept_worker import KeptWorker
from grader.checking.examine import examine
from grader.lesson import load_lesson
from grader.model import Lesson, Outcome, Submission, Verdict
from grader.running.program import WorkerProgram

SHIFT = "x, y, m = logits[:, :-1], tokens[:, 1:], mask[:, 1:]"
COSTS = "c = -jnp.take_along_axis(jax.nn.log_softmax(x), y[..., None], axis=-1)[..., 0]"
MEAN = "return (c * m).sum() / m.sum()"

# name: (the body of lm_loss, the mistakes that are named)
WRONG = {
    "no shift": (["x, y, m = logits, tokens, mask", COSTS, MEAN], "no shift: position t held to its own token"),
    "slices swapped": (
        ["x, y, m = logits[:, 1:], tokens[:, :-1], mask[:, 1:]", COSTS, MEAN],
        "shifted the wrong way: position t held to token t - 1",
    ),
    "roll": (
        ["x, y, m = logits, jnp.roll(tokens, -1, axis=1), mask", COSTS, MEAN],
        "the last position is held to the first token (roll)",
    ),
    "padded with zero": (
        ["x, y, m = logits, jnp.pad(tokens[:, 1:], ((0, 0), (0, 1))), mask", COSTS, MEAN],
        "the last position is held to a made-up token",
    ),
    "mask of the inputs": (
        ["x, y, m = logits[:, :-1], tokens[:, 1:], mask[:, :-1]", COSTS, MEAN],
        "the mask is not shifted with the targets",
    ),
    "both masks": (
        [SHIFT, "m = mask[:, :-1] * mask[:, 1:]", COSTS, MEAN],
        "a target counts only if the token before it is real too",
    ),
    "token 0 is filler": (
        [SHIFT, "m = y != 0", COSTS, MEAN],
        "the mask is guessed from the token numbers (0 taken as filler)",
    ),
    "lengths": (
        [SHIFT, "m = jnp.arange(y.shape[1]) < m.sum(axis=1, keepdims=True)", COSTS, MEAN],
        "the mask is read as a length",
    ),
    "mean of the product": (
        [SHIFT, COSTS, "return (c * m).mean()"],
        "divided by all positions, filler included",
    ),
    "no mask": ([SHIFT, COSTS, "return c.mean()"], "the mask is not used: filler counts"),
    "sum": ([SHIFT, COSTS, "return (c * m).sum()"], "sum in place of the mean"),
    "sum over texts": (
        [SHIFT, COSTS, "return (c * m).sum(axis=1).mean()"],
        "divided by the number of texts B, not by the number of targets",
    ),
    "unshifted count": (
        [SHIFT, COSTS, "return (c * m).sum() / mask.sum()"],
        "divided by one too many, or by all real tokens (the first of each text is no target)",
    ),
    "mean of means": (
        [SHIFT, COSTS, "return ((c * m).sum(axis=1) / m.sum(axis=1)).mean()"],
        "mean of the texts' means: short texts count as much as long ones",
    ),
    "mean of means by vmap": (
        [
            "def one(x, y, m):",
            "    c = -jax.nn.log_softmax(x[:-1])[jnp.arange(y.size - 1), y[1:]]",
            "    return (c * m[1:]).sum() / jnp.maximum(m[1:].sum(), 1)",
            "return jax.vmap(one)(logits, tokens, mask).mean()",
        ],
        "mean of the texts' means: short texts count as much as long ones",
    ),
    "(N,) against (N, 1)": (
        [SHIFT, COSTS, "return (c.ravel() * m.reshape(-1, 1)).mean()"],
        "every cost meets every entry of the mask ((N,) against (N, 1))",
    ),
    "softmax first": (
        ["logits = jax.nn.softmax(logits)", SHIFT, COSTS, MEAN],
        "softmax before the loss: the probabilities are taken for logits",
    ),
    "axis 1": (
        [SHIFT, COSTS.replace("(x)", "(x, axis=1)"), MEAN],
        "softmax over the positions (axis 1)",
    ),
    "log of softmax": (
        [SHIFT, COSTS.replace("jax.nn.log_softmax(x)", "jnp.log(jax.nn.softmax(x))"), MEAN],
        "logarithm of the softmax: p becomes 0 before its logarithm is taken",
    ),
    "epsilon": (
        [SHIFT, COSTS.replace("jax.nn.log_softmax(x)", "jnp.log(jax.nn.softmax(x) + 1e-9)"), MEAN],
        "a small number added to p before its logarithm",
    ),
    "clip": (
        [SHIFT, COSTS.replace("jax.nn.log_softmax(x)", "jnp.log(jnp.clip(jax.nn.softmax(x), 1e-7, 1.0))"), MEAN],
        "a small number added to p before its logarithm",
    ),
    "a naive softmax": (
        [
            SHIFT,
            COSTS.replace("jax.nn.log_softmax(x)", "jnp.log(jnp.exp(x) / jnp.exp(x).sum(-1, keepdims=True))"),
            MEAN,
        ],
        "missing maximum: e to the logit overflows",
    ),
    "a naive logsumexp": (
        [SHIFT, COSTS.replace("jax.nn.log_softmax(x)", "x - jnp.log(jnp.exp(x).sum(-1, keepdims=True))"), MEAN],
        "missing maximum: e to the logit overflows",
    ),
    "maximum forgotten outside": (
        [
            SHIFT,
            "z = x - x.max(-1, keepdims=True)",
            COSTS.replace("jax.nn.log_softmax(x)", "x - jnp.log(jnp.exp(z).sum(-1, keepdims=True))"),
            MEAN,
        ],
        "the maximum is not accounted for on both sides",
    ),
    "log2": (
        [SHIFT, COSTS, "return (c * m).sum() / m.sum() / jnp.log(2)"],
        "bits in place of nats: logarithm to base 2",
    ),
    "sign": ([SHIFT, COSTS, "return -(c * m).sum() / m.sum()"], "missing minus sign: the loss is negative"),
    "probability": (
        [SHIFT, "c = -jnp.take_along_axis(jax.nn.softmax(x), y[..., None], axis=-1)[..., 0]", MEAN],
        "the probability in place of its logarithm",
    ),
    "smoothing": (
        [
            SHIFT,
            "t = jax.nn.one_hot(y, x.shape[-1]) * 0.9 + 0.1 / x.shape[-1]",
            "c = -(t * jax.nn.log_softmax(x)).sum(-1)",
            MEAN,
        ],
        "label smoothing left on",
    ),
    "all pairs": (
        [SHIFT, "c = -jax.nn.log_softmax(x)[..., y]", "return c.mean()"],
        "every target meets every position (log_p[..., targets])",
    ),
    "over the vocabulary": (
        [SHIFT, "c = -jax.nn.one_hot(y, x.shape[-1]) * jax.nn.log_softmax(x) * m[..., None]", "return c.mean()"],
        "divided by the size of the vocabulary",
    ),
    "binary": (
        [SHIFT, "t = jax.nn.one_hot(y, x.shape[-1])", "c = (jnp.logaddexp(0, x) - x * t).sum(-1)", MEAN],
        "a sigmoid for each word in place of one softmax",
    ),
    "perplexity": ([SHIFT, COSTS, "return jnp.exp((c * m).sum() / m.sum())"], "perplexity in place of the loss"),
    "per token": ([SHIFT, COSTS, "return c * m"], "several costs come back, not one number"),
    "flattened before the shift": (
        ["x, y, m = logits.reshape(-1, logits.shape[-1])[:-1], tokens.ravel()[1:], mask.ravel()[1:]", COSTS, MEAN],
        "the texts are strung together: a text's last position is held to the next text",
    ),
    "squeezed too far": (
        [SHIFT, COSTS.replace("[..., 0]", ".squeeze()"), MEAN],
        "squeeze() without an axis: with two tokens the axis of positions goes too",
    ),
    "log-softmax in bfloat16": (
        [SHIFT, COSTS.replace("(x)", "(x.astype(jnp.bfloat16)).astype(jnp.float32)"), MEAN],
        "logits or their log-softmax in 16 bits",
    ),
    "log-softmax in float16": (
        [SHIFT, COSTS.replace("(x)", "(x.astype(jnp.float16)).astype(jnp.float32)"), MEAN],
        "logits or their log-softmax in 16 bits",
    ),
    "logits of a model in bfloat16": (
        [SHIFT, "x = x.astype(jnp.bfloat16).astype(jnp.float32)", COSTS, MEAN],
        "logits or their log-softmax in 16 bits",
    ),
    "-100 looked up by plain indexing": (
        [
            SHIFT,
            "y = jnp.where(m, y, -100).ravel()",
            "return -jax.nn.log_softmax(x).reshape(y.size, -1)[jnp.arange(y.size), y].mean()",
        ],
        "filler is given a label of its own (0, -1, -100) and counts all the same",
    ),
    "-1 for filler": (
        [SHIFT, "y = jnp.where(m, y, -1)", COSTS, "return c.mean()"],
        "filler is given a label of its own (0, -1, -100) and counts all the same",
    ),
    "roll along the texts": (
        ["x, y, m = logits, jnp.roll(tokens, -1, axis=0), mask", COSTS, MEAN],
        "shifted along the batch: a text is held to the next text",
    ),
    "indices without the texts": (
        [SHIFT, "c = -jax.nn.log_softmax(x)[:, jnp.arange(y.shape[1]), y]", "return (c * m).sum() / m.sum()"],
        "each text is held to the targets of every text (log_p[:, columns, targets])",
    ),
    "clamped": ([SHIFT, COSTS, "c = jnp.minimum(c, 100.0)", MEAN], "costs are cut off at an upper end"),
    "z-loss": (
        [SHIFT, COSTS, "c = c + 1e-4 * jax.nn.logsumexp(x, axis=-1) ** 2", MEAN],
        "z-loss added to the cost",
    ),
    "mask on the logits": (
        [SHIFT, "x = x * m[..., None]", COSTS, "return c.mean()"],
        "the mask multiplies the logits: filler counts as a forecast without knowledge",
    ),
    "-100 looked up": (
        [SHIFT, "y, m = jnp.where(m, y, -100), m.astype(jnp.float32)", COSTS, MEAN],
        "filler gets a label outside the vocabulary (such as -100) or infinite logits: its cost is not a number",
    ),
    "two faults: no shift, sum": (
        ["x, y, m = logits, tokens, mask", COSTS, "return (c * m).sum()"],
        "no shift: position t held to its own token and sum in place of the mean",
    ),
    "two faults: bits, mean of means": (
        [SHIFT, COSTS, "c = c / jnp.log(2)", "return ((c * m).sum(axis=1) / jnp.maximum(m.sum(axis=1), 1)).mean()"],
        "mean of the texts' means: short texts count as much as long ones "
        "and bits in place of nats: logarithm to base 2",
    ),
}

RIGHT = {
    "-100 looked up under a mask of True and False, which chooses": [SHIFT, "y = jnp.where(m, y, -100)", COSTS, MEAN],
    "optax": [SHIFT, "c = optax.softmax_cross_entropy_with_integer_labels(x, y)", MEAN],
    "optax with masked zeros": [
        SHIFT,
        "c = optax.softmax_cross_entropy_with_integer_labels(x, jnp.where(m, y, 0))",
        "return jnp.where(m, c, 0.0).sum() / jnp.maximum(m.sum(), 1)",
    ],
    "optax with one-hot labels": [SHIFT, "c = optax.softmax_cross_entropy(x, jax.nn.one_hot(y, x.shape[-1]))", MEAN],
    "-100 kept out of the look-up": [
        "y = jnp.where(mask, tokens, -100)[:, 1:]",
        "x, m = logits[:, :-1], y >= 0",
        "y = jnp.maximum(y, 0)",
        COSTS,
        MEAN,
    ],
    "one-hot of -100 is nothing": [
        "y = jnp.where(mask, tokens, -100)[:, 1:]",
        "c = -(jax.nn.one_hot(y, logits.shape[-1]) * jax.nn.log_softmax(logits[:, :-1])).sum()",
        "return c / (y != -100).sum()",
    ],
    "an array of one number, taken out": [SHIFT, COSTS, "return ((c * m).sum(keepdims=True) / m.sum())[0, 0]"],
    "a Python number": [SHIFT, COSTS, "return float((c * m).sum() / m.sum())"],
    "gathered before the shift": [
        "log_p = jax.nn.log_softmax(logits)",
        "of_next = jnp.take_along_axis(log_p[:, : tokens.shape[1] - 1], tokens[:, 1:][:, :, None], 2)",
        "return -jnp.average(of_next[:, :, 0], weights=mask[:, 1:].astype(jnp.float32))",
    ],
}


@pytest.fixture(scope="module")
def loss_lesson() -> Lesson:
    """The lesson without advice and exercises, which every program would pay for with new compilations."""
    lesson = load_lesson("transformers-06")
    mine = [check for check in lesson.checks if check.exercise in ("lm-loss", "perplexity") and not check.advice]
    return replace(lesson, checks=tuple(mine))


@pytest.fixture(scope="module")
def worker() -> Iterator[KeptWorker]:
    with KeptWorker() as kept:
        yield kept


def examined(lesson: Lesson, worker: KeptWorker, text: str) -> tuple[Outcome, ...]:
    source = f"import jax\nimport jax.numpy as jnp\n\n\n{text}".encode()
    with WorkerProgram(Submission("main.py", source, "0" * 64), open_worker=worker.open) as program:
        return examine(lesson, program, seed=11)


def loss_with(body: list[str]) -> str:
    lines = "".join(f"    {line}\n" for line in body)
    return f"def lm_loss(logits, tokens, mask):\n{lines}\n\nperplexity = jnp.exp\n"


def failed(outcomes: tuple[Outcome, ...]) -> list[Outcome]:
    return [one for one in outcomes if one.max_points and one.verdict in (Verdict.FAIL, Verdict.ERROR)]


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_one_failure_with_its_name(loss_lesson: Lesson, worker: KeptWorker, name: str) -> None:
    body, named = WRONG[name]
    outcomes = examined(loss_lesson, worker, loss_with(body))
    bad = failed(outcomes)
    assert " and ".join(one.title for one in bad[0].diagnosis) == named
    assert [one.check for one in bad] == [bad[0].check]


@pytest.mark.parametrize("name", RIGHT)
def test_another_right_way_passes(loss_lesson: Lesson, worker: KeptWorker, name: str) -> None:
    body = RIGHT[name]
    if "optax" in name:
        pytest.importorskip("optax")
        body = ["import optax", *body]
    outcomes = examined(loss_lesson, worker, loss_with(body))
    assert [one.message for one in outcomes if one.verdict is not Verdict.PASS] == []


def test_half_precision_is_named(loss_lesson: Lesson, worker: KeptWorker) -> None:
    body = ["logits = logits.astype(jnp.bfloat16)", SHIFT, COSTS, "return (c * m).sum() / m.sum()"]
    bad = failed(examined(loss_lesson, worker, loss_with(body)))
    assert "computed in bfloat16" in f"{bad[0].message} {[one.title for one in bad[0].diagnosis]}"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("return 2**loss", "2 to the loss, although the loss is in nats"),
        ("return jnp.exp(-loss)", "e to minus the loss: a probability, not a perplexity"),
        ("return loss", "the loss comes back as it is, or in bits"),
        ("return jnp.log(loss)", "logarithm in place of the exponential"),
        ("return jnp.exp(loss / jnp.log(2))", "e to the loss in bits: the base is changed once, not twice"),
    ],
)
def test_a_mistake_in_perplexity_is_named(loss_lesson: Lesson, worker: KeptWorker, body: str, named: str) -> None:
    bad = failed(examined(loss_lesson, worker, f"def perplexity(loss):\n    {body}\n"))
    assert [one.title for one in bad[0].diagnosis] == [named]
    assert {one.exercise for one in bad} == {"perplexity"}


def test_an_unforeseen_mistake_is_not_given_a_name(loss_lesson: Lesson, worker: KeptWorker) -> None:
    body = [SHIFT, COSTS, "return (c * m).sum() / m.sum() + 0.01 * logits.mean()"]
    bad = failed(examined(loss_lesson, worker, loss_with(body)))
    assert bad[0].diagnosis == ()
    assert any(one.witness is not None for one in bad)
