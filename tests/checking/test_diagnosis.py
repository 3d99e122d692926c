"""Naming mistakes: every misconception by its name, pairs by both, and what nobody foresaw not at all."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from grader.authoring.numpy_student import NumpyProgram, student_with
from grader.authoring.verify import Killed, kill_matrix
from grader.checking import family, misconception
from grader.checking.examine import examine
from grader.checking.misconception import diagnose
from grader.checking.student import Observation
from grader.lesson import load_lesson
from grader.model import Lesson, Misconception, Outcome, Reply, Verdict
from grader.oracle.attention import scaled_dot_product_attention, softmax

MISCONCEPTIONS = {one.name: one for one in load_lesson("transformers-01").misconceptions}
PAIRS = [
    (one, other)
    for one, other in itertools.combinations([one for one in MISCONCEPTIONS.values() if one.function == "attend"], 2)
    if not one.switches.keys() & other.switches.keys()
]
SOME_PAIRS = random.Random(20).sample(PAIRS, 40)


def trouble(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one.max_points and one.verdict in (Verdict.FAIL, Verdict.ERROR)]


def named(outcomes: Sequence[Outcome]) -> set[str]:
    return {diagnosis.name for one in trouble(outcomes) for diagnosis in one.diagnosis}


def examined(lesson: Lesson, attend: Callable[..., Any], *, seed: int = 0, **variables: Any) -> tuple[Outcome, ...]:
    """The outcomes of a file with this ``attend`` whose variables are those of the reference, or the given ones."""
    right = lesson.answers(lesson.families["attend"].variant())
    return examine(lesson, NumpyProgram({"attend": attend}, {**right, **variables}), seed=seed)


@pytest.fixture(scope="module")
def killed(lesson: Lesson) -> dict[str, Killed]:
    return {one.name: one for one in kill_matrix(lesson)}


@pytest.mark.parametrize("name", MISCONCEPTIONS)
def test_a_misconception_is_caught_and_called_by_its_own_name(killed, name):
    assert killed[name].killed_by
    assert killed[name].diagnosed == {(MISCONCEPTIONS[name].title,)}
    assert killed[name].problem == ""


def test_no_single_check_catches_every_misconception(killed, lesson):
    for check in lesson.checks:
        assert any(check.name not in one.killed_by for one in killed.values()), check.name


def test_softmax_over_the_queries_survives_the_paired_permutation_and_fails_the_known_answer(killed):
    caught = killed["softmax-over-queries"].killed_by
    assert "paired_permutation" not in caught
    assert {"rows_sum_to_one", "uniform_query", "value_shift"} <= set(caught)


def explanations(lesson: Lesson, *pair: Misconception, seed: int) -> list[set[str]]:
    """All misconceptions and pairs that give what this pair gives on the lesson's probes; [set()] for the reference."""
    variant, probes = lesson.families["attend"].variant, lesson.families["attend"].probes
    assert probes is not None
    questions = probes(lesson.probe(np.random.default_rng(seed)))

    def answers(switches: dict[str, Any]):
        for args in questions:
            with np.errstate(all="ignore"):
                try:
                    yield tuple(np.asarray(part, np.float32) for part in variant(**switches)(*args))
                except (ValueError, IndexError):
                    yield None

    def alike(one, other) -> bool:
        if one is None or other is None:
            return one is other
        return all(
            a.shape == b.shape and np.allclose(a, b, rtol=2e-3, atol=2e-3, equal_nan=True)
            for a, b in zip(one, other, strict=True)
        )

    theirs = list(answers(pair[0].switches | pair[1].switches))
    singles = [one for one in MISCONCEPTIONS.values() if one.function == "attend"]
    candidates = [(), *((one,) for one in singles), *PAIRS]
    return [
        {one.name for one in candidate}
        for candidate in candidates
        if all(map(alike, theirs, answers({k: v for one in candidate for k, v in one.switches.items()})))
    ]


@pytest.mark.parametrize("pair", SOME_PAIRS, ids=lambda pair: f"{pair[0].name}+{pair[1].name}")
def test_two_mistakes_at_once_are_both_named_when_nothing_else_gives_the_same_answers(lesson, pair):
    names = named(examine(lesson, student_with(lesson, *pair), seed=3))
    possible = explanations(lesson, *pair, seed=3)
    truth = {one.name for one in pair}
    assert truth in possible
    if possible == [truth]:
        assert names == truth
    else:
        assert any(names <= explanation for explanation in possible)


def test_most_pairs_are_named_in_full(lesson):
    pairs = random.Random(1).sample(PAIRS, 40)
    full = [
        pair
        for pair in pairs
        if named(examine(lesson, student_with(lesson, *pair), seed=1)) == {one.name for one in pair}
    ]
    assert len(full) >= 28


def test_a_missing_scale_and_a_softmax_over_the_queries_are_both_named(lesson):
    pair = (MISCONCEPTIONS["no-scale"], MISCONCEPTIONS["softmax-over-queries"])
    first = trouble(examine(lesson, student_with(lesson, *pair), seed=0))[0]
    assert {one.title for one in first.diagnosis} == {one.title for one in pair}
    assert all(len(one.hints) == 3 for one in first.diagnosis)


@pytest.mark.parametrize("seed", range(12))
def test_the_reference_passes_and_is_never_diagnosed(lesson, seed):
    outcomes = examine(lesson, student_with(lesson), seed=seed)
    assert trouble(outcomes) == []
    assert all(one.diagnosis == () for one in outcomes)


def sharpened(q, k, v):
    weights = scaled_dot_product_attention(q, k, v)[1] ** 1.1
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def blurred(q, k, v):
    weights = 0.9 * scaled_dot_product_attention(q, k, v)[1] + 0.1 / len(k)
    return weights @ v, weights


@pytest.mark.parametrize("attend", [sharpened, blurred])
def test_a_mistake_that_nobody_foresaw_gets_no_name_but_numbers_to_retype(lesson, attend):
    outcomes = examined(lesson, attend)
    assert named(outcomes) == set()
    witness = next(one.witness for one in trouble(outcomes) if one.witness is not None)
    assert set(witness.inputs) == {"q", "k", "v"}
    assert sum(array.size for array in witness.inputs.values()) <= 20
    mine = attend(*witness.inputs.values())
    assert any(witness.actual.shape == one.shape and np.allclose(witness.actual, one, atol=1e-6) for one in mine)
    right = scaled_dot_product_attention(*witness.inputs.values())
    assert any(witness.expected.shape == one.shape and np.allclose(witness.expected, one, atol=1e-6) for one in right)
    assert witness.largest_error == pytest.approx(abs(witness.actual - witness.expected)[witness.index])


def test_a_scale_that_nobody_foresaw_is_measured(lesson):
    message = next(one.message for one in trouble(examined(lesson, sharpened)) if one.check == "scale_calibration")
    assert "multiplied by 0.55 where 1/√4 = 0.5 is right" in message


def test_a_function_that_always_raises_gets_no_name(lesson):
    def broken(q, k, v):
        raise ValueError("not yet right")

    outcomes = examined(lesson, broken)
    assert trouble(outcomes)[0].verdict is Verdict.ERROR
    assert named(outcomes) == set()


def test_answers_learned_by_heart_from_the_lesson_fail_with_a_reason(lesson):
    def by_heart(q, k, v):
        if q.shape == (2, 2):
            return scaled_dot_product_attention(q, k, v)
        return np.full((len(q), v.shape[1]), 2.0), np.full((len(q), len(k)), 1 / 3)

    outcomes = examined(lesson, by_heart)
    caught = {one.check for one in trouble(outcomes)}
    assert {"rows_sum_to_one", "uniform_query"} <= caught
    assert all(one.message for one in trouble(outcomes))
    assert next(one for one in outcomes if one.check == "numpy_oracle").verdict is not Verdict.PASS
    assert named(outcomes) == set()


def test_a_wrong_variable_is_diagnosed_without_accusing_the_function(lesson):
    attend = lesson.families["attend"].variant()
    actual = lesson.answers(attend)["actual"]
    outcomes = examined(lesson, attend, mismatched=actual)
    assert [one.check for one in trouble(outcomes)] == ["mismatched_differs"]
    assert named(outcomes) == {"mismatched-both"}
    outcomes = examined(lesson, attend, mismatched=actual + 1)
    assert [one.check for one in trouble(outcomes)] == ["mismatched_differs"]
    assert named(outcomes) == set()


# ---- diagnose on a family as small as can be: f(x) = x + a + b --------------------------

SUM = family("f", variant=lambda *, a=0.0, b=0.0: lambda x: x + a + b)


def mistake(name: str, title: str = "", **switches: float) -> Misconception:
    one = misconception(name, of="f", **switches)
    return Misconception(name, title or name, "f", one.switches, ("ask", "relate", "look"))


def observed(*shifts: float) -> list[Observation]:
    x = np.arange(3.0, dtype=np.float32)
    return [Observation("f", (x,), Reply("values", (x + np.float32(shift),))) for shift in shifts]


def names_of(mistakes: Sequence[Misconception], observations: Sequence[Observation]) -> list[str]:
    return [one.name for one in diagnose(SUM, mistakes, observations)]


def test_two_mistakes_of_one_title_share_a_message_and_two_titles_cancel_out():
    assert names_of([mistake("one", "the same", a=1.0), mistake("two", "the same", b=1.0)], observed(1.0)) == ["one"]
    assert names_of([mistake("one", a=1.0), mistake("two", b=1.0)], observed(1.0)) == []


def test_a_name_has_to_explain_every_answer():
    assert names_of([mistake("one", a=1.0)], observed(1.0, 1.0)) == ["one"]
    assert names_of([mistake("one", a=1.0)], observed(1.0, 1.1)) == []
    assert names_of([mistake("one", a=1.0)], observed(0.0)) == []


def test_of_pairs_that_share_a_member_the_first_is_named():
    one, two, three = mistake("one", a=1.0), mistake("two", b=2.0), mistake("three", a=2.0)
    assert names_of([one, two, three], observed(3.0)) == ["one", "two"]
    assert names_of([one, three], observed(3.0)) == []
    assert names_of([one, two, mistake("two again", b=2.0)], observed(3.0)) == ["one", "two"]


def test_nan_matches_nan_and_nothing_else():
    def variant(*, root=False):
        return lambda x: np.log(x - 1) if root else softmax(x)

    logs = family("f", variant=variant)
    x = np.array([0.0, 3.0], dtype=np.float32)
    answer = np.array([np.nan, np.log(2.0)], dtype=np.float32)
    seen = [Observation("f", (x,), Reply("values", (answer,)))]
    assert [one.name for one in diagnose(logs, [mistake("logarithm", root=True)], seen)] == ["logarithm"]
    finite = [Observation("f", (x,), Reply("values", (np.nan_to_num(answer),)))]
    assert diagnose(logs, [mistake("logarithm", root=True)], finite) == ()
