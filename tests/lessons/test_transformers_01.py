"""transformers-01: its mutants, its odd right and wrong answers; and that verify can fail."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grader.authoring.numpy_student import NumpyProgram
from grader.authoring.prose import page_problems
from grader.authoring.record import stale_files
from grader.authoring.verify import (
    equivalents_promise,
    misconceptions_promise,
    mutants_promise,
    scaffold_promise,
    solution_promise,
)
from grader.checking.examine import examine
from grader.grading import grade
from grader.lesson import content_root, load_lesson
from grader.model import Lesson, Verdict
from grader.oracle.attention import scaled_dot_product_attention
from grader.submission import read_submission

ID = "transformers-01"

DIRECT = '''
import jax


def attend(q, k, v):
    """The library's function, which asks for values as wide as the keys."""
    q, k, v = (part[None, :, None, :] for part in (q, k, v))
    output = jax.nn.dot_product_attention(q, k, v)[0, :, 0]
    scores = q[0, :, 0] @ k[0, :, 0].T / jnp.sqrt(k.shape[-1])
    return output, jax.nn.softmax(scores, axis=-1)


'''


def test_every_mutant_is_killed(lesson):
    assert mutants_promise(lesson).problems == ()


# ---- answers that look wrong or right -----------------------------------------------------------------


def test_dot_product_attention_called_directly_fails_the_value_width_and_nothing_else(lesson, solution, tmp_path):
    start, end = solution.index("def attend"), solution.index("# %% Step 3")
    path = tmp_path / "main.py"
    path.write_text(solution[:start] + DIRECT + solution[end:], encoding="utf-8")
    report = grade(lesson, read_submission(path), seed=0)
    bad = {one.check for one in report.outcomes if one.max_points and one.verdict is not Verdict.PASS}
    assert bad == {"value_width", "scalar_values"}
    states = {one.name: one.state for one in report.exercises}
    assert states.pop("value-width") == "attempted"
    assert set(states.values()) == {"done"}


@pytest.mark.parametrize(
    ("order", "right"),
    [
        ([0, 1, 2], False),
        ([2, 1, 0], False),
        ([0, 2, 1], True),
        ([1, 0, 2], True),
        ([1, 2, 0], True),
        ([2, 0, 1], True),
        ([0, 0, 1], False),
        ([1, 2, 3], False),
    ],
)
def test_an_order_is_right_when_it_makes_a_difference(lesson, order, right):
    attend = lesson.families["attend"].variant()
    answers = dict(lesson.answers(attend))
    q, k, v, rows = answers["q_new"], answers["k"], answers["v"], np.array(order) % 3
    answers |= {
        "order": np.array(order),
        "paired": attend(q, k[rows], v[rows])[0],
        "mismatched": attend(q, k, v[rows])[0],
    }
    outcomes = examine(lesson, NumpyProgram({"attend": attend}, answers), seed=0)
    mine = [one for one in outcomes if one.exercise == "permutation"]
    assert all(one.verdict is Verdict.PASS for one in mine) == right
    assert all(one.message for one in mine if one.verdict is Verdict.FAIL)
    assert all(one.verdict is Verdict.PASS for one in outcomes if one.max_points and one not in mine)


# ---- verify is able to fail -------------------------------------------------------------------------------


@pytest.fixture
def broken(tmp_path: Path) -> Callable[..., Lesson]:
    """The lesson from a copy in which one text of one file was replaced."""

    def broken(file: str, old: str, new: str) -> Lesson:
        for part in ("lessons", "scaffolds", "solutions"):
            shutil.copytree(
                content_root() / part / ID, tmp_path / part / ID, ignore=shutil.ignore_patterns("__pycache__")
            )
        path = tmp_path / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return load_lesson(ID, tmp_path)

    return broken


def only(lesson: Lesson, exercise: str) -> Lesson:
    """The lesson with the checks of one exercise, without what they need of others."""
    return replace(
        lesson,
        exercises=(lesson.exercise(exercise),),
        checks=tuple(replace(check, needs=()) for check in lesson.checks if check.exercise == exercise),
    )


def test_a_wrong_number_and_a_changed_cell_on_the_page_are_reported(broken):
    lesson = broken(f"lessons/{ID}/lesson.md", "[0.5, 3]<!--= mixture_output -->", "[0.5, 4]<!--= mixture_output -->")
    page = lesson.folder / "lesson.md"
    page.write_text(page.read_text("utf-8").replace("print(round(spread(4)))  # → 2", "print(round(spread(4)))  # → 3"))
    lesson.solution.write_text(
        lesson.solution.read_text("utf-8").replace("order = jnp.array([2, 0, 1])", "order = ...")
    )
    problems = "\n".join(page_problems(lesson))
    assert "[0.5, 4] where mixture_output gives [0.5 3. ]" in problems
    assert "prints '2' where the page says '3'" in problems
    assert "no code block is the cell 'Exercise 1: make it yours' of solutions/transformers-01/main.py" in problems


def test_a_stale_figure_and_a_stale_recording_are_reported(broken):
    lesson = broken(f"lessons/{ID}/figures/two-heatmaps.json", "0.333333", "0.333334")
    recorded = lesson.folder / "recorded.txt"
    recorded.write_text(recorded.read_text("utf-8").replace("[[ 7.6748", "[[ 7.6749"), "utf-8")
    assert stale_files(lesson) == [
        f"recorded.txt: not what the reference prints now; run: grade record {ID}",
        f"figures/two-heatmaps.json: not what figures.py draws now; run: grade record {ID}",
    ]


def test_a_surviving_mutant_and_a_listed_one_that_does_not_survive_are_reported(lesson):
    gone = "right_w: exponentials.sum(axis=-1, keepdims=True) → exponentials.sum(axis=1, keepdims=True)"
    listed = {change: reason for change, reason in lesson.equivalent_mutants.items() if not change.startswith("attend")}
    del listed[gone]
    part = replace(only(lesson, "softmax-axis"), equivalent_mutants={**listed, "x: 1 → 2": "made up"})
    promise = mutants_promise(part)
    assert len(promise.problems) == 2
    assert f"{gone}: survives; catch it, or list it as equivalent" in promise.problems[0]
    assert promise.problems[1] == "equivalent_mutants: 'x: 1 → 2': no survivor is this; remove it"


def test_a_misconception_that_no_check_catches_is_reported(lesson):
    some = tuple(one for one in lesson.misconceptions if one.name in ("softmax-over-queries", "scores-returned"))
    blind = replace(lesson, misconceptions=some, checks=lesson.checks[:1])
    assert misconceptions_promise(blind).problems == (
        "softmax-over-queries: survives all checks; write one that catches it",
        "scores-returned: survives all checks; write one that catches it",
    )


def test_a_misconception_that_cannot_be_told_from_another_is_reported(lesson):
    one = next(one for one in lesson.misconceptions if one.name == "no-scale")
    double = replace(lesson, misconceptions=(one, replace(one, name="again", title="another title")))
    problems = misconceptions_promise(double).problems
    assert problems == tuple(
        f"{name}: diagnosed as nothing; add a probe that tells them apart" for name in ("no-scale", "again")
    )


def test_a_reference_that_fails_a_check_is_reported(lesson):
    wrong = replace(
        lesson.families["attend"], variant=lambda **parts: lambda q, k, v: scaled_dot_product_attention(q, k, 2 * v)
    )
    blamed = replace(lesson, misconceptions=(), families={**lesson.families, "attend": wrong})
    assert "the NumPy reference fails weights_reproduce_output" in "\n".join(misconceptions_promise(blamed).problems)


def test_a_solution_that_fails_and_a_scaffold_that_is_filled_in_are_reported(broken):
    lesson = broken(f"solutions/{ID}/main.py", "sum(axis=0, keepdims=True)", "sum(axis=1, keepdims=True)")
    part = only(lesson, "softmax-axis")
    assert any("seed 19: wrong_softmax_axis: fail" in problem for problem in solution_promise(part).problems)
    shutil.copyfile(lesson.solution, lesson.scaffold)
    assert "repaired_axis: pass, todo is right" in scaffold_promise(part).problems


def test_an_equivalent_that_is_none_is_reported_by_its_title(broken):
    lesson = broken(f"lessons/{ID}/equivalents.py", "# %%", "# %%")
    cell = "# %% mixed up\nwrong_w = right_w = jnp.full((2, 3), 1 / 3)\n"
    (lesson.folder / "equivalents.py").write_text(cell, encoding="utf-8")
    problems = equivalents_promise(only(lesson, "softmax-axis")).problems
    assert len(problems) == 1
    assert problems[0].startswith("mixed up: wrong_softmax_axis: fail")
