"""Numbers as people type them: what is understood, and what agrees with what."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grader.study.predicting.typed_numbers import NotUnderstood, agree, numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2),
        (" .33 ", 0.33),
        ("0.333", 0.333),
        ("1/3", 1 / 3),
        ("-1 / 4", -0.25),
        ("33%", 0.33),
        ("33 %", 0.33),
        ("-2", -2),
        ("\N{MINUS SIGN}2", -2),
        ("+2", 2),
        ("1e-3", 0.001),
        ("[2]", 2),
    ],
)
def test_one_number_is_understood(text, value):
    (typed,) = numbers(text, count=1)
    assert typed.value == pytest.approx(value)


@pytest.mark.parametrize("text", ["2 2", "[2, 2]", "2, 2", "2,2", "(2, 2)", "[[2], [2]]", "2; 2", "2 2,", "4/2 200%"])
def test_several_numbers_are_understood_with_brackets_or_without(text):
    assert [one.value for one in numbers(text, count=2)] == [2, 2]


@pytest.mark.parametrize(
    ("text", "count", "said"),
    [
        ("1,5", 1, "1,5 could be two numbers; a decimal takes a point: 1.5"),
        ("0,33 0,67", 2, "4 numbers; expected are 2 numbers"),
        ("0,33 0,67", 2, "a decimal takes a point"),
        ("a third", 1, "a is no number; write it such as"),
        ("1/0", 1, "1/0 is no number"),
        ("1/2/3", 1, "1/2/3 is no number"),
        ("nan", 1, "nan is no number"),
        ("1e999", 1, "1e999 is no number"),
        ("[]", 1, "0 numbers; expected is a number"),
        ("1", 3, "1 number; expected are 3 numbers"),
        ("1" * 201, 1, "that is long"),
    ],
)
def test_what_is_not_understood_is_answered_with_what_is_expected(text, count, said):
    with pytest.raises(NotUnderstood) as caught:
        numbers(text, count=count)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("1/3", 1 / 3),
        ("0.333", 1 / 3),
        (".33", 1 / 3),
        ("0.3", 1 / 3),
        ("33%", 1 / 3),
        ("0.67", 2 / 3),
        ("0.66", 2 / 3),  # cut off
        (".1", 0.1084),
        ("2.7", 2.675),
        ("-0.67", -0.6748),
        ("2", 2.0000001),
        ("2", 1.99),
        ("0", 1e-17),
        ("0", 0.0),
        ("1e-3", 0.001),
        ("49000", 49152),
    ],
)
def test_a_number_agrees_at_the_precision_typed(text, right):
    assert agree(numbers(text, count=1), [right])


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("2", 1.5),
        ("1", 0.5),
        ("0", 0.1),
        ("0.0", 0.03),
        ("0.34", 1 / 3),
        ("0.32", 1 / 3),
        ("1/4", 1 / 3),
        ("12", 12.4),
        ("0.33", -1 / 3),
        ("0.001", 0.0),
        ("-0.67", -0.7),
    ],
)
def test_a_number_that_is_off_does_not_agree(text, right):
    assert not agree(numbers(text, count=1), [right])


@given(st.floats(-1e6, 1e6), st.integers(1, 6))
def test_whatever_is_right_may_be_typed_rounded(right, decimals):
    text = f"{right:.{decimals}f}"
    assume(float(text))
    assert agree(numbers(text, count=1), [right])


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=6))
def test_an_array_may_be_copied_as_python_prints_it(right):
    assume(all(not 0 < abs(value) < 1e-8 for value in right))
    assert agree(numbers(str(right), count=len(right)), right)


@given(st.text(), st.integers(1, 3))
def test_any_text_is_understood_or_answered(text, count):
    try:
        assert len(numbers(text, count=count)) == count
    except NotUnderstood as answer:
        assert str(answer)
