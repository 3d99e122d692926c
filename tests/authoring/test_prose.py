"""The page held to what it computes: numbers, code results, cells; and the cells of a main.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.authoring.prose import agrees, scaffold_problems, stale_cells, stale_code, stale_numbers
from grader.cells import Cell, split_cells, with_cell
from grader.errors import LessonError
from grader.model import Lesson

# ---- numbers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("0.33", 1 / 3),
        ("1/3", 1 / 3),
        ("2", 2.0),
        ("2", 2.4),
        ("-1.3", -1.25),
        ("\u22121.3", -1.25),
        ("16,384,000", 16_384_000),
        ("[0.5, 3]", np.array([0.5, 3.0])),
        ("[[1, 2], [3, 4]]", np.array([[1, 2], [3, 4]])),
        ("0.0000004", 3.6e-7),
    ],
)
def test_a_printed_number_agrees_with_what_it_was_rounded_from(literal, value):
    assert agrees(literal, value)


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("0.34", 1 / 3),
        ("1/3", 0.3333),
        ("2", 2.6),
        ("1.3", -1.3),
        ("[0.5, 3]", np.array([0.5, 3.6])),
        ("[0.5, 3]", np.array([[0.5, 3.0]])),
        ("[0.5, 3]", np.array([0.5, 3.0, 0.0])),
        ("2", np.nan),
    ],
)
def test_a_printed_number_disagrees_with_anything_else(literal, value):
    assert not agrees(literal, value)


@settings(deadline=None)
@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_what_is_printed_with_any_number_of_decimals_agrees_and_a_unit_more_does_not(value, decimals):
    assert agrees(f"{value:.{decimals}f}", value)
    assert not agrees(f"{value:.{decimals}f}", value + 1.5 * 10.0**-decimals)


def numbers(text: str) -> list[str]:
    return list(stale_numbers(text, {"pair": np.array([0.25, 0.75])}))


def test_numbers_are_held_to_their_expressions():
    assert numbers("Weights 0.25<!--= pair[0] --> and [0.25, 0.75]<!--= pair -->, sum 1<!--= pair.sum() -->.") == []
    assert numbers("\nWeights 0.26<!--= pair[0] -->.") == ["lesson.md:2: 0.26 where pair[0] gives 0.25"]
    assert numbers("0.25<!--= other[0] -->") == ["lesson.md:1: other[0]: NameError: name 'other' is not defined"]


def test_a_decimal_without_an_expression_is_named_and_code_blocks_are_not_searched():
    (problem,) = numbers("```text\n0.5 0.5\n```\n\nIt is 0.75, in version 1.2.3 of x0.5.")
    assert problem == "lesson.md:5: 0.75 has no expression behind it: write 0.75<!--= … -->"


# ---- code ---------------------------------------------------------------------------------


def test_printed_results_are_held_to_what_the_blocks_print_as_one_program():
    page = (
        "# Page\n```python\nx = 2\nprint(x + 1)  # → 3\nprint(x + 1)  # → 4\n```\n"
        "```text\nprint(x)  # → 99\n```\n"
        "```python\nfor i in [x]:\n    print(i)  # → 2\nprint(missing)  # → 5\n```\n"
    )
    problems = list(stale_code(page))
    assert "lesson.md:5: prints '3' where the page says '4'" in problems
    assert any("does not run: NameError" in problem and "print(missing)" in problem for problem in problems)
    assert all(":4:" not in problem and "99" not in problem and "'2'" not in problem for problem in problems)


# ---- cells ----------------------------------------------------------------------------------

SOURCE = (
    '"""Doc."""\n\n# %% One\nimport m\n\n\n# %% Two\ndef f():\n    return m.g\n\n\nx, _ = f()\n\n# %% Three\ny = x\n'
)


def test_cells_have_titles_texts_and_the_names_that_they_set():
    cells = split_cells(SOURCE)
    assert [cell.title for cell in cells] == ["One", "Two", "Three"]
    assert cells[1].text == "# %% Two\ndef f():\n    return m.g\n\n\nx, _ = f()"
    assert [cell.names for cell in cells] == [{"m"}, {"f", "x"}, {"y"}]
    assert Cell("", "import a.b as c, d.e\nfor i in z: w[0] = i").names == {"c", "d", "i"}


def test_a_replacement_takes_the_place_of_all_cells_that_set_its_names():
    replacement = Cell("New", "# %% New\nx = y = 1")
    assert with_cell(SOURCE, replacement) == "# %% One\nimport m\n\n\n# %% New\nx = y = 1\n"


def test_a_replacement_that_sets_nothing_known_changes_no_cell():
    assert [cell.text for cell in split_cells(with_cell(SOURCE, Cell("New", "# %% New\nz = 1")))] == [
        cell.text for cell in split_cells(SOURCE)
    ]


@pytest.fixture
def written(lesson: Lesson, tmp_path: Path):
    """The lesson with this scaffold and this solution."""

    def written(scaffold: str, solution: str) -> Lesson:
        paths = [tmp_path / folder / lesson.id / "main.py" for folder in ("scaffolds", "solutions")]
        for path, text in zip(paths, (scaffold, solution), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return replace(lesson, scaffold=paths[0], solution=paths[1])

    return written


def test_the_page_has_to_show_every_cell_word_for_word(written):
    lesson = written("# %% One\nx = ...  # TODO\n", "# %% One\nx = 1\n")
    assert (
        list(stale_cells("```python\n# %% One\nx = 1\n```\n\n```text\n# %% One\nx = ...  # TODO\n```\n", lesson)) == []
    )
    (problem,) = stale_cells("```python\n# %% One\nx = 1\n```\n\n```text\n# %% One\nx = ...\n```\n", lesson)
    assert problem == "lesson.md: no code block is the cell 'One' of scaffolds/transformers-01/main.py"


def test_scaffold_and_solution_may_differ_in_todo_lines_only(written):
    assert scaffold_problems(written("a = 1\nx = ...  # TODO: one\nb = 2\n", "a = 1\nx = 1\ny = 2\nb = 2\n")) == []
    assert scaffold_problems(written("a = 1\nb = 3\n", "a = 1\nb = 2\n")) == [
        "main.py:2: differs from the solution and is no TODO: b = 3"
    ]
    assert scaffold_problems(written("a = 1\nc = 3\n", "a = 1\nb = 2\nc = 3\n")) == [
        "main.py:2: the solution has lines here that no TODO stands for"
    ]


def test_a_left_over_line_of_the_scaffold_is_named(written):
    assert scaffold_problems(written("a = 1\nextra = 0\nc = 3\n", "a = 1\nc = 3\n")) == [
        "main.py:2: differs from the solution and is no TODO: extra = 0"
    ]


def test_an_empty_scaffold_is_an_error_of_the_lesson(written):
    with pytest.raises(LessonError, match=r"main\.py: empty; write it"):
        scaffold_problems(written("", "a = 1\n"))
