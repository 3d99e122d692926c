"""transformers-05: its page, material and generated files, its plain programs, its figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from grader.authoring.material_promises import material_problems
from grader.authoring.prose import page_problems, scaffold_problems
from grader.authoring.record import stale_files
from grader.authoring.verify import scaffold_promise
from grader.lesson import import_file, load_lesson
from grader.model import Lesson

ID = "transformers-05"


@pytest.fixture(scope="module")
def block_lesson() -> Lesson:
    return load_lesson(ID)


@pytest.mark.parametrize("problems", [scaffold_problems, page_problems, material_problems, stale_files])
def test_the_lesson_keeps_what_its_files_promise(block_lesson, problems):
    assert list(problems(block_lesson)) == []


def test_the_scaffold_earns_nothing_and_fails_nothing(block_lesson):
    assert scaffold_promise(block_lesson).problems == ()


def run_plainly(path: Path) -> str:
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
    return done.stdout


def test_the_solution_runs_by_itself_and_prints_what_was_recorded(block_lesson):
    printed = run_plainly(block_lesson.solution)
    assert printed.rstrip() in (block_lesson.folder / "recorded.txt").read_text(encoding="utf-8")
    assert "Still to do" not in printed


def test_the_scaffold_runs_by_itself_and_says_what_to_do_next(block_lesson):
    printed = run_plainly(block_lesson.scaffold)
    for name in ("layer_normed", "gated", "output", "factor", "unfused", "from_repair"):
        assert name in printed.partition("Still to do:")[2].partition("\n")[0]
    assert f"Fill in the first TODO from the top, save, then: grade lesson {ID}" in printed


def test_every_exercise_is_worth_something_and_every_mistake_has_a_title_of_its_own_per_function(block_lesson):
    for exercise in block_lesson.exercises:
        assert sum(check.points for check in block_lesson.checks if check.exercise == exercise.name) >= 2
    titles: dict[tuple[str, str], set[str]] = {}
    for one in block_lesson.misconceptions:
        titles.setdefault((one.function, one.title), set()).add(one.name)
    assert all(len(names) == 1 for names in titles.values())


def test_figures_follow_the_functions_they_are_drawn_from(block_lesson, tmp_path):
    figures = import_file(block_lesson.folder / "figures.py")
    figures.draw(
        tmp_path,
        swiglu=lambda x, gate, up, down: (np.maximum(x @ gate, 0) * (x @ up)) @ down,
        block=lambda params, x, heads, kv_heads: 2 * x,
    )
    gates = json.loads((tmp_path / "gates.json").read_text(encoding="utf-8"))
    assert gates["SiLU"] == gates["ReLU"]
    sizes = json.loads((tmp_path / "stream-size.json").read_text(encoding="utf-8"))
    np.testing.assert_allclose(np.diff(np.log2(sizes["pre-norm"])), 1, atol=1e-3)


def test_without_norms_the_stream_leaves_float32_and_with_pre_norm_it_stays_small(block_lesson):
    figures = import_file(block_lesson.folder / "figures.py")
    assert 4 <= figures.overflow_layer <= 12
    np.testing.assert_allclose(figures.with_post_norm[1:], 1, atol=1e-4)
    assert 3 < figures.with_pre_norm[-1] < 8
    assert (np.diff(figures.with_pre_norm) > 0).all()


def test_the_interactive_figure_starts_from_the_drawn_row(block_lesson):
    figures = import_file(block_lesson.folder / "figures.py")
    start = figures.interactive()["norms"]
    assert start["row"] == figures.SHOWN.tolist()
    assert len(start["gain"]) == len(start["bias"]) == 6
    assert "<!-- interactive: norms -->" in (block_lesson.folder / "lesson.md").read_text(encoding="utf-8").splitlines()
