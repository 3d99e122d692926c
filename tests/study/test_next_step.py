"""What to do next, for a learner at every point of the way."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from grader.study.progress.nouns import Answered, LessonProgress, Predicted, Progress
from grader.study.workspace.next_step import what_next
from grader.study.workspace.places import Place
from grader.study.workspace.standing import Standing, unmet

HERE = Path("/home/learner")
BEGUN = LessonProgress(folder="/home/learner/a-01")
GRADED = replace(BEGUN, gradings=3, best=14, max_score=31, last_at="2026-01-01T00:00:00Z")
DONE = replace(GRADED, best=31, passed_at="2026-01-02T00:00:00Z")
AT_HOME = Place("a-01", HERE / "a-01")


def lines(progress: Progress, place: Place | None, *, proved: tuple[str, ...] = ()) -> list[str]:
    standings = [
        Standing("a-01", "Alpha", "P", 60, 31, (), proved, progress.lesson("a-01")),
        Standing("a-02", "Beta", "P", 60, 20, ("a-01",), (), progress.lesson("a-02")),
        Standing("a-03", "Gamma", "P", 60, 20, ("a-02",), (), progress.lesson("a-03")),
    ]
    three = what_next(standings, place, progress, here=HERE, today=date(2026, 1, 5))
    return [f"{line.label}: {line.command or line.text}" for line in three]


def test_a_newcomer_sees_what_this_is_and_where_to_begin():
    what, look, begin = lines(Progress(), None)
    assert "workbook on transformers" in what
    assert (look, begin) == ("look: grade list", "begin: grade start a-01")


def test_what_is_begun_is_read_and_written():
    assert lines(Progress({"a-01": BEGUN}), AT_HOME) == [
        "a-01: Alpha · not graded yet",
        "next: grade read a-01",
        "then: grade predict a-01",
    ]
    predicted = replace(BEGUN, predictions={"one": Predicted("1")})
    assert lines(Progress({"a-01": predicted}), AT_HOME)[2] == "then: grade watch a-01"


@pytest.mark.parametrize(
    ("proved", "said"),
    [
        ((), "nothing proved yet"),
        (("one", "two"), "proved: one; two"),
        (("one", "two", "three", "four"), "proved: one; two; and 2 more"),
    ],
)
def test_what_is_graded_says_its_points_and_what_is_proved(proved, said):
    where, *others = lines(Progress({"a-01": GRADED}), AT_HOME, proved=proved)
    assert where == f"a-01: Alpha · 14 of 31 points · {said}"
    assert others == ["next: grade watch a-01", "stuck: grade hint a-01"]


def test_a_main_py_in_another_folder_is_gone_to_first():
    _, go, then = lines(Progress({"a-01": GRADED}), Place("a-01", Path("/mnt/my work/a-01")))
    assert (go, then) == ("next: cd '/mnt/my work/a-01'", "then: grade watch a-01")


def test_a_main_py_that_is_gone_is_laid_out_again():
    assert lines(Progress({"a-01": GRADED}), Place("a-01", None))[1] == "next: grade start a-01"


def test_after_a_lesson_comes_the_first_open_one_whose_ground_is_laid():
    assert lines(Progress({"a-01": DONE}), AT_HOME) == [
        "a-01: Alpha · done, 31 of 31 points",
        "next: grade start a-02",
        "also: grade quiz a-01",
    ]


def test_questions_that_are_due_come_back_and_others_do_not():
    asked = replace(DONE, quiz={"axis": Answered(due="2026-01-05"), "scale": Answered(due="2026-01-06")})
    assert lines(Progress({"a-01": asked}), AT_HOME)[2] == "also: grade quiz"
    later = replace(DONE, quiz={"scale": Answered(due="2026-01-06")})
    assert lines(Progress({"a-01": later}), AT_HOME)[2] == "also: grade evidence a-01"


def test_when_everything_is_done_the_reference_is_left():
    everything = Progress({"a-01": DONE, "a-02": DONE, "a-03": DONE})
    assert lines(everything, AT_HOME)[1] == "next: grade solution a-01"


@pytest.mark.parametrize(
    ("kept", "state"), [(LessonProgress(), "not started"), (BEGUN, "0/31"), (GRADED, "14/31"), (DONE, "done")]
)
def test_a_state_is_a_word_or_points(kept, state):
    assert Standing("a-01", "Alpha", "P", 60, 31, (), (), kept).state == state


def test_requirements_are_unmet_until_they_are_done():
    one = Standing("a-03", "Gamma", "P", 60, 20, ("a-01", "a-02"), (), LessonProgress())
    assert unmet(one, Progress({"a-01": DONE, "a-02": GRADED})) == ["a-02"]
