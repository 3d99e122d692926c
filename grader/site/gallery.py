"""The gallery of a lesson's mistakes: each beside what is right, with the relation that exposes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from grader.authoring.numpy_student import student_with
from grader.checking.examine import examine
from grader.checking.misconception import evaluate
from grader.drawing import COLOUR_MAP, luminance
from grader.model import Argument, Array, Family, Lesson, Misconception, Verdict
from grader.reporting.numbers import typed
from grader.reporting.rendering import render
from grader.reporting.site_links import mistake_anchor
from grader.signature import arrays_in, named_inputs
from grader.site.markup import html

SEED = 0
DIFFERENT = 5e-3  # in the three digits that are shown
ROWS_SHOWN = 6
EVEN = 0.179  # the luminance on which black and white have one contrast


@dataclass(frozen=True)
class Cell:
    """One number of a table: whether it is another one than the right one, and the colours of a weight."""

    text: str
    differs: bool
    style: str


@dataclass(frozen=True)
class Shown:
    """One array as a table."""

    caption: str
    rows: tuple[tuple[Cell, ...], ...]
    heat: bool


@dataclass(frozen=True)
class Mistake:
    """One entry of the gallery: what the mistake gives, nothing where it raises."""

    anchors: tuple[str, ...]
    title: str
    wrong: tuple[Shown, ...]
    exposed_by: str
    question: str


@dataclass(frozen=True)
class Group:
    """Mistakes that the same input shows, with what is right for it."""

    inputs: tuple[tuple[str, str], ...]
    right: tuple[Shown, ...]
    mistakes: tuple[Mistake, ...]


def named_mistakes(lesson: Lesson) -> list[tuple[Misconception, ...]]:
    """The misconceptions of ``lesson``, those together that have one title: they differ in the part that is wrong."""
    named: dict[tuple[str, str], dict[str, Misconception]] = {}
    told: set[str] = set()
    for one in lesson.misconceptions:
        if one.name not in told:
            named.setdefault((one.function, one.title), {})[one.name] = one
            told.add(one.name)
    return [tuple(same.values()) for same in named.values()]


def mistakes_page(lesson: Lesson) -> str:
    """The gallery of ``lesson`` as MyST."""
    named = named_mistakes(lesson)
    page = render("mistakes.md.j2", package="grader.site", lesson=lesson, count=len(named))
    for function in dict.fromkeys(same[0].function for same in named):
        groups = list(groups_of(lesson, [same for same in named if same[0].function == function]))
        title = function.replace("_", r"\_")
        page += f"\n\n## {title}\n\n{html('function.html.j2', groups=groups)}"
    return page + "\n"


def groups_of(lesson: Lesson, named: Sequence[Sequence[Misconception]]) -> Iterator[Group]:
    """The mistakes of one function by the smallest input that shows them."""
    groups: dict[tuple[tuple[str, str], ...], tuple[tuple[Shown, ...], list[Mistake]]] = {}
    for same in named:
        one = same[0]
        family, signature = lesson.families[one.function], lesson.functions.get(one.function)
        names = [value.name for value in signature.gives] if signature else [one.function]
        with np.errstate(all="ignore"):
            args = _telling_input(lesson, family, one)
            right, wrong = evaluate(family.variant(), args), evaluate(family.variant(**one.switches), args)
        inputs = named_inputs(signature, args) if signature else dict(zip(family.given, arrays_in(args), strict=True))
        key = tuple((name, typed(array)) for name, array in inputs.items())
        _, group = groups.setdefault(key, (_tables(names, right), []))
        group.append(
            Mistake(
                anchors=tuple(mistake_anchor(one.name) for one in same),
                title=one.title,
                wrong=_tables(names, wrong, beside=right),
                exposed_by=_exposed_by(lesson, one),
                question=one.hints[0],
            )
        )
    for key, (tables, group) in groups.items():
        yield Group(key, tables, tuple(group))


def _exposed_by(lesson: Lesson, one: Misconception) -> str:
    with np.errstate(all="ignore"):
        outcomes = examine(lesson, student_with(lesson, one), seed=SEED, diagnosing=False)
    failed = [outcome.title for outcome in outcomes if outcome.verdict in (Verdict.FAIL, Verdict.ERROR)]
    return failed[0] if failed else "the comparison with NumPy"


def _telling_input(lesson: Lesson, family: Family, one: Misconception) -> tuple[Argument, ...]:
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
    return any(a.shape != b.shape or not _close(a, b).all() for a, b in zip(right, wrong, strict=True))


def _close(right: Array, wrong: Array) -> Array:
    return np.isclose(right, wrong, rtol=DIFFERENT, atol=DIFFERENT, equal_nan=True)


def _tables(
    names: Sequence[str], arrays: Sequence[Array] | None, *, beside: Sequence[Array] | None = None
) -> tuple[Shown, ...]:
    """Arrays as tables; numbers are marked that differ from those of ``beside``."""
    every = zip_longest(names, arrays or (), beside or ())
    return tuple(_table(name or "", array, beside=other) for name, array, other in every if array is not None)


def _table(name: str, array: Array, *, beside: Array | None) -> Shown:
    """The first rows of an array; a heatmap where all of its numbers are between 0 and 1."""
    other_shape = beside is not None and beside.shape != array.shape
    cut = _rows(array)
    same = _close(cut if beside is None or other_shape else _rows(beside), cut)
    numbers = cut.astype(np.float64)
    shares = cut.size > 1 and bool(((numbers >= 0) & (numbers <= 1)).all() and (numbers > 0).any())
    heat = shares or cut.dtype.kind == "b"
    rows = tuple(
        tuple(Cell(_text(value), not equal, _colours(value) if heat else "") for value, equal in zip(*row, strict=True))
        for row in zip(cut, same, strict=True)
    )
    instead = f", right is {_shape(beside)}" if beside is not None and other_shape else ""
    return Shown(f"{name} ({_shape(array)}{instead})", rows, heat)


def _shape(array: Array) -> str:
    return " × ".join(map(str, array.shape)) or "one number"


def _rows(array: Array) -> Array:
    matrix = np.atleast_2d(np.asarray(array))
    return matrix.reshape(-1, matrix.shape[-1])[:ROWS_SHOWN]


def _text(value: Any) -> str:
    if isinstance(value, np.bool_):
        return "yes" if value else "no"
    return f"{float(value) + 0.0:.3g}".replace("-", "\N{MINUS SIGN}")


def _colours(value: Any) -> str:
    """The colour of a weight, with black or white on it: one of them has at least 4.5 : 1 on any colour."""
    from matplotlib import colormaps

    colour = colormaps[COLOUR_MAP](float(value))
    red, green, blue = (round(255 * part) for part in colour[:3])
    return f"background:rgb({red},{green},{blue});color:{'black' if luminance(colour) > EVEN else 'white'}"
