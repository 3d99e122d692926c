"""Hints: for the mistake where it is known, else for the check."""

from __future__ import annotations

import pytest

from grader.grading import report_without_run
from grader.lesson import lesson_ids, load_lesson
from grader.model import Diagnosis, Outcome, Report, Submission, Verdict
from grader.study.helping.hints import TIERS, first_gap, first_open, hints_for
from grader.study.material import explanations
from grader.submission import read_submission

SINGLE = (Diagnosis("no-scale", "no scale", ("why?", "0.063 for 0.108", "the line")),)
PAIR = (*SINGLE, Diagnosis("axis", "axis 0", ("who?", "1.5 for 1", "the axis")))


def outcome(check: str, verdict: Verdict, *, points: int = 1, message: str = "", diagnosis=()) -> Outcome:
    return Outcome(check, "attend", "title", verdict, 0, points, (), message, None, diagnosis)


def report(lesson, *outcomes: Outcome) -> Report:
    empty = report_without_run(lesson, Verdict.TODO, "", path="main.py", sha256="", seed=0)
    return Report(**{**vars(empty), "outcomes": outcomes})


@pytest.mark.parametrize("lesson_id", lesson_ids())
def test_every_check_has_three_tiers_that_can_be_told(lesson_id):
    lesson = load_lesson(lesson_id)
    known = explanations(lesson.folder)
    for check in lesson.checks:
        hints = hints_for(outcome(check.name, Verdict.FAIL), known[check.name])
        assert hints.name == check.name
        assert len(hints.tiers) == TIERS
        assert all(tier for tier in hints.tiers)


def test_a_mistake_that_is_known_brings_its_own_hints(lesson):
    explanation = explanations(lesson.folder)["rows_sum_to_one"]
    hints = hints_for(outcome("rows_sum_to_one", Verdict.FAIL, diagnosis=SINGLE), explanation)
    assert hints.name == "no-scale"
    assert hints.tiers == (("why?",), ("0.063 for 0.108",), ("the line",))


def test_two_mistakes_at_once_share_the_relation_since_numbers_are_of_one_alone(lesson):
    explanation = explanations(lesson.folder)["rows_sum_to_one"]
    hints = hints_for(outcome("rows_sum_to_one", Verdict.FAIL, diagnosis=PAIR), explanation)
    assert hints.name == "no-scale+axis"
    assert hints.tiers == (
        ("why?", "who?"),
        (explanation.words, f"`{explanation.formula}`"),
        ("the line", "the axis"),
    )


def test_what_went_wrong_comes_before_what_is_not_written(lesson):
    todo, advice = outcome("a", Verdict.TODO), outcome("b", Verdict.FAIL, points=0)
    wrong, waits = outcome("c", Verdict.ERROR), outcome("d", Verdict.SKIP)
    assert first_open(report(lesson, advice, waits, todo, wrong)) == wrong
    assert first_open(report(lesson, advice, waits, todo)) == todo
    assert first_open(report(lesson, advice, outcome("e", Verdict.PASS))) is None


def test_the_first_gap_of_the_scaffold_is_its_first_todo(lesson):
    assert first_gap(read_submission(lesson.scaffold)) == "line 14: scores = ...  # TODO: the scaled scores, (Tq, Tk)"
    assert first_gap(read_submission(lesson.solution)) == ""


def test_the_first_gap_of_a_notebook_is_in_a_cell():
    submission = Submission("main.ipynb", b"x = 1\n\n\ny = ...  # TODO\n", "", cells=(0, 3))
    assert first_gap(submission) == "cell 2, line 1: y = ...  # TODO"
