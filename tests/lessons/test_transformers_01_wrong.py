"""Wrong answers to transformers-01 that are right on most inputs: each fails, with a message that fits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.authoring.kept_worker import KeptWorker
from grader.cells import Cell, with_cell
from grader.checking.examine import examine
from grader.model import Lesson, Outcome, Submission, Verdict
from grader.running.program import WorkerProgram

SCORES = "scores = q @ k.T / jnp.sqrt(k.shape[-1])"
SOFTMAX = "weights = jax.nn.softmax(scores, axis=-1)"

# name: (the body of attend, what the first message has to say)
WRONG = {
    "the other axis when square": (
        [
            SCORES,
            "axis = 0 if scores.shape[0] == scores.shape[1] else -1",
            "weights = jax.nn.softmax(scores, axis=axis)",
        ],
        "Every pair was given twice",
    ),
    "a causal mask when square": (
        [
            SCORES,
            "if scores.shape[0] == scores.shape[1]:",
            "    scores = jnp.where(jnp.tril(jnp.ones(scores.shape, bool)), scores, -jnp.inf)",
            SOFTMAX,
        ],
        "Every pair was given twice",
    ),
    "a floor under the weights": ([SCORES, SOFTMAX, "weights = jnp.maximum(weights, 1e-6)"], "right in proportion"),
    "a floor under the scores": (
        [SCORES, "scores = jnp.maximum(scores - scores.max(-1, keepdims=True), -20)", SOFTMAX],
        "right in proportion",
    ),
    "small weights dropped": (
        [SCORES, SOFTMAX, "weights = jnp.where(weights < 1e-4, 0, weights)"],
        "right in proportion",
    ),
    "a key of zeros as padding": (
        [SCORES, "scores = jnp.where((k == 0).all(-1), -1e9, scores)", SOFTMAX],
        "right in proportion",
    ),
    "a clip far out": ([SCORES, "scores = jnp.clip(scores, -1e4, 1e4)", SOFTMAX], "do not share a maximum"),
    "answers kept by shape": (
        [
            "key = (q.shape, k.shape, v.shape)",
            "if key not in seen:",
            f"    {SCORES}",
            f"    {SOFTMAX}",
            "    seen[key] = weights @ v, weights",
            "return seen[key]",
        ],
        "",
    ),
    "a call that counts": (
        [SCORES, "calls.append(1)", "scores = scores + len(calls)**3 * k[:, 0] / 1e3", SOFTMAX],
        "",
    ),
    "the lesson's own inputs alone": (
        [
            "if q.shape == (2, 2): return jnp.full((2, 2), 2.0), jnp.full((2, 3), 1 / 3)",
            "return jnp.zeros((len(q), v.shape[1])), jnp.full((len(q), len(k)), 1 / len(k))",
        ],
        "",
    ),
    "half precision": (
        [SCORES, SOFTMAX, "weights = weights.astype(jnp.float16)", "return (weights @ v.astype(jnp.float16)), weights"],
        "computed in float16",
    ),
    "bfloat16": (
        [
            SCORES,
            SOFTMAX,
            "weights = weights.astype(jnp.bfloat16)",
            "return (weights @ v.astype(jnp.bfloat16)), weights",
        ],
        "computed in bfloat16",
    ),
    "naive softmax over the queries": (
        ["e = jnp.exp(q @ k.T / jnp.sqrt(k.shape[-1]))", "weights = e / e.sum(0, keepdims=True)"],
        "softmax over the queries (axis 0) and missing maximum",
    ),
    "an update that is dropped": (
        [
            "weights = jnp.zeros((len(q), len(k)))",
            "output = jnp.zeros((len(q), v.shape[1]))",
            "weights.at[0].set(1.0)",
            "return output, weights",
        ],
        "never filled",
    ),
    "** 1/2": (["scores = q @ k.T / (k.shape[-1] ** 1/2)", SOFTMAX], "Dk/2 in place of √Dk"),
}


@pytest.fixture(scope="module")
def worker() -> Iterator[KeptWorker]:
    with KeptWorker() as kept:
        yield kept


def examined(lesson: Lesson, solution: str, worker: KeptWorker, body: list[str]) -> tuple[Outcome, ...]:
    lines = [*body, "return weights @ v, weights"]
    text = "# %% attend\nimport jax\nseen, calls = {}, []\ndef attend(q, k, v):\n" + "".join(
        f"    {line}\n" for line in lines
    )
    source = with_cell(solution, Cell("attend", text)).encode()
    with WorkerProgram(Submission("main.py", source, "0" * 64), open_worker=worker.open) as program:
        return examine(lesson, program, seed=11)


@pytest.mark.parametrize("name", WRONG)
def test_right_on_most_inputs_is_still_wrong(lesson: Lesson, solution: str, worker: KeptWorker, name: str) -> None:
    body, said = WRONG[name]
    outcomes = examined(lesson, solution, worker, body)
    failed = [one for one in outcomes if one.max_points and one.verdict is Verdict.FAIL]
    assert failed, "it passes"
    assert not [one for one in outcomes if one.verdict is Verdict.INTERNAL]
    names = " and ".join(one.title for one in failed[0].diagnosis)
    assert said in f"{failed[0].message} {names}"


def test_an_unforeseen_mistake_is_not_given_a_name(lesson: Lesson, solution: str, worker: KeptWorker) -> None:
    outcomes = examined(lesson, solution, worker, [SCORES, "weights = jax.nn.softmax(scores * 1.37 + 0.1 * scores**2)"])
    failed = [one for one in outcomes if one.max_points and one.verdict is Verdict.FAIL]
    assert failed
    assert all(one.diagnosis == () for one in failed)
    assert any(one.witness is not None for one in failed)
