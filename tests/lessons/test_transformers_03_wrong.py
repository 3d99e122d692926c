"""Wrong main.py of transformers-03, as people write them: one failure an exercise, and the mistake is named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.authoring.kept_worker import KeptWorker
from grader.checking.examine import examine
from grader.lesson import load_lesson
from grader.model import Lesson, Outcome, Submission, Verdict
from grader.running.program import WorkerProgram

SPLIT = "pieces = x.reshape(tokens, n_heads, width // n_heads)  # (T, H, d)\n    heads = pieces.transpose(1, 0, 2)"
JOIN = "pieces = x.transpose(1, 0, 2)  # (T, H, d)\n    rows = pieces.reshape(tokens, n_heads * head_width)"
KEYS = "k = jnp.repeat(k, n_heads // n_kv_heads, axis=0)"
VALUES = "v = jnp.repeat(v, n_heads // n_kv_heads, axis=0)"
ROOT = "/ jnp.sqrt(k.shape[-1])"
HIDE = "scores = jnp.where(mask, scores, -jnp.inf)"
SOFTMAX = "weights = jax.nn.softmax(scores, axis=-1)  # (H, T, T)\n\n    # Every"
PROJECT = 'output = merge_heads(mixed) @ params["wo"]'

# name: (what is replaced in the reference, what the diagnosis or the message has to say)
WRONG = {
    "a reshape alone in the split": (
        {SPLIT: "heads = x.reshape(n_heads, tokens, -1)"},
        "heads split by reshape alone",
    ),
    "every H-th column": (
        {SPLIT: "heads = x.reshape(tokens, -1, n_heads).transpose(2, 0, 1)"},
        "interleaved heads",
    ),
    "a forgotten transpose": ({SPLIT: "heads = x.reshape(tokens, n_heads, -1)"}, "(T, H, d) returned"),
    "a reshape alone in the merge": (
        {JOIN: "rows = x.reshape(tokens, -1)"},
        "heads merged by reshape alone",
    ),
    "an update that is dropped": (
        {JOIN: "rows = jnp.zeros((tokens, n_heads * head_width))\n    rows.at[:, :head_width].set(x[0])"},
        "never filled",
    ),
    "the root of the width of a token": ({ROOT: "/ jnp.sqrt(x.shape[-1])"}, "√D (the width of a token)"),
    "the root of all heads": ({ROOT: '/ jnp.sqrt(params["wq"].shape[-1])'}, "√(H·d) (all heads together)"),
    "no root": ({ROOT: "/ k.shape[-1]"}, "missing root"),
    "a quotient of the width of a token": ({ROOT: "/ jnp.sqrt(x.shape[-1] // n_heads)"}, "√(D // H)"),
    "a reshape to D": (
        {PROJECT: 'output = merge_heads(mixed).reshape(len(x), x.shape[1]) @ params["wo"]'},
        "D taken for H·d",
    ),
    "einsum over all heads": (
        {"scores = q @ k.transpose(0, 2, 1)": 'scores = jnp.einsum("hqd,gkd->hqk", q, k)'},
        "the keys of all heads",
    ),
    "softmax over axis 0": ({SOFTMAX: SOFTMAX.replace("-1", "0")}, "softmax over the heads"),
    "softmax over axis 1": ({SOFTMAX: SOFTMAX.replace("-1", "1")}, "softmax over the queries"),
    "tiled": (
        {
            KEYS: "k = jnp.tile(k, (n_heads // n_kv_heads, 1, 1))",
            VALUES: "v = jnp.tile(v, (n_heads // n_kv_heads, 1, 1))",
        },
        "tiled (0, 1, 0, 1)",
    ),
    "modulo": (
        {KEYS: "k = k[jnp.arange(n_heads) % n_kv_heads]", VALUES: "v = v[jnp.arange(n_heads) % n_kv_heads]"},
        "tiled (0, 1, 0, 1)",
    ),
    "divided by the number of groups": (
        {KEYS: "k = k[jnp.arange(n_heads) // n_kv_heads]", VALUES: "v = v[jnp.arange(n_heads) // n_kv_heads]"},
        "h // G in place of",
    ),
    "repeated along the tokens": (
        {KEYS: KEYS.replace("axis=0", "axis=1"), VALUES: VALUES.replace("axis=0", "axis=1")},
        "along the tokens",
    ),
    "values alone repeated along the tokens": (
        {VALUES: VALUES.replace("axis=0", "axis=1")},
        "repeat both along axis 0",
    ),
    "keys split into all heads": ({'"wk"], n_kv_heads': '"wk"], n_heads'}, "split k and v into n_kv_heads"),
    "all axes of k reversed": ({"k.transpose(0, 2, 1) / jnp.sqrt(k": "k.T / jnp.sqrt(k"}, "reverses all three axes"),
    "values tiled, keys repeated": (
        {VALUES: "v = jnp.tile(v, (n_heads // n_kv_heads, 1, 1))"},
        "each serves 3 in a row",
    ),
    "keys and values exchanged": (
        {'(x @ params["wk"], n': '(x @ params["wV"], n', '(x @ params["wv"], n': '(x @ params["wk"], n', "wV": "wv"},
        "keys and values swapped",
    ),
    "a mask as a condition": ({"if mask is not None:": "if mask:"}, "not if mask"),
    "the mask added": ({HIDE: "scores = scores + mask"}, "mask of True and False added"),
    "the mask multiplied": ({HIDE: "scores = scores * mask"}, "hidden scores set to 0"),
    "the mask inverted": ({HIDE: "scores = jnp.where(mask, -1e9, scores)"}, "mask inverted"),
    "the mask inverted, with infinity": ({HIDE: "scores = jnp.where(mask, -jnp.inf, scores)"}, "mask inverted"),
    "the mask as a product with infinity": ({HIDE: "scores = scores + (1 - mask) * -jnp.inf"}, "0 times infinity"),
    "the mask in one head": ({HIDE: "scores = scores.at[0].set(jnp.where(mask, scores[0], -1e9))"}, "first head only"),
    "the mask turned over": ({HIDE: "scores = jnp.where(mask.T, scores, -1e9)"}, "mask transposed"),
    "the mask after the softmax": (
        {
            HIDE: "pass",
            "mixed = weights @ v": "weights = weights if mask is None else weights * mask\n    mixed = weights @ v",
        },
        "not shared out again",
    ),
    "a fill that is too small": ({HIDE: "scores = jnp.where(mask, scores, -100.0)"}, "far enough below"),
    "a mask of its own": (
        {HIDE: "scores = jnp.where(jnp.tri(len(x), dtype=bool), scores, -jnp.inf)"},
        "whatever the mask is",
    ),
    "no projection": ({PROJECT: "output = merge_heads(mixed)"}, "missing output projection"),
    "a transposed projection": ({PROJECT: f"{PROJECT}.T"}, "wo transposed before the product"),
    "a mean of the weights": (
        {"(T, D)\n    return output, weights": "(T, D)\n    return output, weights.mean(axis=0)"},
        "weights not returned per head",
    ),
    "the other order": (
        {"(T, D)\n    return output, weights": "(T, D)\n    return weights, output"},
        "swapped order",
    ),
    "tiled and not scaled": (
        {
            KEYS: "k = jnp.tile(k, (n_heads // n_kv_heads, 1, 1))",
            VALUES: "v = jnp.tile(v, (n_heads // n_kv_heads, 1, 1))",
            ROOT: "",
        },
        "no scale: scores not divided by √d and key/value heads tiled",
    ),
    "answers kept by shape": (
        {
            "q = split_heads": "params, x, mask = KEPT.setdefault((x.shape, n_heads, n_kv_heads), (params, x, mask))\n"
            "    q = split_heads",
            "# %% Step 4: the mechanism": "# %% Step 4: the mechanism\nKEPT = {}",
        },
        "",
    ),
    "half precision": (
        {PROJECT: 'output = (merge_heads(mixed) @ params["wo"]).astype(jnp.float16)'},
        "exact in float16: compute in float32",
    ),
    "a port that still tiles": (
        {
            "k = jnp.repeat(k, n_heads // len(k), axis=0)": "k = jnp.tile(k, (n_heads // len(k), 1, 1))",
            "v = jnp.repeat(v, n_heads // len(v), axis=0)": "v = jnp.tile(v, (n_heads // len(v), 1, 1))",
        },
        "tiled (0, 1, 0, 1)",
    ),
    "a port that still tiles values": (
        {"v = jnp.repeat(v, n_heads // len(v), axis=0)": "v = jnp.tile(v, (n_heads // len(v), 1, 1))"},
        "tile left in one of its two places",
    ),
    "a port merged as (d, H)": (
        {"found = (weights @ v).transpose(1, 0, 2)": "found = (weights @ v).transpose(1, 2, 0)"},
        "number j of every head side by side",
    ),
    "a port as it came": (
        {"k = jnp.repeat(k, n_heads // len(k), axis=0)": "return ported(q, k, v)"},
        "none of the three faults",
    ),
    "one row dropped": ({".at[2 * head : 2 * head + 2]": ".at[head]"}, "one row of wo"),
    "columns dropped": ({".at[2 * head : 2 * head + 2]": ".at[:, head]"}, "columns of wo"),
    "the rows before": ({".at[2 * head : 2 * head + 2]": ".at[2 * head - 2 : 2 * head]"}, "another head dropped"),
    "columns alternated": (
        {'jnp.repeat(params["wk"].reshape(3, 2, 2), 2, axis=1).reshape(3, 8)': 'jnp.tile(params["wk"], (1, 2))'},
        "blocks tiled",
    ),
    "kibibytes": ({"token_bytes = 2 * 32 *": "token_bytes = 2 * 32 / 1024 *"}, "kibibytes in place of bytes"),
    "one head first": ({"[32, 8, 1]": "[1, 8, 32]"}, "reversed order"),
    "keys without values": ({"token_bytes = 2 * 32": "token_bytes = 32"}, "keys or values counted, not both"),
}


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson("transformers-03")


@pytest.fixture(scope="module")
def worker() -> Iterator[KeptWorker]:
    with KeptWorker() as kept:
        yield kept


def examined(lesson: Lesson, worker: KeptWorker, changes: dict[str, str]) -> tuple[Outcome, ...]:
    source = lesson.solution.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in source
        source = source.replace(old, new, 1)
    with WorkerProgram(Submission("main.py", source.encode(), "0" * 64), open_worker=worker.open) as program:
        return examine(lesson, program, seed=11)


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_fails_one_check_of_an_exercise_and_is_named(lesson: Lesson, worker: KeptWorker, name: str) -> None:
    changes, said = WRONG[name]
    outcomes = examined(lesson, worker, changes)
    failed = [one for one in outcomes if one.max_points and one.verdict in (Verdict.FAIL, Verdict.ERROR)]
    assert failed, "it passes"
    assert len({one.exercise for one in failed}) == len(failed), [one.check for one in failed]
    assert not [one for one in outcomes if one.verdict is Verdict.INTERNAL]
    names = " and ".join(one.title for one in failed[0].diagnosis)
    assert said in f"{failed[0].message} {names}"


def test_an_unforeseen_mistake_is_shown_by_its_smallest_numbers(lesson: Lesson, worker: KeptWorker) -> None:
    outcomes = examined(lesson, worker, {ROOT: "/ 1.37 + 0.1"})
    (failed,) = (one for one in outcomes if one.max_points and one.verdict is Verdict.FAIL)
    assert failed.diagnosis == ()
    assert failed.witness is not None
