"""Wrong answers to transformers-02 as people write them: each fails where it is wrong, under its own name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.authoring.kept_worker import KeptWorker
from grader.cells import Cell, with_cell
from grader.checking.examine import examine
from grader.lesson import load_lesson
from grader.model import Lesson, Outcome, Submission, Verdict
from grader.running.program import WorkerProgram

MASK = "def causal_mask(n_queries, n_keys):"
SOFTMAX = "def masked_softmax(scores, mask):"
ATTEND = "def causal_attend(q, k, v):"
TAIL = "return weights @ v, weights"
LARGEST = "largest = jnp.where(mask, scores, -jnp.inf).max(axis=-1, keepdims=True)"
DIVIDED = ["total = e.sum(-1, keepdims=True)", "return e / jnp.where(total == 0, 1, total)"]
FILLED_WITH_ZERO = "hidden scores set to 0: multiplied by the mask, or filled with 0"

# name: (the lines of one function, the first check that fails, the name of the mistake)
WRONG = {
    "tril below the diagonal": (
        [MASK, "return jnp.tril(jnp.ones((n_queries, n_keys), dtype=bool), k=n_keys - n_queries - 1)"],
        "sees_itself",
        "strict past: a position does not see itself (< in place of ≤)",
    ),
    "triu, True where hidden": (
        [MASK, "return jnp.triu(jnp.ones((n_queries, n_keys), dtype=bool), k=1 + n_keys - n_queries)"],
        "sees_no_later_key",
        "mask inverted: True where a key is hidden",
    ),
    "aligned at the start": (
        [MASK, "return jnp.tril(jnp.ones((n_queries, n_keys), dtype=bool))"],
        "aligned_at_the_end",
        "aligned at the start: query 0 stands at key 0, whatever Tk is",
    ),
    "a square of keys": (
        [MASK, "return jnp.tril(jnp.ones((n_keys, n_keys), dtype=bool))"],
        "returns_mask",
        "square mask: one size used for both axes",
    ),
    "ones and zeros": (
        [MASK, "return jnp.tril(jnp.ones((n_queries, n_keys)), n_keys - n_queries)"],
        "returns_mask",
        "",
    ),
    "sizes exchanged": (
        [MASK, "return jnp.tril(jnp.ones((n_keys, n_queries), dtype=bool), k=n_keys - n_queries)"],
        "returns_mask",
        "number of queries and number of keys exchanged",
    ),
    "an offset that is never negative": (
        [MASK, "return jnp.tril(jnp.ones((n_queries, n_keys), dtype=bool), k=max(n_keys - n_queries, 0))"],
        "more_queries_than_keys",
        "offset that is never negative (max with 0, or abs)",
    ),
    "a window": (
        [
            MASK,
            "i = jnp.arange(n_queries)[:, None] + n_keys - n_queries",
            "j = jnp.arange(n_keys)",
            "return (j <= i) & (j > i - 3)",
        ],
        "sees_the_whole_past",
        "a window: keys far back are hidden too",
    ),
    "-inf and nothing else": (
        [SOFTMAX, "return jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1)"],
        "empty_row",
        "NaN where a row sees nothing",
    ),
    "the difference outside the where": (
        [SOFTMAX, LARGEST, "e = jnp.exp(jnp.where(mask, scores, -jnp.inf) - largest)", *DIVIDED],
        "empty_row",
        "NaN where a row sees nothing",
    ),
    "-1e9 and nothing else": (
        [SOFTMAX, "return jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1)"],
        "empty_row",
        "equal shares where a row sees nothing",
    ),
    "-1e4 with zeros for empty rows": (
        [SOFTMAX, "return jax.nn.softmax(jnp.where(mask, scores, -1e4), axis=-1) * mask.any(-1, keepdims=True)"],
        "very_low_scores",
        "fill not low enough: a finite fill that scores can reach",
    ),
    "-10": (
        [SOFTMAX, "return jax.nn.softmax(jnp.where(mask, scores, -10.0), axis=-1)"],
        "hidden_get_nothing",
        "fill not low enough: a finite fill that scores can reach",
    ),
    "scores times mask": (
        [SOFTMAX, "return jax.nn.softmax(scores * mask, axis=-1)"],
        "hidden_get_nothing",
        FILLED_WITH_ZERO,
    ),
    "scores times mask, minus the largest of all": (
        [SOFTMAX, "e = jnp.exp(scores * mask - scores.max(-1, keepdims=True))", *DIVIDED],
        "hidden_get_nothing",
        FILLED_WITH_ZERO,
    ),
    "scores times mask, minus the largest visible": (
        [SOFTMAX, LARGEST, "e = jnp.exp(scores * mask - largest)", *DIVIDED],
        "hidden_get_nothing",
        FILLED_WITH_ZERO,
    ),
    "hidden exponents of 0": (
        [SOFTMAX, LARGEST, "e = jnp.exp(jnp.where(mask, scores - largest, 0))", *DIVIDED],
        "hidden_get_nothing",
        FILLED_WITH_ZERO,
    ),
    "differences times mask": (
        [SOFTMAX, LARGEST, "e = jnp.exp((scores - largest) * mask)", *DIVIDED],
        "hidden_get_nothing",
        FILLED_WITH_ZERO,
    ),
    "scores plus mask": (
        [SOFTMAX, "return jax.nn.softmax(scores + mask, axis=-1)"],
        "hidden_get_nothing",
        "the mask itself is added to the scores (as 0 and 1)",
    ),
    "weights times mask": (
        [SOFTMAX, "return jax.nn.softmax(scores, axis=-1) * mask"],
        "visible_share_one",
        "masked after the softmax and not shared out again",
    ),
    "0 times infinity": (
        [SOFTMAX, "return jax.nn.softmax(scores + (1 - mask.astype(jnp.float32)) * -jnp.inf, axis=-1)"],
        "hidden_get_nothing",
        "0 times infinity: the mask is multiplied by -infinity",
    ),
    "exponentials times mask": (
        [SOFTMAX, "e = jnp.exp(scores) * mask", "return e / (e.sum(-1, keepdims=True) + 1e-9)"],
        "large_scores",
        "missing maximum: nothing subtracted before the exponential",
    ),
    "one maximum": (
        [
            SOFTMAX,
            "h = jnp.where(mask, scores, -jnp.inf)",
            "e = jnp.exp(h - h.max())",
            *DIVIDED,
        ],
        "large_scores",
        "one maximum for the whole matrix",
    ),
    "softmax over the queries": (
        [SOFTMAX, "return jnp.nan_to_num(jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=0))"],
        "visible_share_one",
        "softmax over the queries (axis 0)",
    ),
    "an update that is dropped": (
        [SOFTMAX, "scores.at[~mask].set(-jnp.inf)", "return jax.nn.softmax(scores, axis=-1)"],
        "hidden_get_nothing",
        "mask not used: plain softmax",
    ),
    "a triangle whatever the mask is": (
        [SOFTMAX, "return jax.nn.softmax(jnp.where(jnp.tril(jnp.ones_like(scores)), scores, -jnp.inf), axis=-1)"],
        "hidden_get_nothing",
        "a triangle of its own in place of the mask",
    ),
    "log_softmax of a fill": (
        [SOFTMAX, "return jax.nn.log_softmax(jnp.where(mask, scores, -1e9), axis=-1)"],
        "hidden_get_nothing",
        "log-softmax in place of softmax",
    ),
    "no mask": (
        [ATTEND, "weights = jax.nn.softmax(q @ k.T / jnp.sqrt(k.shape[-1]))", TAIL],
        "future_gets_nothing",
        "nothing is hidden: every query sees every key",
    ),
    "strict past inside": (
        [
            ATTEND,
            "seen = jnp.tril(jnp.ones((len(q), len(k)), dtype=bool), len(k) - len(q) - 1)",
            "weights = jax.nn.softmax(jnp.where(seen, q @ k.T / jnp.sqrt(k.shape[-1]), -jnp.inf))",
            TAIL,
        ],
        "rows_sum_to_one",
        "strict past: a position does not see itself (< in place of ≤)",
    ),
    "aligned at the start inside": (
        [
            ATTEND,
            "seen = jnp.tri(len(q), len(k), dtype=bool)",
            "weights = masked_softmax(q @ k.T / jnp.sqrt(k.shape[-1]), seen)",
            TAIL,
        ],
        "last_queries_alone",
        "aligned at the start: query 0 stands at key 0, whatever Tk is",
    ),
    "mask and scores exchanged": (
        [
            ATTEND,
            "scores = q @ k.T / jnp.sqrt(k.shape[-1])",
            "weights = masked_softmax(causal_mask(len(q), len(k)), scores)",
            TAIL,
        ],
        "future_gets_nothing",
        "masked_softmax called with the mask first and the scores second",
    ),
    "scaled by the number of keys": (
        [
            ATTEND,
            "weights = masked_softmax(q @ k.T / jnp.sqrt(k.shape[0]), causal_mask(len(q), len(k)))",
            TAIL,
        ],
        "prefix_is_enough",
        "√Tk (the number of keys) in place of √Dk",
    ),
    "a fixed divisor": (
        [ATTEND, "weights = masked_softmax(q @ k.T / 8.0, causal_mask(len(q), len(k)))", TAIL],
        "scale_calibration",
        "a fixed number in place of √Dk, whatever Dk is",
    ),
    "softmax, then mask and softmax": (
        [
            ATTEND,
            "shares = jax.nn.softmax(q @ k.T / jnp.sqrt(k.shape[-1]), axis=-1)",
            "weights = masked_softmax(shares, causal_mask(len(q), len(k)))",
            TAIL,
        ],
        "future_changes_nothing",
        "softmax applied twice",
    ),
    "no scale, aligned at the start": (
        [ATTEND, "weights = masked_softmax(q @ k.T, jnp.tri(len(q), len(k), dtype=bool))", TAIL],
        "scale_calibration",
        "aligned at the start: query 0 stands at key 0, whatever Tk is and no scale: scores not divided by √Dk",
    ),
    "unmasked weights returned": (
        [
            ATTEND,
            "scores = q @ k.T / jnp.sqrt(k.shape[-1])",
            "weights = masked_softmax(scores, causal_mask(len(q), len(k)))",
            "return weights @ v, jax.nn.softmax(scores)",
        ],
        "future_gets_nothing",
        "unmasked weights returned beside a masked output",
    ),
    "the window by hand": (
        ["window_w = masked_softmax(jnp.zeros((10, 10)), jnp.abs(distance) < 3)"],
        "window_of_three",
        "window on both sides: keys after the query are visible",
    ),
    "window and scores exchanged": (
        ["window_w = masked_softmax(window, jnp.zeros((10, 10)))"],
        "window_of_three",
        "all rows of window_w are zeros: no key is visible",
    ),
    "a softmax of the window": (
        ["two_layers = masked_softmax(window_w, window)"],
        "two_layers_reach_further",
        "one layer in place of two: window_w again, or the mean of two",
    ),
    "a window of five": (
        ["two_layers = masked_softmax(jnp.zeros((10, 10)), causal_mask(10, 10) & (distance < 5))"],
        "two_layers_reach_further",
        "one wider window in place of two layers",
    ),
    "the first three queries": (
        ["forgotten = forgetful_weights(q[:3], k)"],
        "fault_is_shown",
        "the first three queries in place of the last three",
    ),
    "shifted by the number of queries": (
        ["repaired = masked_softmax(q[-3:] @ k.T / jnp.sqrt(k.shape[-1]), jnp.tri(3, 10, 3, dtype=bool))"],
        "fault_is_repaired",
        "mask shifted by the number of queries in repaired",
    ),
    "the first layer added": (
        ["two_layers = window_w @ window_w + window_w"],
        "two_layers_reach_further",
        "the first layer added to the two (residual connection)",
    ),
}


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson("transformers-02")


@pytest.fixture(scope="module")
def worker() -> Iterator[KeptWorker]:
    with KeptWorker() as kept:
        yield kept


def examined(lesson: Lesson, worker: KeptWorker, lines: list[str]) -> tuple[Outcome, ...]:
    solution = lesson.solution.read_text(encoding="utf-8").replace(
        "\nimport jax.numpy", "\nimport jax\nimport jax.numpy"
    )
    if lines[0].startswith("def "):
        text = "# %% wrong\n" + lines[0] + "".join(f"\n    {line}" for line in lines[1:])
        source = with_cell(solution, Cell("wrong", text))
    else:
        name = lines[0].partition(" = ")[0]
        old = next(line for line in solution.splitlines() if line.startswith(f"{name} = "))
        source = solution.replace(old, lines[0])
    with WorkerProgram(Submission("main.py", source.encode(), "0" * 64), open_worker=worker.open) as program:
        return examine(lesson, program, seed=11)


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_fails_once_under_its_own_name(lesson: Lesson, worker: KeptWorker, name: str) -> None:
    lines, check, mistake = WRONG[name]
    outcomes = examined(lesson, worker, lines)
    assert not [one for one in outcomes if one.verdict is Verdict.INTERNAL]
    failed = [one for one in outcomes if one.max_points and one.verdict in (Verdict.FAIL, Verdict.ERROR)]
    assert failed, "it passes"
    assert failed[0].check == check
    assert " and ".join(one.title for one in failed[0].diagnosis) == mistake
    assert {one.exercise for one in failed} == {failed[0].exercise}  # the rest waits
