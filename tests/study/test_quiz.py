"""The quiz: what is due, in which order it is shown, when it comes back."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from grader.study.material import Option, Question, read_material
from grader.study.progress.record import Answered
from grader.study.quiz import DAYS, after, coming_back, due, shuffled

TODAY = date(2026, 11, 30)
RIGHT, WRONG = Option("three", right=True, reason=""), Option("two", right=False, reason="")


def test_a_question_is_due_until_it_was_answered_and_when_its_day_has_come(small_lesson):
    questions = read_material(small_lesson).quiz
    assert due(questions, {}, TODAY) == list(questions)
    kept = {"colour": Answered(1, "2026-12-01"), "number": Answered(2, "2026-11-30")}
    assert [one.name for one in due(questions, kept, TODAY)] == ["number"]
    assert coming_back(questions, kept, TODAY) == {"2026-12-01": 1}


def test_right_answers_come_back_later_and_later():
    answered, day, waits = Answered(), TODAY, []
    for _ in range(len(DAYS) + 1):
        answered = after(answered, RIGHT, today=day, at="now")
        waits.append((date.fromisoformat(answered.due) - day).days)
        day = date.fromisoformat(answered.due)
    assert waits == [1, 3, 7, 21, 60, 60]
    assert (answered.right, answered.wrong, answered.chosen) == (6, 0, "three")


def test_a_wrong_answer_starts_again_at_once():
    answered = after(Answered(4, "2026-11-30", 4, 0), WRONG, today=TODAY, at="now")
    assert answered == Answered(0, "2026-11-30", 4, 1, "now", "two")


def test_a_right_answer_before_its_day_is_counted_and_moves_nothing():
    early = after(Answered(2, "2026-12-03", 2, 0), RIGHT, today=TODAY, at="now")
    assert (early.box, early.due, early.right) == (2, "2026-12-03", 3)


@given(st.integers(), st.text(max_size=12), st.booleans())
def test_whatever_stands_in_the_file_an_answer_leads_to_a_box_and_a_day(box, day, right):
    answered = after(Answered(box, day), RIGHT if right else WRONG, today=TODAY, at="now")
    if day <= TODAY.isoformat() or not right:
        assert 0 <= answered.box <= len(DAYS)
        assert TODAY <= date.fromisoformat(answered.due) <= TODAY + timedelta(days=DAYS[-1])


def test_options_are_shuffled_anew_each_time_and_alike_for_everybody():
    options = tuple(Option(letter, right=letter == "a", reason="") for letter in "abcdef")
    question = Question("letters", "", "", options)
    orders = [shuffled(question, Answered(right=n)) for n in range(5)]
    assert all(sorted(one.text for one in order) == list("abcdef") for order in orders)
    assert len({tuple(one.text for one in order) for order in orders}) > 1
    assert orders[0] == shuffled(question, Answered())
