"""Numbers as a person types them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

CLOSE = 0.01  # relative: what a calculation in the head may be off
ZERO = 1e-9  # float64 leaves something like 1e-17 where zero is right
MINUS = str.maketrans(dict.fromkeys("\N{MINUS SIGN}\N{EN DASH}\N{NON-BREAKING HYPHEN}", "-"))
LONGEST = 200
FORMS = "such as 2, -0.5, .33, 1/3, 33% or 1e-3"


class NotUnderstood(Exception):
    """What was typed is not what was asked; the message says what is expected."""


@dataclass(frozen=True)
class Typed:
    """A number with the decimals it was typed with; None when it is exact, as 1/3 is."""

    value: float
    decimals: int | None

    def agrees(self, right: float) -> bool:
        """Whether this is ``right``, for a person: within 1 %, or ``right`` rounded to the decimals typed.

        0.33 and 0.333 are 1/3, and so is 0.3, since with decimals somebody says how far they looked. Two decimals
        or more may also be cut off: 0.66 is 2/3. A whole number says nothing of the kind, so 2 is not 1.5; nor does
        a zero, so 0.0 is not 0.03.
        """
        error = abs(self.value - right)
        if abs(right) < ZERO:
            return error < ZERO
        if error <= CLOSE * abs(right) * (1 + ZERO):
            return True
        if not self.decimals or self.decimals < 1 or not self.value:
            return False
        unit = 10.0**-self.decimals * (1 + ZERO)
        cut_off = self.decimals >= 2 and abs(self.value) < abs(right) and error < unit
        return error <= unit / 2 or cut_off


def numbers(text: str, *, count: int) -> tuple[Typed, ...]:
    """The ``count`` numbers in ``text``: bare, in brackets, with spaces or commas between them.

    Raises NotUnderstood. A comma is never taken for the decimal point: 1,5 is two numbers, or a mistake.
    """
    if len(text) > LONGEST:
        raise NotUnderstood(f"that is long; {_expected(count)}")
    plain = re.sub(r"\s*(/)\s*|\s+(%)", r"\1\2", text.translate(MINUS).strip())
    tokens = re.sub(r"[\[\](){};,]", " ", plain).split()
    if count == 1 and re.search(r",\d|\d,", plain):
        point = ".".join(tokens) if len(tokens) > 1 else f"0.{tokens[0]}"
        raise NotUnderstood(f"{text.strip()} could be two numbers; a decimal takes a point: {point}")
    found = tuple(_number(token) for token in tokens)
    if len(found) != count:
        comma = "; a decimal takes a point, as in 0.5" if re.search(r"\d,\d", plain) else ""
        raise NotUnderstood(f"{len(found)} {'number' if len(found) == 1 else 'numbers'}; {_expected(count)}{comma}")
    return found


def agree(typed: Sequence[Typed], right: Sequence[float]) -> bool:
    """Whether each of the numbers is the right one at its place."""
    return len(typed) == len(right) and all(one.agrees(other) for one, other in zip(typed, right, strict=True))


def _expected(count: int) -> str:
    return f"expected is a number, {FORMS}" if count == 1 else f"expected are {count} numbers, each {FORMS}"


def _number(token: str) -> Typed:
    number = token.removesuffix("%")
    if not re.fullmatch(r"[0-9.eE+/-]+", number):
        raise NotUnderstood(f"{token} is no number; write it {FORMS}")
    try:
        above, slash, below = number.partition("/")
        decimal = Decimal(above)
        value = float(above) / (float(below) if slash else 1.0) / (1.0 if number == token else 100.0)
    except (ValueError, InvalidOperation, ZeroDivisionError):
        value, decimal = math.nan, Decimal()
    exponent = decimal.as_tuple().exponent
    if not math.isfinite(value) or not isinstance(exponent, int):
        raise NotUnderstood(f"{token} is no number; write it {FORMS}")
    return Typed(value, None if slash else -exponent + (0 if number == token else 2))
