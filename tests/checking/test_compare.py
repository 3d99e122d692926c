"""Comparing arrays: what is close, what is not, and the message and numbers that say so."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.checking import expect, expect_close, expect_different
from grader.checking.compare import TOLERANCE
from grader.errors import Failure
from grader.model import Verdict, Witness

NUMBERS = st.sampled_from(
    [0.0, -0.0, 1.0, 1.0 + TOLERANCE / 2, 1.0 + 3 * TOLERANCE, 1e6, 1e6 + 1, 1e6 + 100]
) | st.floats(width=32)


def failure_of(actual, expected, because="Because.", **more) -> Failure:
    with pytest.raises(Failure) as caught:
        expect_close(actual, expected, because, **more)
    assert caught.value.verdict is Verdict.FAIL
    return caught.value


def witness_of(actual, expected, **more) -> Witness:
    witness = failure_of(actual, expected, **more).witness
    assert witness is not None
    return witness


def close(got: float, wanted: float) -> bool:
    """The definition, number by number."""
    if math.isnan(got) or math.isnan(wanted):
        return False
    if math.isinf(got) or math.isinf(wanted):
        return got == wanted
    return abs(got - wanted) <= TOLERANCE * max(1.0, abs(wanted))


@settings(deadline=None)
@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=6))
def test_arrays_are_close_when_each_of_their_numbers_is(pairs):
    got, wanted = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    try:
        expect_close(got, wanted, "Because.")
    except Failure as failure:
        assert failure.witness is not None
        (index,) = failure.witness.index or ()
        assert not close(got[index], wanted[index])
    else:
        assert all(close(*pair) for pair in pairs)


@settings(deadline=None)
@given(hnp.arrays(np.float32, hnp.array_shapes(max_dims=3, max_side=4), elements=st.floats(allow_nan=False, width=32)))
def test_an_array_is_close_to_itself(x):
    expect_close(x, x, "Because.")
    expect_close(x.tolist(), x.astype(np.float64), "Because.")


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (np.ones(3), np.ones((1, 3))),
        (np.ones((3, 1)), np.ones((3, 3))),
        (np.float64(1), np.ones(1)),
        (np.ones((2, 3)), np.ones((3, 2))),
        (np.ones((0, 3)), np.ones((1, 3))),
    ],
)
def test_shapes_are_compared_before_values_and_never_broadcast(actual, expected):
    failure = failure_of(actual, expected, "Rows sum to 1.", what="weights")
    assert failure.message == (
        f"Rows sum to 1. weights has shape {np.shape(actual)} where {np.shape(expected)} is right."
    )
    assert failure.witness is None


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (np.nan, np.nan),
        (np.nan, 0.0),
        (0.0, np.nan),
        (np.inf, -np.inf),
        (np.inf, 1e300),
        (1e300, np.inf),
        (-np.inf, np.nan),
    ],
)
def test_what_is_not_finite_is_close_to_nothing_but_the_same_infinity(actual, expected):
    witness = witness_of([1.0, actual], [1.0, expected])
    assert witness.index == (1,)
    assert witness.largest_error == np.inf
    expect_close([np.inf, -np.inf], [np.inf, -np.inf], "Because.")


def test_the_message_names_the_relation_the_place_and_both_numbers():
    actual, expected = np.zeros((2, 3)), np.zeros((2, 3))
    actual[1, 2], expected[1, 2], actual[0, 0] = 0.75, 0.5, 0.01
    failure = failure_of(actual, expected, "Each query gets 1/2.", what="weights")
    assert failure.message == "Each query gets 1/2. weights[1, 2] is 0.75 where 0.5 is right."
    witness = failure.witness
    assert witness is not None
    assert (witness.index, witness.largest_error, witness.tolerance) == ((1, 2), 0.25, TOLERANCE)
    np.testing.assert_array_equal(witness.actual, actual)
    np.testing.assert_array_equal(witness.expected, expected)


def test_the_place_is_where_the_tolerance_is_exceeded_most_not_where_numbers_are_large():
    assert witness_of([1e6 + 1, 0.9], [1e6, 0.0]).index == (1,)


def test_a_single_number_is_named_without_an_index():
    assert failure_of(2.0, 3.0, what="factor").message == "Because. factor is 2 where 3 is right."


def test_the_tolerance_of_the_caller_counts():
    expect_close([1.0004], [1.0], "Because.", tolerance=1e-3)
    assert witness_of([1.002], [1.0], tolerance=1e-3).tolerance == 1e-3


def test_inputs_of_the_caller_are_in_the_witness():
    np.testing.assert_array_equal(witness_of([1.0], [2.0], inputs={"q": np.eye(2)}).inputs["q"], np.eye(2))


UNEVEN = np.array([0.1, 0.7, -1.3, 2.9, 1 / 3])


def test_answers_computed_in_float16_are_recognised():
    assert "exact in float16: compute in float32" in failure_of(UNEVEN.astype(np.float16), UNEVEN).message


def test_answers_computed_in_bfloat16_are_recognised():
    bits = UNEVEN.astype(np.float32).view(np.uint32) & 0xFFFF0000
    assert "exact in bfloat16: compute in float32" in failure_of(bits.view(np.float32), UNEVEN).message


@pytest.mark.parametrize(
    "actual",
    [
        (UNEVEN + 0.01).astype(np.float32),
        np.array([0.25, 0.5, 0.125, 2.0, 1.0]),  # round numbers survive any precision
        np.array([0.1, 0.1, 0.1, 0.1, 0.1]).astype(np.float16),  # one number is no pattern
        np.array([np.nan, np.inf, 1.0, 2.0, 3.0]),
    ],
)
def test_wrong_answers_in_full_precision_are_not_called_half(actual):
    assert "compute in float32" not in failure_of(actual, UNEVEN).message


def test_expect_different_fails_on_what_stayed_the_same():
    with pytest.raises(Failure, match=r"The values moved, but the output stayed the same\.") as caught:
        expect_different([1.0, 2.0], [1.0, 2.0 + 5e-4], "The values moved, but the")
    assert caught.value.witness is None


@pytest.mark.parametrize("nothing", [np.full(2, np.nan), np.full(2, np.inf)])
def test_expect_different_does_not_take_two_times_nothing_for_a_change(nothing):
    with pytest.raises(Failure, match="stayed the same"):
        expect_different(nothing, nothing, "The")


@pytest.mark.parametrize("actual", [[1.0, 2.002], [1.0, np.nan], [1.0, 2.0, 3.0], [[1.0, 2.0]]])
def test_expect_different_accepts_another_number_or_another_shape(actual):
    expect_different(actual, [1.0, 2.0], "The")


def test_expect_raises_its_message_unless_the_condition_holds():
    expect(np.bool_(True), "never")
    with pytest.raises(Failure, match="a weight is negative"):
        expect(np.bool_(False), "a weight is negative")
