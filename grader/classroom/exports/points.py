"""Turning a score into the points of another gradebook, rounded here and nowhere before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from grader.errors import UsageError

PLACES = Decimal("0.01")  # what Canvas, Moodle and Gradescope show


@dataclass(frozen=True)
class Points:
    """How many points full marks are worth; None: as many as the lesson has."""

    full: Decimal | None = None

    def most(self, max_score: int) -> Decimal:
        """The points of full marks in a lesson with ``max_score``."""
        return Decimal(max_score) if self.full is None else self.full

    def of(self, score: int, max_score: int) -> Decimal:
        """``score`` of ``max_score`` in these points, to two places, halves up."""
        if self.full is None or max_score == 0:
            return Decimal(score)
        return (self.full * score / max_score).quantize(PLACES, rounding=ROUND_HALF_UP)


def parse_points(text: str) -> Points:
    """``max`` or a number above zero. Raises UsageError for anything else."""
    if text == "max":
        return Points()
    try:
        full = Decimal(text)
    except InvalidOperation:
        full = Decimal(0)
    if not full.is_finite() or not 0 < full <= 1_000_000:
        raise UsageError(f"--points {text}: not a number of points; write max, 100 or another number above zero")
    return Points(full)


def written(points: Decimal, *, decimal_comma: bool = False) -> str:
    """Points in as few digits as they need: 7, 7.5, 7.25."""
    text = f"{points:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace(".", ",") if decimal_comma else text


def number(value: Decimal) -> int | float:
    """Points as a number for JSON."""
    return int(value) if value == value.to_integral_value() else float(value)


def read_number(text: str) -> Decimal | None:
    """The number in a cell, with either decimal sign; None when it holds none."""
    plain = text.strip().replace(",", ".")
    return Decimal(plain) if re.fullmatch(r"-?[0-9]{1,12}(\.[0-9]{1,12})?", plain) else None


def seconds(report: Mapping[str, Any]) -> float:
    """How long all checks of a report took together, in seconds."""
    return round(sum(float(outcome["duration_s"]) for outcome in report["outcomes"]), 3)
