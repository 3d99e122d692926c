"""Charts as inline SVG; colours come from the page's style, so that they follow light, dark and print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup, escape

from grader.classroom.names import slug
from grader.classroom.statistics import Bar, Standing
from grader.model import Check, Verdict
from grader.reporting.rendering import shown

ROW_PX, COLUMN_PX, GAP_PX = 18, 26, 10
HEAD_PX, TAIL_PX = 150, 110
LABEL_CHARACTERS = 22
OVERVIEW_PX = 900  # how high the rows of an overview may become together


def histogram(bars: Sequence[Bar]) -> Markup:
    """How many students have which score."""
    width, height, left, base = 800, 230, 34, 190
    tallest = max((bar.count for bar in bars), default=0) or 1
    step = _round_step(tallest)
    top = math.ceil(tallest / step) * step
    slot = (width - left) / len(bars)
    parts = []
    for value in range(0, top + 1, step):
        y = base - value / top * 165
        parts.append(f'<path class="grid" d="M{left} {y:.1f}H{width}"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{value}</text>')
    for number, bar in enumerate(bars):
        x, tall = left + number * slot, bar.count / top * 165
        span = f"{bar.low}" if bar.low == bar.high else f"{bar.low}–{bar.high}"
        parts.append(
            f'<rect class="bar" x="{x + 2:.1f}" y="{base - tall:.1f}" width="{slot - 4:.1f}" height="{tall:.1f}">'
            f"<title>{span} points: {bar.count}</title></rect>"
        )
        if bar.count:
            parts.append(
                f'<text class="value" x="{x + slot / 2:.1f}" y="{base - tall - 5:.1f}" '
                f'text-anchor="middle">{bar.count}</text>'
            )
        parts.append(f'<text x="{x + slot / 2:.1f}" y="{base + 16}" text-anchor="middle">{span}</text>')
    words = ", ".join(f"{bar.count} with {bar.low} to {bar.high}" for bar in bars if bar.count)
    return Markup(  # noqa: S704 - made of numbers
        f'<svg class="chart" viewBox="0 0 {width} {height}" role="img"><title>Scores: {words or "none"} points</title>'
        f"{''.join(parts)}"
        f'<text x="{left + (width - left) / 2}" y="{height - 6}" text-anchor="middle">points</text></svg>'
    )


def _round_step(most: int) -> int:
    """A step of 1, 2 or 5 times a power of ten that gives at most five lines up to ``most``."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if most / (factor * power) <= 5:
                return factor * power
        power *= 10


def heatmap(rows: Sequence[Standing], checks: Sequence[Check], *, overview: bool) -> Markup:
    """Students down, checks across, what came out in the cells.

    An overview has rows as thin as it takes to be seen at once, without names; else each row has a name that leads to
    the student's report. Columns of different exercises stand apart.
    """
    tall = max(2.0, min(ROW_PX, OVERVIEW_PX / max(1, len(rows)))) if overview else float(ROW_PX)
    longest = max((len(shown(one.student)) for one in rows), default=0)
    left = 40 if overview else 55 + 7 * min(longest, LABEL_CHARACTERS)
    columns = list(_columns(checks, left))
    edge = (columns[-1] if columns else left) + COLUMN_PX
    parts = [_heading(check, x) for check, x in zip(checks, columns, strict=True)]
    parts.extend(_row(one, n, HEAD_PX + n * tall, tall, (left, edge), overview) for n, one in enumerate(rows))
    parts.extend(_cells(rows, checks, columns, tall))
    width, height = edge + TAIL_PX, HEAD_PX + len(rows) * tall + 4
    name = f"{len(rows)} students by {len(checks)} checks; the table below says the same in words"
    return Markup(  # noqa: S704 - every text is escaped where it is put in
        f'<svg class="heat" width="{width}" height="{height:.0f}" viewBox="0 0 {width} {height:.0f}" '
        f'role="{"img" if overview else "group"}" aria-label="{name}">{"".join(parts)}</svg>'
    )


def _columns(checks: Sequence[Check], left: int) -> Iterable[int]:
    x = left
    for number, check in enumerate(checks):
        if number and check.exercise != checks[number - 1].exercise:
            x += GAP_PX
        yield x
        x += COLUMN_PX


def _heading(check: Check, x: int) -> str:
    text = escape(check.name.replace("_", " "))
    where = f'transform="translate({x + COLUMN_PX / 2 + 4:.0f} {HEAD_PX - 8}) rotate(-52)"'
    return f'<a href="#check-{escape(check.name)}"><text {where}>{text}<title>{escape(check.title)}</title></text></a>'


def _row(one: Standing, number: int, y: float, tall: float, span: tuple[int, int], overview: bool) -> str:
    left, edge = span
    score = "no score" if one.score is None else f"{one.score} of {one.max_score}"
    title = escape(f"{shown(one.student)} · {shown(one.name)} · {score}")
    hit = f'<rect class="row" x="0" y="{y:.1f}" width="{edge}" height="{tall:.1f}"><title>{title}</title></rect>'
    if overview:
        ticked = tall >= 10 or (number + 1) % 25 == 0 or number == 0
        tick = f'<text x="32" y="{y + tall / 2 + 4:.1f}" text-anchor="end">{number + 1}</text>' if ticked else ""
        return hit + tick
    label = shown(one.student)
    label = escape(label if len(label) <= LABEL_CHARACTERS else label[: LABEL_CHARACTERS - 1] + "…")
    middle = y + tall / 2 + 4
    return (
        f'<a href="reports/{slug(one.student)}.html">{hit}<text x="0" y="{middle:.1f}">{label}</text></a>'
        f'<text x="{left - 10}" y="{middle:.1f}" text-anchor="end">{"–" if one.score is None else one.score}</text>'
    )


def _cells(rows: Sequence[Standing], checks: Sequence[Check], columns: Sequence[int], tall: float) -> Iterable[str]:
    """Two paths for each verdict, areas and marks: a page for 300 students stays small."""
    areas: Mapping[Verdict, list[str]] = {verdict: [] for verdict in Verdict}
    marks: Mapping[Verdict, list[str]] = {verdict: [] for verdict in Verdict}
    wide, high = COLUMN_PX - 3, tall - (2 if tall > 8 else 0.4)
    for number, one in enumerate(rows):
        y = HEAD_PX + number * tall
        for check, x in zip(checks, columns, strict=True):
            verdict = one.verdicts.get(check.name)
            if verdict is None:  # graded when the lesson did not have this check
                continue
            area, mark = _shape(verdict, wide, high)
            areas[verdict].append(f"M{x} {y:.4g}{area}")
            if mark and tall >= 10:
                marks[verdict].append(f"M{x + wide / 2:.4g} {y + high / 2:.4g}{mark}")
    for verdict in Verdict:
        if areas[verdict]:
            yield f'<path class="c-{verdict}" d="{"".join(areas[verdict])}"/>'
        if marks[verdict]:
            yield f'<path class="mark" d="{"".join(marks[verdict])}"/>'


def _shape(verdict: Verdict, wide: float, high: float) -> tuple[str, str]:
    """An area from a cell's upper left corner, a mark from its middle."""
    full = f"h{wide:.4g}v{high:.4g}h-{wide:.4g}z"
    match verdict:
        case Verdict.FAIL:
            return full, "m-3.5 -3.5l7 7m0 -7l-7 7"
        case Verdict.ERROR:
            return full, "m0 -5v6m0 2.5v1.5"
        case Verdict.TIMEOUT:
            return full, "m-5 0h10"
        case Verdict.INTERNAL:
            return full, "m-5 5l10 -10"
        case Verdict.SKIP:
            side = min(5.0, high)
            return f"m{(wide - side) / 2:.4g} {(high - side) / 2:.4g}h{side:.4g}v{side:.4g}h-{side:.4g}z", ""
        case Verdict.TODO:
            inner = f"h{wide - 2:.4g}v{max(high - 2, 0.1):.4g}h-{wide - 2:.4g}z"
            return (f"m1 1{inner}", "") if high > 8 else (f"v{high:.4g}h{wide / 3:.4g}v-{high:.4g}z", "")
    return full, ""
