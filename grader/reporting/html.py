"""The report as a piece of HTML for the output of a notebook's cell."""

from __future__ import annotations

from grader.model import Lesson, Report
from grader.reporting.rendering import render
from grader.reporting.view import facts, file_name


def report_html(report: Report, lesson: Lesson, *, command: str, then: str) -> str:
    """``report`` as HTML with its own style, for light and dark: no script, no network, everything escaped.

    ``command`` is what repeats the grading, ``then`` what to do before.
    """
    return render("report.html.j2", command=command, then=then, file=file_name(report.path), **facts(report, lesson))
