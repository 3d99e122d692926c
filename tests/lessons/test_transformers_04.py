"""transformers-04: the conventions that it accepts, its odd answers, its figure."""

from __future__ import annotations

import numpy as np
import pytest

from grader.authoring.numpy_student import NumpyProgram
from grader.checking.examine import examine
from grader.lesson import import_file, load_lesson
from grader.model import Lesson, Verdict
from grader.oracle.positions import CONVENTIONS, HALVES, NEIGHBOURS, Convention, rope, sinusoid

ID = "transformers-04"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(ID)


def test_every_function_has_two_pairings(lesson):
    assert {len(lesson.families[name].conventions) for name in lesson.functions} == {2}


# ---- conventions ---------------------------------------------------------------------------------


def student(lesson: Lesson, convention: Convention, **changed: object) -> NumpyProgram:
    """A right student of this convention, with some variables changed."""

    def mine(x, positions, base):
        return rope(x, positions, base, convention)

    def table(length, width):
        return sinusoid(length, width, HALVES if convention.halves else NEIGHBOURS)

    functions = {"sinusoid": table, "rope": mine, "repaired_rope": mine}
    return NumpyProgram(functions, {**lesson.answers(**functions), **changed})


@pytest.mark.parametrize("convention", CONVENTIONS, ids=str)
def test_a_convention_costs_nothing_and_is_named(lesson, convention):
    outcomes = {one.check: one for one in examine(lesson, student(lesson, convention), seed=5)}
    assert {one.verdict for one in outcomes.values() if one.max_points} == {Verdict.PASS}
    assert outcomes["rope_convention"].verdict is Verdict.PASS
    assert str(convention) in outcomes["rope_convention"].message


def test_one_pairing_at_one_width_and_the_other_elsewhere_is_wrong(lesson):
    right = student(lesson, NEIGHBOURS)

    def fickle(x, positions, base):
        return rope(x, positions, base, HALVES if x.shape[-1] == 12 else NEIGHBOURS)

    program = NumpyProgram({**right._functions, "rope": fickle}, right._variables)
    failed = [one for one in examine(lesson, program, seed=5) if one.verdict is Verdict.FAIL]
    assert [one.check for one in failed] == ["rope_oracle"]
    assert "neighbouring pairs (2j, 2j + 1), turned forwards" in failed[0].message


# ---- exercises -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([[5, 3], [42, 40], [9, 7]], "one has to differ"),
        ([[5, 3], [40, 42], [9, 3]], "two have to be equal"),
        ([[5, 3], [5, 3], [9, 3]], "are the same; move both positions of one"),
        ([[5, 3], [42, 40], [9, -3]], "whole numbers from 0 to 1000"),
        ([[5.5, 3.5], [42, 40], [9, 3]], "whole numbers from 0 to 1000"),
    ],
)
def test_places_that_show_nothing_are_refused(lesson, places, said):
    outcomes = {one.check: one for one in examine(lesson, student(lesson, HALVES, places=np.array(places)), seed=0)}
    assert outcomes["places_chosen"].verdict is Verdict.FAIL
    assert said in outcomes["places_chosen"].message


def test_a_figure_shows_a_learners_own_wheels_in_any_convention(lesson, tmp_path):
    figures = import_file(lesson.folder / "figures.py")
    for number, convention in enumerate(CONVENTIONS):
        figures.draw(tmp_path / str(number), rope=lambda x, p, base, c=convention: rope(x, p, base, c))
    drawn = {(tmp_path / str(number) / "pair-wheels.json").read_text("utf-8") for number in range(4)}
    assert len(drawn) == 1
    figures.draw(tmp_path / "degrees", rope=lambda x, p, base: rope(x, np.deg2rad(p), base))
    assert (tmp_path / "degrees" / "pair-wheels.json").read_text("utf-8") not in drawn
