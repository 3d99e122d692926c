"""Where things are in a notebook: cells and their lines in events, replies and texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.grading import grade
from grader.model import Event, Lesson, Report
from grader.percent import as_json
from grader.place import all_in_words, in_words, place
from grader.reporting.report import SCHEMA, to_dict
from grader.reporting.view import happenings
from grader.submission import read_submission


def graded(lesson: Lesson, folder: Path, *cells: str) -> Report:
    notebook = new_notebook(cells=[new_markdown_cell("# Work"), *map(new_code_cell, cells)])
    path = folder / "main.ipynb"
    path.write_text(as_json(notebook), encoding="utf-8")
    return grade(lesson, read_submission(path), seed=0)


@pytest.fixture(scope="module")
def report(lesson, tmp_path_factory) -> Report:
    return graded(
        lesson,
        tmp_path_factory.mktemp("notebook"),
        "%matplotlib inline\nimport jax.numpy as jnp",
        "def attend(q, k, v):\n    weights = jnp.ones((len(q), len(k)))\n    raise ValueError('here')",
        "",
        "x = 1\n\nassert x == 2",
        "def inner():\n    order = jnp.array([2, 0, 1])",
        "right_w = jnp.zeros((2, 3))",
        "y = 0\nright_w = jnp.ones((2, 3))",
    )


def test_an_event_has_its_cell_and_the_line_in_it(report):
    assert Event(None, "note", "cell 1: left out %matplotlib inline") in report.events
    assert Event(3, "raised", "AssertionError: assert x == 2", cell=3) in report.events


def test_a_function_that_raises_is_told_with_its_cell(report):
    assert report.outcomes[0].message.startswith("attend: cell 2, line 3: ValueError: here")


def test_a_name_in_the_wrong_place_is_told_with_its_cell(report):
    messages = " ".join(one.message for one in report.outcomes)
    assert "order is set inside `inner` (cell 4, line 1)" in messages
    assert "right_w is set in cell 5, line 1 and cell 6, line 2; the last counts." in messages


def test_pages_and_terminal_speak_of_cells(report):
    assert [one.where for one in happenings(report)] == ["", "cell 3, line 3"]


def test_a_cell_that_is_no_python_is_named_with_its_own_line(lesson, tmp_path):
    report = graded(lesson, tmp_path, "x = 1\ny = 2", "if x:\n    y = 3\n  z = 4")
    (event,) = [one for one in report.events if one.kind == "unreadable"]
    assert (event.cell, event.line) == (2, 3)


def test_the_line_that_a_syntax_error_refers_to_is_that_of_its_cell(lesson, tmp_path):
    report = graded(lesson, tmp_path, "x = 1\ny = 2", "x = 1\nif x:\ny = 2")
    (event,) = [one for one in report.events if one.kind == "unreadable"]
    assert event.message.startswith("IndentationError: expected an indented block after 'if' statement on line 2")
    assert (event.cell, event.line) == (2, 3)


def test_thousands_of_cells_are_graded(lesson, tmp_path):
    report = graded(lesson, tmp_path, *[f"x{n} = 1" for n in range(20_000)], "assert False")
    assert report.events == (Event(1, "raised", "AssertionError: assert False", cell=20_001),)


def test_a_report_with_cells_holds_to_the_schema(report):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(to_dict(report), json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_a_place_is_counted_in_its_cell():
    assert [place(line, (1, 5)) for line in (None, 1, 2, 4, 6, 9)] == [
        (None, None),
        (1, None),
        (1, 1),
        (3, 1),
        (1, 2),
        (4, 2),
    ]
    assert place(7, ()) == (7, None)


def test_places_in_words():
    assert in_words(3) == "line 3"
    assert in_words(3, 2) == "cell 2, line 3"
    assert all_in_words([(3, None)]) == "line 3"
    assert all_in_words([(3, None), (7, None)]) == "lines 3, 7"
    assert all_in_words([(3, 1), (1, 2)]) == "cell 1, line 3 and cell 2, line 1"
