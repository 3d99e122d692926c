"""transformers-06: its odd right and wrong answers, its figure."""

from __future__ import annotations

import numpy as np
import pytest

from grader.authoring.numpy_student import NumpyProgram
from grader.checking.examine import examine
from grader.lesson import import_file, load_lesson
from grader.model import Lesson, Verdict
from grader.oracle.losses import cost_gradient, token_costs

ID = "transformers-06"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(ID)


def test_a_figure_shows_a_learners_own_mean_of_means(lesson, tmp_path):
    figures = import_file(lesson.folder / "figures.py")
    (mistake, *_) = [one for one in lesson.misconceptions if one.name == "mean-of-means"]
    figures.draw(tmp_path, lm_loss=lesson.families["lm_loss"].variant(**mistake.switches))
    assert "mean over targets: 0.804" in (tmp_path / "ragged-batch.txt").read_text(encoding="utf-8")


def outcomes_with(lesson: Lesson, **changed: object):
    """The reference's variables with some of them changed, examined."""
    functions = {name: lesson.families[name].variant() for name in lesson.functions}
    answers = {**lesson.answers(**functions), **changed}
    return {one.check: one for one in examine(lesson, NumpyProgram(functions, answers), seed=0)}


@pytest.mark.parametrize(
    ("logits", "target"), [([5, 0, 0, 0, 0], 4), ([-1, -2, 30, -4, -5], 0), ([0, 0, 0, 0, 0.5], 1)]
)
def test_any_logits_and_any_word_that_is_not_the_favourite_are_right(lesson, logits, target):
    outcomes = outcomes_with(
        lesson,
        my_logits=np.array(logits),
        my_target=np.array(target),
        my_cost=token_costs(logits, target),
        my_slope=cost_gradient(logits, target),
    )
    assert {one.verdict for one in outcomes.values() if one.max_points} == {Verdict.PASS}


@pytest.mark.parametrize(
    ("change", "check", "said"),
    [
        ({"my_target": np.array(4)}, "own_cost", "which has the largest of your logits"),
        ({"my_target": np.array(5)}, "own_cost", "a whole number from 0 to 4"),
        ({"my_logits": np.zeros(4)}, "own_slope", "my_logits has shape (4,) where (5,) is right"),
        ({"tokens": np.ones((2, 6))}, "two_texts", "the tokens of the two texts as they came"),
        ({"bits_per_byte": np.array([0.7381, 0.8143])}, "bits", "in bits (over ln 2)"),
    ],
)
def test_an_exercise_that_went_wrong_says_so(lesson, change, check, said):
    outcomes = outcomes_with(lesson, **change)
    assert outcomes[check].verdict is Verdict.FAIL
    assert said in outcomes[check].message


def test_a_mistake_is_reported_once_and_what_builds_on_it_waits(lesson):
    (mistake, *_) = [one for one in lesson.misconceptions if one.name == "mask-not-shifted"]
    functions = {name: lesson.families[name].variant() for name in lesson.functions}
    functions["lm_loss"] = lesson.families["lm_loss"].variant(**mistake.switches)
    program = NumpyProgram(functions, lesson.answers(**functions))
    outcomes = {one.check: one for one in examine(lesson, program, seed=0)}
    assert [name for name, one in outcomes.items() if one.verdict is Verdict.FAIL] == ["one_logit_at_a_time"]
    assert outcomes["two_texts"].verdict is Verdict.SKIP
    assert outcomes["perplexity_oracle"].verdict is Verdict.PASS
