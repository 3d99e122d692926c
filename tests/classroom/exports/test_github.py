"""GitHub Classroom: the result adds up as the reporter adds, and no text of a student is a workflow command."""

from __future__ import annotations

import base64
import json

from grader.classroom.exports.github import github, notices, output_line, result
from grader.model import Verdict


def as_the_reporter_reads(line):
    """What the reporter's src/main.js and src/notify-classroom.js make of an output."""
    name, _, encoded = line.partition("=")
    assert name == "result"
    found = json.loads(base64.b64decode(encoded, validate=True))
    points = sum(test["score"] for test in found["tests"]) if found["max_score"] else 0
    return found, points, found["max_score"]


def test_the_reporter_comes_to_the_same_points(make_graded, lesson):
    graded = make_graded(passed=3)
    found, points, most = as_the_reporter_reads(output_line(graded))
    assert (points, most) == (graded.score, lesson.max_score)
    assert found["status"] == "fail"
    assert [test["status"] for test in found["tests"]][:4] == ["pass", "pass", "pass", "fail"]
    assert result(make_graded(passed=99))["status"] == "pass"
    assert notices(graded) == (
        f"::notice title=Autograding complete::Points {graded.score}/{most}",
        f'::notice title=Autograding report::{{"totalPoints":{graded.score},"maxPoints":{most}}}',
    )


def test_a_message_is_no_workflow_command(make_graded):
    graded = make_graded(message="x\n::error::forged\r\n  ::notice title=Autograding report::{}\n##[error]old")
    message = next(test["message"] for test in result(graded)["tests"] if test["message"])
    assert "forged" in message
    assert not any(line.strip().startswith("::") for line in message.splitlines())
    assert "##[" not in message
    assert "\n" not in output_line(graded)


def test_a_grading_that_failed_reports_an_error_and_no_points(make_graded):
    graded = make_graded(verdict=Verdict.INTERNAL)
    assert as_the_reporter_reads(output_line(graded)) == (
        {"version": 1, "status": "error", "max_score": 0, "tests": []}, 0, 0,
    )  # fmt: skip
    assert notices(graded) == ()
    assert github([graded]).files == {}


def test_a_student_is_a_file_of_three_lines(make_graded):
    made = github([make_graded(passed=1), make_graded("s002")])
    assert sorted(made.files) == ["github/s001.txt", "github/s002.txt"]
    assert made.files["github/s001.txt"].count(b"\n") == 3
