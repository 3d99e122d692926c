"""Reports: JSON that holds to its schema, and the text that learners read.

Golden texts are in ``golden/``. After a wanted change of the text, renew them with
``HEADWORK_RENEW_GOLDEN=1 python -m pytest tests/reporting`` and read the difference.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator, validate
from rich.console import Console

from grader.grading import grade
from grader.model import Event, Lesson, Outcome, Report, Verdict, Witness
from grader.reporting.numbers import typed
from grader.reporting.report import SCHEMA, to_dict, to_json
from grader.reporting.text import print_report
from grader.submission import read_submission

GOLDEN = Path(__file__).parent / "golden"
COMMAND = "grade lesson transformers-01"
SOFTMAX = """    exponentials = jnp.exp(shifted)
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
"""
# Numbers that JSON lacks, and what a terminal would obey: markup of rich, an escape code, a bell.
ODD = """import jax.numpy as jnp


def attend(q, k, v):
    weights = jnp.full((len(q), len(k)), jnp.nan)
    return (weights @ v).at[0].set(jnp.inf), weights


print("[bold]loud[/bold] \\x1b[31mred\\x1b[0m \\x07 :smile:")
raise ValueError("[/nothing] [red]no[/red] \\x1b[2Jgone")
"""


@pytest.fixture(scope="module")
def reports(lesson: Lesson, solution: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Reports of five submissions that differ in kind."""
    over_queries = SOFTMAX.replace("shifted", "scores - scores.max(axis=0)").replace("axis=-1, keepdims=True", "axis=0")
    assert SOFTMAX in solution
    texts = {
        "solution": solution,
        "scaffold": lesson.scaffold.read_text(encoding="utf-8"),
        "wrong axis": solution.replace(SOFTMAX, over_queries),
        "syntax error": solution.replace("return output, weights", "return output, weights)"),
        "odd": ODD,
    }
    graded = {}
    for name, text in texts.items():
        path = tmp_path_factory.mktemp("submission") / "main.py"
        path.write_text(text, encoding="utf-8")
        graded[name] = replace(grade(lesson, read_submission(path), seed=0), path="main.py")
    return graded


@pytest.fixture(params=["solution", "scaffold", "wrong axis", "syntax error", "odd"])
def report(reports: dict[str, Report], request: pytest.FixtureRequest) -> Report:
    return reports[request.param]


def text_of(report: Report, lesson: Lesson, *, verbose: bool = False) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=100, highlight=False, color_system=None)
    print_report(report, lesson, console, command=COMMAND, verbose=verbose)
    return stream.getvalue()


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


# ---- JSON -----------------------------------------------------------------------------------


def test_the_schema_is_one():
    Draft202012Validator.check_schema(json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_a_report_holds_to_the_schema_without_numbers_that_json_lacks(report):
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    data = json.loads(to_json(report), parse_constant=refuse)
    validate(data, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert data == to_dict(report)
    assert data["submission"] == {"path": "main.py", "sha256": report.sha256}


def test_every_check_has_an_outcome_and_every_exercise_a_state(report, lesson):
    data = to_dict(report)
    assert [one["check"] for one in data["outcomes"]] == [check.name for check in lesson.checks]
    assert [one["max_points"] for one in data["outcomes"]] == [check.points for check in lesson.checks]
    assert [one["name"] for one in data["exercises"]] == [exercise.name for exercise in lesson.exercises]
    assert data["score"] == sum(one["points"] for one in data["outcomes"])
    assert data["score"] == sum(one["points"] for one in data["exercises"])
    assert data["max_score"] == lesson.max_score


def test_verdicts_and_scores_are_those_of_the_submissions(reports, lesson):
    assert {name: one.verdict for name, one in reports.items()} == {
        "solution": Verdict.PASS,
        "scaffold": Verdict.TODO,
        "wrong axis": Verdict.FAIL,
        "syntax error": Verdict.ERROR,
        "odd": Verdict.FAIL,
    }
    assert reports["solution"].score == lesson.max_score
    assert reports["scaffold"].score == reports["syntax error"].score == 0
    assert 0 < (reports["wrong axis"].score or 0) < lesson.max_score


def test_numbers_that_are_not_finite_become_words(reports):
    texts = [text for one in to_dict(reports["odd"])["outcomes"] if one["witness"] for text in strings(one["witness"])]
    assert set(texts) == {"nan", "inf"}


def test_an_internal_fault_has_no_score_in_json(reports):
    report = replace(reports["solution"], verdict=Verdict.INTERNAL, score=None)
    assert json.loads(to_json(report))["score"] is None


def test_the_schema_refuses_a_missing_outcome_key_and_a_bare_number_word(reports):
    validator = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    data = to_dict(reports["odd"])
    del data["outcomes"][0]["verdict"]
    data["outcomes"][1]["duration_s"] = "nan"
    assert {error.validator for error in validator.iter_errors(data)} == {"required", "type"}


# ---- text -------------------------------------------------------------------------------------


def normalised(text: str, report: Report, lesson: Lesson) -> str:
    for found, name in (
        (str(lesson.solution), "SOLUTION"),
        (f"JAX {report.versions['jax']}", "JAX VERSION"),
        (f"sandbox {report.sandbox}", "sandbox SANDBOX"),
    ):
        assert found in text or name == "SOLUTION"
        text = text.replace(found, name)
    text = re.sub(rf"seed {report.seed} \(--seed {report.seed} ", "seed SEED (--seed SEED ", text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


@pytest.mark.parametrize("name", ["solution", "wrong axis", "scaffold", "syntax error"])
def test_the_text_is_as_it_was_approved(reports, lesson, name):
    # Long paths wrap, so a short one stands in for that of this machine.
    lesson = replace(lesson, solution=Path("SOLUTION"))
    text = normalised(text_of(reports[name], lesson), reports[name], lesson)
    golden = GOLDEN / f"{name.replace(' ', '-')}.txt"
    if os.environ.get("HEADWORK_RENEW_GOLDEN") == "1":
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_the_mistake_is_named_with_a_question_and_with_all_hints_when_verbose(reports, lesson):
    hints = next(one.hints for one in lesson.misconceptions if one.name == "softmax-over-queries")
    short, long = (
        " ".join(re.sub(r"[│\s]+", " ", text_of(reports["wrong axis"], lesson, verbose=verbose)).split())
        for verbose in (False, True)
    )
    assert "the mistake softmax over the queries (axis 0)" in short
    assert f"ask yourself {hints[0]}" in short
    assert hints[2] not in short
    assert all(hint in long for hint in hints)


def test_text_of_the_student_is_shown_as_it_is_and_cannot_reach_the_terminal(reports, lesson):
    for verbose in (False, True):
        text = text_of(reports["odd"], lesson, verbose=verbose)
        assert "[bold]loud[/bold]" in text
        assert ":smile:" in text
        assert "[/nothing] [red]no[/red]" in text
        assert all(char.isprintable() or char == "\n" for char in text)
    assert all(char.isprintable() or char == "\n" for text in strings(to_dict(reports["odd"])) for char in text)


def test_long_output_is_cut_from_above_and_says_how_much(reports, lesson):
    printed = "".join(f"line {number}\n" for number in range(20))
    raised = (Event(3, "raised", "ValueError: 1"),)
    text = text_of(replace(reports["solution"], stdout=printed, truncated=True, events=raised), lesson)
    assert "printed (the last 8 of 20 lines; --verbose shows all) (cut: it went on):" in text
    lines = [line.strip() for line in text.splitlines()]
    assert "line 12" in lines
    assert "line 11" not in lines


def test_what_a_sound_file_printed_is_shown_on_demand_only(reports, lesson):
    text = text_of(replace(reports["solution"], stdout="the answer\n", stderr="", events=()), lesson)
    assert "the answer" not in text
    assert "main.py printed 1 line" in text


def test_an_internal_fault_is_not_blamed_on_the_student(reports, lesson):
    first = reports["solution"].outcomes[0]
    broken: Outcome = replace(first, verdict=Verdict.INTERNAL, points=0, message="The check itself broke: [x]")
    report = replace(reports["solution"], verdict=Verdict.INTERNAL, score=None, outcomes=(broken,))
    text = text_of(report, lesson)
    assert "the grader failed: no score, and no fault of yours" in text
    assert "points ·" not in text
    assert "The check itself broke: [x]" in text


def test_numbers_of_a_witness_can_be_typed_again(reports, lesson):
    inputs = {"q": np.array([[2.0, -0.125]])}
    witness = Witness(inputs, np.array([[0.5]]), np.array([[1 / 3]]), (0, 0), 1e-6, 0.1667)
    first = replace(reports["solution"].outcomes[0], verdict=Verdict.FAIL, points=0, message="No.", witness=witness)
    text = text_of(replace(reports["solution"], verdict=Verdict.FAIL, outcomes=(first,)), lesson)
    assert "q = [[2, -0.125]]" in text
    assert "right = [[0.5]]" in text
    assert "yours = [[0.333333]]" in text
    assert "largest error 0.167 at [0, 0], allowed 1e-06" in text


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.float64(2), "2"),
        (np.array([1 / 3, np.nan, np.inf]), "[0.333333, nan, inf]"),
        (np.zeros((2, 0)), "[[], []]"),
        (np.ones((50, 2)), f"[{', '.join(['[1, 1]'] * 30)}, …]  (the first 30 of 50 rows)"),
    ],
)
def test_arrays_are_written_as_lists_and_long_ones_cut_by_rows(array, text):
    assert typed(array) == text


@pytest.mark.parametrize("shape", [(1, 100), (1, 1, 61), (100,), (3, 40), (1, 70, 2)])
def test_a_long_array_is_cut_by_rows_wherever_its_rows_are(shape):
    said = typed(np.zeros(shape))
    assert "…" in said
    assert said.count("0") < 100
