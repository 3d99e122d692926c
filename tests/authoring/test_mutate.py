"""Mutants: small changes of what the graded names depend on, each once, each a program."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader.authoring.mutate import Mutant, mutants
from grader.model import Lesson


def changes(source: str, *graded: str) -> set[str]:
    """What became what, without the name in front."""
    return {mutant.change.partition(": ")[2] for mutant in mutants(source, graded or ("x",))}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a + b", {"a + b → a - b", "a + b → a", "a + b → b"}),
        ("x = a - b", {"a - b → a + b", "a - b → b - a", "a - b → a", "a - b → b"}),
        ("x = a / b", {"a / b → a * b", "a / b → b / a", "a / b → a", "a / b → b"}),
        ("x = a @ b", {"a @ b → b @ a", "a @ b → a", "a @ b → b"}),
        ("x = a ** b", {"a ** b → a * b", "a ** b → b ** a", "a ** b → a", "a ** b → b"}),
        ("x = f(a, b)", {"f(a, b) → a", "f(a, b) → f(b, a)"}),
        ("x = a.sum()", {"a.sum() → a", "a.sum() → a.mean()"}),
        ("x = m.exp(a)", {"m.exp(a) → a", "m.exp(a) → m.expm1(a)"}),
        ("x = f(k=True)", {"f(k=True) → f()", "f(k=True) → f(k=False)"}),
        ("x = f(-1)", {"f(-1) → -1", "f(-1) → f(0)", "f(-1) → f(1)", "f(-1) → f(-0)", "f(-1) → f(-2)"}),
        ("x = a[1]", {"a[1] → a", "a[1] → a[2]", "a[1] → a[0]"}),
        ("x = a < b", {"x = a < b → x = a <= b"}),
        ("x = a.T", {"x = a.T → x = a"}),
        ("x = 0.5", {"x = 0.5 → x = 1.5", "x = 0.5 → x = 0.0"}),
    ],
)
def test_an_expression_is_changed_in_these_ways(source, expected):
    assert changes(source) == expected


def test_a_returned_pair_is_exchanged():
    assert "return (a, b) → return (b, a)" in changes("def x(a, b):\n    return a, b")


def test_only_what_a_graded_name_depends_on_is_changed():
    source = "import m\nunused = 1 + 1\nbase = 2 * 3\nmiddle = base - 1\nx = middle\nafter = x + 5\n"
    names = {mutant.change.partition(":")[0] for mutant in mutants(source, {"x"})}
    assert names == {"base", "middle"}


def test_a_throw_away_name_draws_nothing_in():
    source = "y, _ = 1 + 2, 3\nx, _ = 4 + 5, 6\n"
    assert {mutant.change.partition(":")[0] for mutant in mutants(source, {"x"})} == {"_, x"}


def test_docstrings_and_annotations_are_left_alone():
    source = 'def x(a: t[0] = 1) -> t[2]:\n    """Sum 1 + 2."""\n    return a\n'
    assert len(mutants(source, {"x"})) == 2  # the default, twice
    assert all("t[0]" in mutant.source and "t[2]" in mutant.source for mutant in mutants(source, {"x"}))
    assert all("Sum 1 + 2." in mutant.source for mutant in mutants(source, {"x"}))


def test_a_change_that_changes_nothing_is_no_mutant():
    assert mutants("x = a", {"x"}) == []
    assert all("f(a, a)" not in mutant.source for mutant in mutants("x = f(a, a)", {"x"}))


def test_two_changes_to_one_text_are_one_mutant():
    sources = [mutant.source for mutant in mutants("x = a + a", {"x"})]
    assert sorted(sources) == ["x = a", "x = a - a"]


def test_the_line_is_that_of_the_changed_node():
    assert {mutant.line for mutant in mutants("\n\nx = f(\n    a + b\n)\n", {"x"}) if "+" in mutant.change} >= {4}


@pytest.fixture(scope="module")
def of_the_solution(lesson: Lesson) -> list[Mutant]:
    graded = {name for exercise in lesson.exercises for name in exercise.names}
    return mutants(lesson.solution.read_text(encoding="utf-8"), graded)


def test_every_mutant_of_a_solution_is_another_program(of_the_solution, lesson: Lesson):
    original = ast.unparse(ast.parse(Path(lesson.solution).read_text(encoding="utf-8")))
    texts = [mutant.source for mutant in of_the_solution]
    assert len(set(texts)) == len(texts) > 100
    for text in texts:
        compile(text, "mutant", "exec")
        differing = [pair for pair in zip(text.splitlines(), original.splitlines(), strict=True) if len(set(pair)) > 1]
        assert len(differing) == 1


def test_the_listed_equivalent_mutants_of_the_lesson_exist(of_the_solution, lesson: Lesson):
    assert set(lesson.equivalent_mutants) <= {mutant.change for mutant in of_the_solution}
