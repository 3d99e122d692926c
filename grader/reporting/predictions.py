"""Predictions beside what happened, as a learner reads them in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

Judged = Literal["right", "wrong", "open"]
SHOWN = 5
SIGNS = {"right": ("✓", "green"), "wrong": ("✗", "red"), "open": ("○", "yellow")}


@dataclass(frozen=True)
class Compared:
    """A recorded prediction beside what happened, everything as text; ``at`` is a time in ISO 8601.

    ``happened`` is what the learner's own run shows, if anything; ``right`` the lesson's answer, which an open
    prediction does not tell.
    """

    name: str
    section: str
    question: str
    predicted: str
    reason: str
    happened: str
    right: str
    because: str
    judged: Judged
    at: str
    lesson_changed: bool
    afterwards: bool = False  # made when the learner's file had passed before


def summary(compared: Sequence[Compared]) -> str:
    """How many came true: "3 of 4 right, 1 open"."""
    still = sum(one.judged == "open" for one in compared)
    right = sum(one.judged == "right" for one in compared)
    return f"{right} of {len(compared)} right" + (f", {still} open" if still else "")


def print_predictions(
    compared: Sequence[Compared], console: Console, *, unmade: int, command: str, verbose: bool = False
) -> None:
    """Print the block that ends a report; ``command`` asks for the predictions that are not made yet.

    When there are many, only those that did not come true are shown in full, unless ``verbose``.
    """
    if not compared:
        return
    console.print(Text.assemble("\n", ("Your predictions: ", "bold"), summary(compared)))
    shown = [one for one in compared if verbose or len(compared) <= SHOWN or one.judged == "wrong"]
    for one in shown:
        console.print(Padding(Text.assemble(SIGNS[one.judged], f" {one.question}"), (0, 0, 0, 2)))
        beside = " · ".join(f"{label} {text}" for label, text in (("predicted", one.predicted), *happened(one)))
        console.print(Padding(Text(beside), (0, 0, 0, 6)))
        if one.judged == "wrong":
            console.print(Padding(Text(one.because, style="dim"), (0, 0, 0, 6)))
    if len(shown) < len(compared):
        console.print(Text("  --verbose shows each of them beside what happened.", style="dim"))
    if unmade:
        console.print(Text(f"  {unmade} more to make: {command}", style="dim"))


def happened(one: Compared) -> list[tuple[str, str]]:
    """What there is to say beside a prediction, as labels with texts."""
    rows = [("happened", one.happened), ("right", "" if one.right in (one.happened, one.predicted) else one.right)]
    if one.afterwards:
        rows.append(("note:", "made after your file had passed"))
    if one.lesson_changed:
        rows.append(("note:", "the lesson has changed since you predicted"))
    elif one.judged == "open":
        rows.append(("open:", "main.py is not right here yet" if one.happened else "main.py does not show it yet"))
    return [(label, text) for label, text in rows if text]
