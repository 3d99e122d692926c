"""transformers-03: what its contract leaves open, its figures."""

from __future__ import annotations

import numpy as np
import pytest

from grader.authoring.numpy_student import NumpyProgram
from grader.checking.examine import examine
from grader.lesson import import_file, load_lesson
from grader.model import Lesson, Verdict

ID = "transformers-03"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(ID)


# ---- what the contract leaves open ---------------------------------------------------------------------


def outcomes_of(lesson: Lesson, **variables: object) -> dict[str, Verdict]:
    """Verdicts for a right student whose file holds other variables."""
    functions = {name: lesson.families[name].variant() for name in lesson.functions}
    answers = {**lesson.answers(**functions), **variables}
    return {one.check: one.verdict for one in examine(lesson, NumpyProgram(functions, answers), seed=0)}


@pytest.mark.parametrize("head", [0, 1, 2, 3])
def test_any_of_the_four_heads_may_be_dropped(lesson, head):
    without = lesson.families["without"].variant()(head)
    assert outcomes_of(lesson, head=np.array(head), without=without)["dropped_head"] is Verdict.PASS


@pytest.mark.parametrize("head", [4, -1, 0.5, [0, 1]])
def test_what_is_no_head_is_refused(lesson, head):
    assert outcomes_of(lesson, head=np.array(head))["dropped_head"] is Verdict.FAIL


def test_no_probe_hides_everything_from_a_token_and_all_sizes_differ(lesson):
    checks = import_file(lesson.folder / "checks.py")
    for mask in (checks.CAUSAL, checks.UNEVEN):
        assert mask.any(axis=1).all()
    assert not np.array_equal(checks.UNEVEN, checks.UNEVEN.T)
    sizes = {checks.T, checks.D, checks.H, checks.G, checks.WIDTH, checks.H * checks.WIDTH, checks.G * checks.WIDTH}
    assert len(sizes) == 7


def test_figures_are_drawn_from_the_function_that_is_passed(lesson, tmp_path):
    figures = import_file(lesson.folder / "figures.py")

    def even(params, x, n_heads, n_kv_heads, mask):
        return np.zeros((len(x), 3)), np.full((n_heads, len(x), len(x)), 1 / len(x))

    figures.draw(tmp_path, multi_head_attention=even)
    assert "row it: 0.20, 0.20, 0.20, 0.20, 0.20" in (tmp_path / "heads.txt").read_text(encoding="utf-8")
    assert "without head 0: animal 0.00" in (tmp_path / "ablation.txt").read_text(encoding="utf-8")
