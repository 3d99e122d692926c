"""Evidence as one page of HTML that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from markupsafe import Markup, escape

from grader.reporting.predictions import SIGNS, Compared, happened, summary
from grader.reporting.rendering import render, shown
from grader.reporting.view import facts, file_name
from grader.study.evidence.collect import Evidence, Figure
from grader.study.material import Option


def page(evidence: Evidence) -> str:
    """The page, in the order in which the work was done."""
    report = evidence.report
    return render(
        "evidence.html.j2",
        package="grader.study.evidence",
        file=file_name(report.path),
        at=evidence.at,
        sections=[(title, list(group)) for title, group in itertools.groupby(evidence.predictions, _section)],
        summary=summary(evidence.predictions) if evidence.predictions else "",
        signs={judged: sign for judged, (sign, _) in SIGNS.items()},
        beside=happened,
        unmade=evidence.unmade,
        code=_coloured(evidence.submission.source.decode("utf-8", "replace")),
        figures=[(one, _inline(one, number)) for number, one in enumerate(evidence.figures, 1)],
        undrawn=evidence.undrawn,
        answers=[(*answer, _right(answer[0].options)) for answer in evidence.answers],
        unasked=evidence.unasked,
        prose=_prose,
        sha256=evidence.submission.sha256,
        printed=facts(report, evidence.lesson)["outputs"],
        **{**facts(report, evidence.lesson), "outputs": ()},
    )


def _section(one: Compared) -> str:
    return one.section


def _right(options: Sequence[Option]) -> Option:
    return next(option for option in options if option.right)


def _prose(text: str) -> Markup:
    """A lesson's or a learner's sentence, with what stands between backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(shown(text)))))  # noqa: S704 - escaped


def _coloured(source: str) -> Markup:
    """Python with a span around each token, which the page's style colours."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    lexer = PythonLexer(stripnl=False, ensurenl=False)
    return Markup(highlight(shown(source), lexer, HtmlFormatter(nowrap=True)))  # noqa: S704 - Pygments escapes


def _inline(figure: Figure, number: int) -> Markup:
    """The figure as part of a page: without what comes before <svg>, with ids that no other figure has."""
    svg = figure.svg[figure.svg.index("<svg") :]
    svg = svg.replace("<svg", f'<svg role="img" aria-label="{escape(figure.words)}"', 1)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\1figure-{number}-", svg)
    return Markup(svg)  # noqa: S704 - drawn by the lesson, from numbers
