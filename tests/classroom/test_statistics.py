"""The numbers about a class, against hand counts and against NumPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from graded_examples import SEED, graded
from hypothesis import assume, given
from hypothesis import strategies as st

from grader.classroom.statistics import (
    Standing,
    by_score,
    check_figures,
    distribution,
    mistake_counts,
    point_biserial,
    quartiles,
    scores,
    standing,
)
from grader.grading import report_without_run
from grader.model import Verdict


def student(key: str, score: int | None = 0, **changes: object) -> Standing:
    facts = {
        "name": key,
        "verdict": Verdict.FAIL,
        "max_score": 10,
        "points": {},
        "verdicts": {},
        "mistakes": {},
        "unexplained": False,
        "obstacle": "",
        "seconds": 1.0,
        "late": False,
    }
    return Standing(student=key, score=score, **{**facts, **changes})


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40)), min_size=2, max_size=60))
def test_discrimination_is_the_correlation_of_passing_with_the_rest(pairs):
    passed, rest = zip(*pairs, strict=True)
    assume(len(set(passed)) == 2 and len(set(rest)) > 1)
    assert point_biserial(passed, rest) == pytest.approx(np.corrcoef(passed, rest)[0, 1], abs=1e-9)


@pytest.mark.parametrize(
    ("passed", "rest"), [([], []), ([True, True], [1, 2]), ([False, False], [1, 2]), ([True, False], [3, 3])]
)
def test_discrimination_is_undefined_where_nothing_varies(passed, rest):
    assert point_biserial(passed, rest) is None


def test_a_check_that_strong_students_pass_discriminates_fully_and_its_mirror_image_negatively():
    assert point_biserial([True, True, False, False], [9, 9, 1, 1]) == pytest.approx(1)
    assert point_biserial([False, False, True, True], [9, 9, 1, 1]) == pytest.approx(-1)


def test_a_checks_own_points_do_not_count_towards_its_discrimination(lesson):
    check = next(one for one in lesson.checks if one.points == 2)
    class_ = [
        student("s001", 7, points={check.name: 2}, verdicts={check.name: Verdict.PASS}),
        student("s002", 5, points={check.name: 0}, verdicts={check.name: Verdict.FAIL}),
    ]
    assert check_figures(class_, [check])[0].discrimination is None  # both have 5 points elsewhere


def test_what_the_grader_spoilt_is_not_judged_and_waiting_counts_as_not_passed(lesson):
    check = lesson.checks[0]
    class_ = [
        student("s001", 3, points={check.name: 1}, verdicts={check.name: Verdict.PASS}),
        student("s002", 1, points={check.name: 0}, verdicts={check.name: Verdict.SKIP}),
        student("s003", None, points={check.name: 0}, verdicts={check.name: Verdict.INTERNAL}),
        student("s004", 2, points={}, verdicts={}),  # graded before the lesson had this check
    ]
    figures = check_figures(class_, [check])[0]
    assert (figures.passed, figures.judged, figures.pass_rate) == (1, 2, 0.5)
    assert check_figures([], [check])[0].pass_rate is None


@given(st.integers(1, 500).flatmap(lambda most: st.tuples(st.just(most), st.lists(st.integers(0, most)))))
def test_each_score_is_in_one_bar_and_the_bars_meet(case):
    most, values = case
    bars = distribution([student(str(n), score) for n, score in enumerate(values)], most)
    assert len(bars) <= 16
    assert (bars[0].low, bars[-1].high) == (0, most)
    assert all(left.high + 1 == right.low for left, right in pairwise(bars))
    assert [bar.count for bar in bars] == [sum(bar.low <= value <= bar.high for value in values) for bar in bars]


def test_scores_leave_out_whom_the_grader_failed():
    assert scores([student("s001", 9), student("s002", None), student("s003", 0)]) == [0, 9]


@given(st.lists(st.floats(0, 100), max_size=30))
def test_quartiles_are_numpys(values):
    expected = None if not values else pytest.approx(tuple(np.percentile(values, [25, 50, 75])))
    assert quartiles(values) == expected


def test_mistakes_are_counted_once_per_student_the_most_frequent_first():
    class_ = [
        student("s001", mistakes={"no-scale": "no scale", "no-maximum": "missing maximum"}),
        student("s002", mistakes={"no-scale": "no scale"}),
        student("s003"),
    ]
    counts = [(one.name, one.title, one.students) for one in mistake_counts(class_)]
    assert counts == [("no-scale", "no scale", ("s001", "s002")), ("no-maximum", "missing maximum", ("s001",))]


def test_the_highest_score_comes_first_and_no_score_last():
    class_ = [student("s003", None), student("s002", 0), student("s004", 5), student("s001", 5)]
    assert [one.student for one in by_score(class_)] == ["s001", "s004", "s002", "s003"]


def test_an_unreadable_file_and_a_failure_of_the_grader_are_obstacles_with_their_reasons(lesson):
    facts = {"path": "main.py", "sha256": "0" * 64, "seed": SEED}
    unreadable = standing(graded("s001", report_without_run(lesson, Verdict.ERROR, "breaks off", **facts)))
    internal = standing(graded("s002", report_without_run(lesson, Verdict.INTERNAL, "the worker died", **facts)))
    assert (unreadable.obstacle, unreadable.score) == ("breaks off", 0)
    assert (internal.obstacle, internal.score) == ("the worker died", None)
    assert not unreadable.unexplained
