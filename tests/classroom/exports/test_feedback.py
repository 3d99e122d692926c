"""A grading in one line: points, then what stands in the way."""

from __future__ import annotations

import dataclasses

from grader.classroom.exports.feedback import summary
from grader.model import Verdict


def test_the_first_check_that_stands_in_the_way_is_named_with_the_mistake(make_graded, lesson):
    text = summary(make_graded(passed=2, message="rows sum to\n1.5"))
    title = lesson.checks[2].title.rstrip(".")
    assert f"{title}: not right yet: rows sum to 1.5 The mistake: no scale: scores not divided by √Dk" in text
    assert "\n" not in text


def test_a_file_that_cannot_be_read_is_told_by_that_alone(make_graded):
    graded = make_graded(verdict=Verdict.ERROR)
    event = {"line": 3, "kind": "unreadable", "message": "SyntaxError: invalid syntax"}
    graded = dataclasses.replace(graded, report={**graded.report, "events": [event]})
    assert summary(graded).endswith("The file cannot be read, line 3: SyntaxError: invalid syntax")


def test_full_marks_todo_and_a_failed_grading_have_words_of_their_own(make_graded, lesson):
    assert summary(make_graded(passed=99)).endswith("points. All checks pass.")
    assert f"To be continued with: {lesson.checks[1].title}" in summary(make_graded(passed=1, verdict=Verdict.TODO))
    assert summary(make_graded(verdict=Verdict.INTERNAL)).endswith("could not be graded; no points are given or taken")
