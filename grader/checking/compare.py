"""Comparing arrays: shape first, then what is not finite, then values within a tolerance."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from grader.errors import Failure
from grader.model import Array, Witness

# Answers are float32, references float64. On the probes of the lessons a right answer, however
# it is written, is off by at most 3.6e-7 at unit scale (benchmarks/tolerance.py measures it), and
# every misconception by more than 0.1: the tolerance is over 20 times from both.
TOLERANCE = 8e-6


def expect(condition: object, message: str) -> None:
    """Raise Failure with ``message`` unless ``condition`` holds."""
    if not condition:
        raise Failure(message)


def expect_close(
    actual: ArrayLike,
    expected: ArrayLike,
    because: str,
    *,
    what: str = "output",
    tolerance: float = TOLERANCE,
    inputs: Mapping[str, Array] | None = None,
) -> None:
    """Raise Failure unless ``actual`` has the shape of ``expected`` and its values.

    Close means |actual - expected| ≤ tolerance · max(1, |expected|). NaN is close to
    nothing. ``because`` is the relation in words; it opens the message.
    """
    got, wanted = np.asarray(actual, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    if got.shape != wanted.shape:
        raise Failure(f"{because} {what} has shape {got.shape} where {wanted.shape} is right.")
    with np.errstate(invalid="ignore"):
        error = np.abs(got - wanted)
    error = np.where(got == wanted, 0.0, np.where(np.isfinite(got) & np.isfinite(wanted), error, np.inf))
    excess = error - tolerance * np.maximum(1.0, np.abs(np.where(np.isfinite(wanted), wanted, 0.0)))
    if not (excess > 0).any():
        return
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(excess)), excess.shape))
    witness = Witness(dict(inputs or {}), wanted, got, index, tolerance, float(error[index]))
    raise Failure(f"{because} {describe_difference(what, got, wanted, index)}", witness=witness)


def expect_different(actual: ArrayLike, other: ArrayLike, because: str, *, what: str = "output") -> None:
    """Raise Failure unless the two arrays differ somewhere by more than 1e-3."""
    got, reference = np.asarray(actual, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if got.shape == reference.shape and np.allclose(got, reference, rtol=0, atol=1e-3, equal_nan=True):
        raise Failure(f"{because} {what} stayed the same.")


def describe_difference(what: str, got: Array, wanted: Array, index: tuple[int, ...]) -> str:
    """One sentence: where the largest difference is, what came and what is right."""
    if np.isnan(got[index]):
        return f"{what} holds NaN, which is not a number, at [{', '.join(map(str, index))}]."
    place = f"{what}[{', '.join(map(str, index))}]" if index else what
    half = rounded_to_half(got) if np.allclose(got, wanted, rtol=0.02, atol=0.02) else ""
    precision = f" All of your numbers are exact in {half}: compute in float32." if half else ""
    return f"{place} is {number(got[index])} where {number(wanted[index])} is right.{precision}"


def rounded_to_half(values: Array) -> str:
    """ "float16" or "bfloat16" if every one of several uneven values survives that precision, else ""."""
    finite = values[np.isfinite(values)]
    if np.unique(finite).size < 4:
        return ""  # a few round numbers survive by chance
    if np.array_equal(np.round(finite * 64), finite * 64):
        return ""  # round numbers survive any precision
    bits = np.ascontiguousarray(finite, dtype=np.float32).view(np.uint32)
    if not (bits & 0xFFFF).any():  # 8 bits of precision: most of these are exact in float16 too
        return "bfloat16"
    if np.array_equal(np.round(finite * 512), finite * 512):
        return ""
    with np.errstate(over="ignore"):
        return "float16" if np.array_equal(finite.astype(np.float16).astype(np.float64), finite) else ""


def number(value: float) -> str:
    """A number as a person writes it: 2, 0.4718, 1.5e-07, nan."""
    return f"{float(value):.6g}"
