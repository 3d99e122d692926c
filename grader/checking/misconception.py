"""Naming the mistake: the student's own answers, matched against wrong oracles."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from grader.checking.compare import rounded_to_half
from grader.checking.student import Observation
from grader.model import Argument, Array, Diagnosis, Family, Misconception
from grader.signature import arrays_in, as_computed

# Answers come in float32 from large scores too: looser than a check, far below the distance of two mistakes.
MATCH = 5e-4

# Inputs up to here are of ordinary size: right answers in 16 bits are off by rounding only.
ORDINARY = 10.0

HALF_HINTS = (
    "Which dtype do your arrays have from the first line to the last? Print it after every step.",
    "The inputs are float32 and keep 7 digits. Your answers keep 3: every one of them is exact in a 16-bit format.",
    "Look for astype, dtype= or a half-precision constant and leave the float32 as it comes.",
)

Function = Callable[..., Any]


def misconception(name: str, *, of: str, **switches: Any) -> Misconception:
    """A mistake in the function ``of``, as the parts that it replaces; title and hints come from lesson.toml."""
    return Misconception(name=name, title=name, function=of, switches=switches, hints=())


def family(
    function: str,
    *,
    variant: Callable[..., Function],
    probes: Callable[[Any], Sequence[tuple[Argument, ...]]] | None = None,
    given: Sequence[str] = (),
    conventions: Sequence[Mapping[str, Any]] = ({},),
) -> Family:
    """All computations of a function or a variable, right and wrong; see Family."""
    return Family(function, variant, probes, tuple(given), tuple(conventions))


def diagnose(
    related: Family, misconceptions: Sequence[Misconception], observations: Sequence[Observation]
) -> tuple[Diagnosis, ...]:
    """The one misconception, else the pair, that gives all of these answers; else half precision; else nothing.

    Pairs that fit and have a member in common give the same numbers in two ways: the first in the order of the
    lesson is named, since that order goes from common to rare. Pairs without a common member name nothing.
    """
    if _explain(related, {}, observations) or not any(one.reply.kind == "values" for one in observations):
        return ()
    mine = [one for one in misconceptions if one.function == related.function]
    single = [one for one in mine if _explain(related, one.switches, observations)]
    if single:
        return (_diagnosis(single[0]),) if len({one.title for one in single}) == 1 else ()
    pairs = [
        (one, other)
        for one, other in itertools.combinations(mine, 2)
        if not one.switches.keys() & other.switches.keys()
        and _explain(related, {**one.switches, **other.switches}, observations)
    ]
    if pairs and set.intersection(*({one.name, other.name} for one, other in pairs)):
        return tuple(_diagnosis(one) for one in pairs[0])
    return _half_precision(related, observations)


def _explain(related: Family, switches: Mapping[str, Any], observations: Sequence[Observation]) -> bool:
    """Whether these parts give every answer that was observed, in one of the conventions."""
    return any(
        matches(related.variant(**{**convention, **switches}), observations) for convention in related.conventions
    )


def fitting(related: Family, observations: Sequence[Observation]) -> Function:
    """The right function in the convention that agrees with most answers; the first where several do."""
    right = [related.variant(**convention) for convention in related.conventions]
    return max(right, key=lambda function: sum(matches(function, [one]) for one in observations))


def _half_precision(related: Family, observations: Sequence[Observation]) -> tuple[Diagnosis, ...]:
    """A diagnosis if the answers are right to three digits and all of them survive a 16-bit format."""
    values = []
    reference = fitting(related, observations)
    for one in observations:
        right = evaluate(reference, one.args)
        ordinary = max((float(np.abs(arg).max()) for arg in arrays_in(one.args) if arg.size), default=0.0) <= ORDINARY
        if right is None or one.reply.kind != "values" or not ordinary:
            continue
        for got, wanted in zip(one.reply.values, right, strict=False):
            if got.shape != wanted.shape or not np.allclose(got, wanted, rtol=0.02, atol=0.02):
                return ()
            values.append(np.asarray(got, np.float64).ravel())
    found = rounded_to_half(np.concatenate(values)) if values else ""
    return (Diagnosis("half-precision", f"computed in {found}, which keeps 3 digits", HALF_HINTS),) if found else ()


def _diagnosis(one: Misconception) -> Diagnosis:
    return Diagnosis(one.name, one.title, one.hints)


def matches(function: Function, observations: Sequence[Observation]) -> bool:
    """Whether ``function`` gives every answer that was observed, errors included."""
    return all(_same(evaluate(function, one.args), one) for one in observations)


def evaluate(function: Function, args: Sequence[Argument]) -> tuple[Array, ...] | None:
    """``function`` in float64 as a tuple of arrays; None when it raises, as NumPy does for shapes."""
    with np.errstate(all="ignore"):
        try:
            result = function(*map(as_computed, args))
        except (ValueError, IndexError, TypeError, ZeroDivisionError):
            return None
    return tuple(np.asarray(part) for part in (result if isinstance(result, tuple) else (result,)))


def _same(expected: tuple[Array, ...] | None, observation: Observation) -> bool:
    reply = observation.reply
    if expected is None or reply.kind == "error":
        return expected is None and reply.kind == "error"
    if reply.kind != "values" or len(reply.values) != len(expected):
        return False
    return all(
        got.shape == wanted.shape and _close(np.asarray(got, np.float64), wanted)
        for got, wanted in zip(reply.values, expected, strict=True)
    )


def _close(got: Array, wanted: Array) -> bool:
    if not np.array_equal(np.isfinite(got), np.isfinite(wanted)):
        return False
    return np.allclose(got, wanted, rtol=MATCH, atol=MATCH, equal_nan=True)
