"""Conventions that are equally right: accepted, no obstacle to a diagnosis, and named by a check that passes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grader.authoring.numpy_student import NumpyProgram, student_with
from grader.checking import advice, family, misconception
from grader.checking.examine import examine
from grader.checking.misconception import diagnose, fitting
from grader.checking.student import Observation
from grader.model import Reply, Verdict

TURNED = {"sign": -1.0}
RELATED = family("f", variant=lambda *, sign=1.0, factor=1.0: lambda x: sign * factor * x, conventions=({}, TURNED))
DOUBLED = misconception("doubled", of="f", factor=2.0)
SHIFTED = misconception("halved", of="f", factor=0.5)


def observed(function) -> list[Observation]:
    x = np.array([1.0, 2.0])
    return [Observation("f", (x,), Reply("values", (function(x),)))]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_mistake_is_named_in_either_convention_and_a_right_answer_in_none(sign):
    assert [one.name for one in diagnose(RELATED, [DOUBLED, SHIFTED], observed(lambda x: 2 * sign * x))] == ["doubled"]
    assert diagnose(RELATED, [DOUBLED, SHIFTED], observed(lambda x: sign * x)) == ()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_reference_of_a_student_has_the_students_convention(sign):
    assert fitting(RELATED, observed(lambda x: sign * x))(1.0) == sign


def test_what_a_passing_check_returns_is_its_remark(lesson):
    @advice(exercise="attend", proves="a phrase for all")
    def remarks(student, probe):
        """Which one it is."""
        return "this one"

    program: NumpyProgram = student_with(lesson)
    (outcome,) = examine(replace(lesson, checks=(remarks,)), program, seed=0)
    assert (outcome.verdict, outcome.message) == (Verdict.PASS, "this one")
