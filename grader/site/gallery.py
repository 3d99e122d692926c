"""The gallery of a lesson's mistakes: each beside what is right, with the relation that exposes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.authoring.numpy_student import student_with
from grader.checking.examine import examine
from grader.checking.misconception import evaluate
from grader.drawing import COLOUR_MAP, readable_on
from grader.model import Argument, Array, Family, Lesson, Misconception, Verdict
from grader.reporting.numbers import typed
from grader.reporting.rendering import render
from grader.signature import arrays_in, named_inputs

SEED = 0
DIFFERENT = 5e-3  # in the three digits that are shown
ROWS_SHOWN = 6


@dataclass(frozen=True)
class Cell:
    """One number of a table, with the colours of its weight where it is one."""

    text: str
    style: str


@dataclass(frozen=True)
class Shown:
    """One array as a table."""

    caption: str
    rows: tuple[tuple[Cell, ...], ...]
    heat: bool


@dataclass(frozen=True)
class Mistake:
    """One entry of the gallery."""

    name: str
    title: str
    inputs: str
    right: tuple[Shown, ...]
    wrong: tuple[Shown, ...]
    exposed_by: str
    question: str


def mistakes_page(lesson: Lesson) -> str:
    """The gallery of ``lesson`` as MyST."""
    functions = []
    for function in dict.fromkeys(one.function for one in lesson.misconceptions):
        mistakes = [mistake(lesson, one) for one in lesson.misconceptions if one.function == function]
        html = render("function.html.j2", package="grader.site", mistakes=mistakes)
        lines = "\n".join(line for line in html.splitlines() if line.strip())
        functions.append({"name": function, "html": lines})
    count = len(lesson.misconceptions)
    page = render("mistakes.md.j2", package="grader.site", lesson=lesson, functions=[], count=count)
    return page + "\n\n".join(f"## {one['name']}\n\n{one['html']}" for one in functions) + "\n"


def mistake(lesson: Lesson, one: Misconception) -> Mistake:
    """What ``one`` gives for the smallest input that shows it."""
    family = lesson.families[one.function]
    with np.errstate(all="ignore"):
        args = _telling_input(lesson, family, one)
        right = evaluate(family.variant(), args) if args is not None else None
        wrong = evaluate(family.variant(**one.switches), args) if args is not None else None
        outcomes = examine(lesson, student_with(lesson, one), seed=SEED, diagnosing=False)
    failed = [outcome.title for outcome in outcomes if outcome.verdict in (Verdict.FAIL, Verdict.ERROR)]
    signature = lesson.functions.get(one.function)
    names = [value.name for value in signature.gives] if signature else [one.function]
    inputs = named_inputs(signature, args) if signature and args is not None else {}
    return Mistake(
        name=f"{one.function}-{one.name}".replace("_", "-"),
        title=one.title,
        inputs="; ".join(f"{name} = {typed(array)}" for name, array in inputs.items()),
        right=_tables(names, right),
        wrong=_tables(names, wrong),
        exposed_by=failed[0] if failed else "the comparison with NumPy",
        question=one.hints[0],
    )


def _telling_input(lesson: Lesson, family: Family, one: Misconception) -> tuple[Argument, ...] | None:
    """The smallest of the arguments that the diagnosis asks with for which the mistake shows."""
    if family.probes is None:
        right = lesson.answers(**{name: lesson.families[name].variant() for name in lesson.functions})
        return tuple(np.asarray(right[name]) for name in family.given)
    candidates = family.probes(lesson.probe(np.random.default_rng(SEED)))
    for args in sorted(candidates, key=lambda args: sum(array.size for array in arrays_in(args))):
        if _differ(evaluate(family.variant(), args), evaluate(family.variant(**one.switches), args)):
            return tuple(args)
    return tuple(candidates[0])


def _differ(right: Sequence[Array] | None, wrong: Sequence[Array] | None) -> bool:
    if right is None or wrong is None or len(right) != len(wrong):
        return right is not wrong
    return any(
        a.shape != b.shape or not np.allclose(a, b, rtol=DIFFERENT, atol=DIFFERENT)
        for a, b in zip(right, wrong, strict=True)
    )


def _tables(names: Sequence[str], arrays: Sequence[Array] | None) -> tuple[Shown, ...]:
    if arrays is None:
        return ()
    captions = [*names, *["" for _ in arrays]]
    return tuple(_table(caption, array) for caption, array in zip(captions, arrays, strict=False))


def _table(caption: str, array: Array) -> Shown:
    """The first rows of an array; a heatmap where all numbers are between 0 and 1."""
    matrix = np.atleast_2d(np.asarray(array))
    cut = matrix.reshape(-1, matrix.shape[-1])[:ROWS_SHOWN]
    numbers = cut.astype(np.float64)
    heat = cut.dtype.kind == "b" or bool(((numbers >= 0) & (numbers <= 1)).all() and (numbers > 0).any())
    shape = " × ".join(map(str, np.shape(array))) or "one number"
    rows = tuple(
        tuple(_cell(value, text, heat=heat) for value, text in zip(row, map(_text, texts), strict=True))
        for row, texts in zip(numbers, cut, strict=True)
    )
    return Shown(f"{caption} ({shape})", rows, heat)


def _text(value: Any) -> str:
    if isinstance(value, np.bool_):
        return "yes" if value else "no"
    return f"{float(value) + 0.0:.3g}".replace("-", "\N{MINUS SIGN}")


def _cell(value: float, text: str, *, heat: bool) -> Cell:
    if not heat:
        return Cell(text, "")
    from matplotlib import colormaps

    colour = colormaps[COLOUR_MAP](value)
    red, green, blue = (round(255 * part) for part in colour[:3])
    return Cell(text, f"background:rgb({red},{green},{blue});color:{readable_on(colour)}")
