"""results.json holds to Gradescope's published form, whatever a submission said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import validate

from grader.classroom.exports.gradescope import gradescope, written
from grader.model import Verdict

SCHEMA = json.loads((Path(__file__).parent.parent / "gradescope_results.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("passed", [0, 3, 99])
def test_a_grading_is_valid_and_its_tests_add_up_to_its_score(make_graded, lesson, passed):
    found = json.loads(written(make_graded(passed=passed)))
    validate(found, SCHEMA)
    assert sum(test.get("score", 0) for test in found["tests"]) == found["score"]
    assert sum(test.get("max_score", 0) for test in found["tests"]) == lesson.max_score
    assert len(found["tests"]) == len(lesson.checks)
    assert found["stdout_visibility"] == "hidden"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(message=st.text())
def test_any_message_is_plain_text(make_graded, message):
    found = json.loads(written(make_graded(message=message)))
    validate(found, SCHEMA)
    assert "\x1b" not in str(found)
    assert {found["output_format"], found["test_output_format"], found["test_name_format"]} == {"text"}


def test_the_mistake_the_sandbox_and_lateness_are_passed_on(make_graded):
    found = json.loads(written(make_graded(late=True)))
    assert "The mistake: no scale" in found["tests"][0]["output"]
    assert "sandbox: landlock, seccomp" in found["output"]
    assert found["extra_data"]["late"] is True
    assert "seed" not in str(found)  # whoever knows it can foresee the next attempt's inputs


def test_advice_has_no_points_and_no_status(make_graded, lesson):
    advice = [number for number, check in enumerate(lesson.checks) if check.advice]
    tests = json.loads(written(make_graded()))["tests"]
    assert advice
    assert all("score" not in tests[number] and "status" not in tests[number] for number in advice)


def test_whom_the_grader_failed_has_no_results_and_is_named(make_graded):
    made = gradescope([make_graded("../s001", passed=1), make_graded("s002", verdict=Verdict.INTERNAL)])
    (name,) = made.files
    assert name.startswith("gradescope/")
    assert ".." not in name
    assert made.left == ("Student 001 (s002): could not be graded; no results.json",)
