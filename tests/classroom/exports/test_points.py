"""Points: rounded once, at the boundary."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.exports.points import Points, number, parse_points, read_number, written
from grader.errors import UsageError


def test_max_keeps_the_score_and_a_number_scales_it():
    assert written(parse_points("max").of(7, 28)) == "7"
    assert written(parse_points("100").of(7, 28)) == "25"
    assert written(parse_points("10").of(1, 3)) == "3.33"
    assert written(parse_points("10").of(2, 3), decimal_comma=True) == "6,67"
    assert written(parse_points("1").of(1, 8)) == "0.13"  # half a hundredth goes up
    assert written(parse_points("1000").of(28, 28)) == "1000"


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "all", "", "1e99"])
def test_what_is_no_number_of_points_is_refused(text):
    with pytest.raises(UsageError, match="not a number of points"):
        parse_points(text)


@given(full=st.integers(1, 1000), most=st.integers(1, 200), data=st.data())
def test_full_marks_are_full_points_and_more_is_never_less(full, most, data):
    points = Points(Decimal(full))
    score = data.draw(st.integers(0, most - 1))
    assert points.of(most, most) == full
    assert points.of(0, most) == 0
    assert points.of(score, most) <= points.of(score + 1, most)
    value = points.of(score, most)
    assert read_number(written(value)) == value == read_number(written(value, decimal_comma=True))
    assert float(number(value)) == float(value)


@pytest.mark.parametrize("text", ["", "EX", "1e999999999", "nan", "1,234.5", "--"])
def test_what_is_no_plain_number_is_none(text):
    assert read_number(text) is None
