"""The page that an instructor gets: what a class did, and what it misunderstood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grader.classroom import statistics
from grader.classroom.names import slug
from grader.classroom.nouns import Graded, LeftOut
from grader.classroom.pages.charts import heatmap, histogram
from grader.classroom.statistics import CheckFigures, Standing
from grader.model import Lesson, Verdict
from grader.reporting.rendering import render
from grader.reporting.view import MARKS

SLOWEST = 10
NAMED_ROWS = 60  # a class up to this size is shown with names at once
WEAK_DISCRIMINATION = 0.1
WORDS = {
    Verdict.PASS: "right",
    Verdict.FAIL: "a wrong value",
    Verdict.ERROR: "the code raised or died",
    Verdict.TIMEOUT: "took too long",
    Verdict.TODO: "not written yet",
    Verdict.SKIP: "waits for another check",
    Verdict.INTERNAL: "the grader failed",
}


def class_page(
    graded: Iterable[Graded],
    lesson: Lesson,
    *,
    left_out: Sequence[LeftOut] = (),
    missing: Sequence[str] = (),
    timing: Mapping[str, float] | None = None,
) -> str:
    """The whole class on one page of HTML that needs nothing else: no network, no script, no other file.

    ``missing`` are students of the roster without a submission; ``timing`` is seconds by student, without it the time
    that the checks took. Links lead to reports/<slug>.html beside the page. ``graded`` is read once, and of each only
    a few hundred bytes are kept.
    """
    class_: list[Standing] = []
    graders: set[str] = set()
    sandboxes: set[str] = set()
    latest = None
    for one in graded:
        class_.append(statistics.standing(one))
        graders.add(one.report["grader_version"])
        sandboxes.add(one.report["sandbox"])
        latest = one.graded_at if latest is None else max(latest, one.graded_at)
    class_.sort(key=lambda one: one.student)
    scores = statistics.scores(class_)
    figures = statistics.check_figures(class_, lesson.checks)
    counted = [one for one in figures if one.check.points]
    seconds = {one.student: (timing or {}).get(one.student, one.seconds) for one in class_}
    ranked = statistics.by_score(class_)
    shown_checks = [check for check in lesson.checks if check.points]
    return render(
        "class.html.j2",
        package="grader.classroom.pages",
        lesson=lesson,
        class_=class_,
        by_key={one.student: one for one in class_},
        scores=scores,
        quartiles=statistics.quartiles(scores),
        full=sum(score == lesson.max_score for score in scores),
        mistakes=statistics.mistake_counts(class_),
        unexplained=[one.student for one in class_ if one.unexplained],
        obstacles=[one for one in class_ if one.obstacle],
        histogram=histogram(statistics.distribution(class_, lesson.max_score)),
        heat=heatmap(ranked, shown_checks, overview=len(class_) > NAMED_ROWS),
        heat_named=heatmap(ranked, shown_checks, overview=False) if len(class_) > NAMED_ROWS else None,
        ranked=ranked,
        shown_checks=shown_checks,
        legend=[(verdict, MARKS[verdict], WORDS[verdict]) for verdict in WORDS],
        hardest=sorted(counted, key=_hardest),
        advice=[one for one in figures if not one.check.points],
        weak=WEAK_DISCRIMINATION,
        seconds=seconds,
        time_quartiles=statistics.quartiles(list(seconds.values())),
        slowest=sorted(class_, key=lambda one: -seconds[one.student])[:SLOWEST],
        timed=timing is not None,
        left_out=left_out,
        missing=missing,
        latest=latest,
        graders=sorted(graders),
        sandboxes=sorted(sandboxes - {"not run"}),
        slug=slug,
        sign=_sign,
    )


def _hardest(figures: CheckFigures) -> tuple[float, str]:
    rate: Any = figures.pass_rate
    return (2.0 if rate is None else rate, figures.check.name)


def _sign(verdict: Verdict) -> str:
    return MARKS[verdict]
