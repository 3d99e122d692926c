"""transformers-02: the promises that take no long run, its plain programs, what its contract leaves open."""

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
from grader.oracle.causal import causal_attention
from grader.running.program import WorkerProgram

ID = "transformers-02"


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


def run_plainly(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", path.name],
        cwd=path.parent,
        env={**os.environ, "JAX_NUMPY_RANK_PROMOTION": "raise", "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


def test_the_solution_runs_by_itself_and_prints_what_was_recorded(lesson):
    done = run_plainly(lesson.solution)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip() in (lesson.folder / "recorded.txt").read_text(encoding="utf-8")


def test_the_scaffold_runs_by_itself_and_says_what_to_do_next(lesson):
    done = run_plainly(lesson.scaffold)
    assert (done.returncode, done.stderr) == (0, "")
    named = done.stdout.partition("Still to do:")[2].partition("\n")[0]
    for name in ("output", "free_w", "changed", "two_layers", "repaired"):
        assert name in named


def test_a_figure_shows_a_learners_own_leak(lesson, tmp_path):
    figures = import_file(lesson.folder / "figures.py")
    figures.draw(tmp_path, causal_mask=lambda tq, tk: np.tri(tq, tk, 1, dtype=bool))
    assert "query 0: 1, 1, 0, 0; sum 2" in (tmp_path / "triangle.txt").read_text(encoding="utf-8")


def outcomes_with(lesson: Lesson, **changed: object):
    """The reference's variables with some of them changed, examined."""
    functions = {name: lesson.families[name].variant() for name in lesson.functions}
    answers = {**lesson.answers(**functions), **changed}
    return {one.check: one for one in examine(lesson, NumpyProgram(functions, answers), seed=0)}


@pytest.mark.parametrize("t", range(9))
def test_any_position_and_any_ending_is_right(lesson, t):
    functions = {name: lesson.families[name].variant() for name in lesson.functions}
    answers = lesson.answers(**functions)
    late = np.arange(10)[:, None] > t
    new_k, new_v = np.where(late, answers["k"] - 1.5, answers["k"]), np.where(late, 9.0, answers["v"])
    changed, _ = causal_attention(answers["q"], new_k, new_v)
    outcomes = outcomes_with(lesson, t=np.array(t), new_k=new_k, new_v=new_v, changed=changed)
    assert {one.verdict for one in outcomes.values() if one.max_points} == {Verdict.PASS}


@pytest.mark.parametrize(
    ("change", "check", "said"),
    [
        ({"t": np.array(9)}, "another_ending", "a position from 0 to 8"),
        ({"t": np.array(7)}, "another_ending", "rows 0 to 7 stay as they are"),
        ({"window_w": np.tri(10) / np.arange(1, 11)[:, None]}, "window_of_three", "keys i - 2, i - 1 and i"),
    ],
)
def test_an_exercise_that_went_wrong_says_so(lesson, change, check, said):
    outcomes = outcomes_with(lesson, **change)
    assert outcomes[check].verdict is Verdict.FAIL
    assert said in outcomes[check].message


def test_a_mistake_in_the_mask_is_reported_there_and_what_builds_on_it_waits(lesson):
    top_left = {one.function: one.switches for one in lesson.misconceptions if one.name == "top-left"}
    functions = {name: lesson.families[name].variant(**top_left.get(name, {})) for name in lesson.functions}
    program = NumpyProgram(functions, lesson.answers(**functions))
    outcomes = {one.check: one for one in examine(lesson, program, seed=0)}
    assert outcomes["aligned_at_the_end"].verdict is Verdict.FAIL
    assert outcomes["last_queries_alone"].verdict is Verdict.SKIP
    assert outcomes["running_mean"].verdict is Verdict.PASS
