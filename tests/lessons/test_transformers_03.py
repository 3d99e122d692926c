"""transformers-03: the promises that take no long run, its plain programs, what its contract leaves open."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from grader.authoring.kept_worker import KeptWorker
from grader.authoring.material_promises import material_problems
from grader.authoring.numpy_student import NumpyProgram
from grader.authoring.prose import scaffold_problems
from grader.authoring.verify import misconceptions_promise, scaffold_promise
from grader.checking.examine import examine
from grader.lesson import import_file, load_lesson
from grader.model import Lesson, Submission, Verdict
from grader.running.program import WorkerProgram

ID = "transformers-03"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson(ID)


def test_the_scaffold_is_the_solution_but_for_its_todos(lesson):
    assert scaffold_problems(lesson) == []


def test_every_misconception_is_caught_and_named(lesson):
    assert misconceptions_promise(lesson).problems == ()


def test_predictions_quiz_walk_and_explanations_hold(lesson):
    assert material_problems(lesson) == []


def test_the_scaffold_earns_nothing_and_says_what_to_write(lesson):
    assert scaffold_promise(lesson).problems == ()


def test_the_solution_earns_full_marks(lesson):
    source = lesson.solution.read_bytes()
    with KeptWorker() as worker, WorkerProgram(Submission("main.py", source, ""), open_worker=worker.open) as program:
        graded = [examine(lesson, program, seed=seed, diagnosing=False) for seed in (3, 4)]
    assert [one.message for outcomes in graded for one in outcomes if one.verdict is not Verdict.PASS] == []


@pytest.mark.parametrize("which", ["solution", "scaffold"])
def test_the_file_runs_by_itself_and_says_what_is_open(lesson, which):
    path: Path = getattr(lesson, which)
    done = subprocess.run(
        [sys.executable, "-W", "error", path.name],
        cwd=path.parent,
        env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert ("Fill in the first TODO from the top" in done.stdout) == (which == "scaffold")


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
