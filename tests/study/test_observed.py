"""What a run shows: a variable with whole numbers as indices, and nothing that is evaluated."""

from __future__ import annotations

import numpy as np
import pytest

from grader.authoring.numpy_student import NumpyProgram
from grader.errors import LessonError
from grader.study.predicting.observed import parse, read


@pytest.mark.parametrize(
    ("expression", "name", "indices"),
    [("w", "w", ()), ("w[0]", "w", (0,)), ("w_new[0, -1]", "w_new", (0, -1)), ("w[1][2]", "w", (1, 2))],
)
def test_a_variable_and_its_indices_are_read(expression, name, indices):
    assert parse(expression) == (name, indices)


@pytest.mark.parametrize(
    "expression", ["", "w[", "w[i]", "w[0:1]", "w[True]", "w[0.5]", "w.shape", "f(w)", "__import__('os')", "w[f()]"]
)
def test_anything_else_is_refused_and_never_evaluated(expression):
    with pytest.raises(LessonError, match="whole numbers as indices"):
        parse(expression)


def test_values_come_from_the_run_and_what_it_lacks_is_left_out():
    program = NumpyProgram({}, {"w": np.arange(6.0).reshape(2, 3), "one": np.float32(4)})
    found = read(program, ["w[1, 2]", "w[-1]", "w[2]", "w[0, 0, 0]", "one", "one[0]", "missing"])
    assert {name: value.tolist() for name, value in found.items()} == {"w[1, 2]": 5, "w[-1]": [3, 4, 5], "one": 4}
