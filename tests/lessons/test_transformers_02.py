"""transformers-02: a figure of a learner's own, odd right and wrong answers, mistakes that are reported once."""

from __future__ import annotations

import numpy as np
import pytest

from grader.authoring.numpy_student import NumpyProgram
from grader.checking.examine import examine
from grader.lesson import import_file, load_lesson
from grader.model import Lesson, Verdict
from grader.oracle.causal import causal_attention

ID = "transformers-02"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(ID)


def test_a_figure_shows_a_learners_own_leak(lesson, tmp_path):
    figures = import_file(lesson.folder / "figures.py")
    figures.draw(tmp_path, causal_mask=lambda tq, tk: np.tri(tq, tk, 1, dtype=bool))
    assert "query 0: 1, 1, 0, 0; sum 2" in (tmp_path / "triangle.txt").read_text(encoding="utf-8")


def outcomes_with(lesson: Lesson, **changed: object):
    """The reference's variables with some of them changed, examined."""
    functions = {name: lesson.families[name].variant() for name in lesson.functions}
    answers = {**lesson.answers(**functions), **changed}
    return {one.check: one for one in examine(lesson, NumpyProgram(functions, answers), seed=0)}


@pytest.mark.parametrize("t", range(9))
def test_any_position_and_any_ending_is_right(lesson, t):
    functions = {name: lesson.families[name].variant() for name in lesson.functions}
    answers = lesson.answers(**functions)
    late = np.arange(10)[:, None] > t
    new_k, new_v = np.where(late, answers["k"] - 1.5, answers["k"]), np.where(late, 9.0, answers["v"])
    changed, _ = causal_attention(answers["q"], new_k, new_v)
    outcomes = outcomes_with(lesson, t=np.array(t), new_k=new_k, new_v=new_v, changed=changed)
    assert {one.verdict for one in outcomes.values() if one.max_points} == {Verdict.PASS}


@pytest.mark.parametrize(
    ("change", "check", "said"),
    [
        ({"t": np.array(9)}, "another_ending", "a position from 0 to 8"),
        ({"t": np.array(7)}, "another_ending", "the change begins with row 8, at[t + 1 :]"),
        ({"window_w": np.tri(10) / np.arange(1, 11)[:, None]}, "window_of_three", "keys i - 2, i - 1 and i"),
    ],
)
def test_an_exercise_that_went_wrong_says_so(lesson, change, check, said):
    outcomes = outcomes_with(lesson, **change)
    assert outcomes[check].verdict is Verdict.FAIL
    assert said in outcomes[check].message


def test_a_mistake_in_the_mask_is_reported_there_and_what_builds_on_it_waits(lesson):
    top_left = {one.function: one.switches for one in lesson.misconceptions if one.name == "top-left"}
    functions = {name: lesson.families[name].variant(**top_left.get(name, {})) for name in lesson.functions}
    program = NumpyProgram(functions, lesson.answers(**functions))
    outcomes = {one.check: one for one in examine(lesson, program, seed=0)}
    assert outcomes["aligned_at_the_end"].verdict is Verdict.FAIL
    assert outcomes["last_queries_alone"].verdict is Verdict.SKIP
    assert outcomes["running_mean"].verdict is Verdict.PASS
