"""What every lesson promises, but for its mutants, which `grade verify` takes minutes to count."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from grader.authoring.material_promises import material_problems
from grader.authoring.prose import page_problems, scaffold_problems
from grader.authoring.record import stale_files
from grader.authoring.verify import (
    equivalents_promise,
    misconceptions_promise,
    scaffold_promise,
    solution_promise,
)
from grader.lesson import lesson_ids, load_lesson
from grader.model import Lesson


@pytest.fixture(scope="module", params=lesson_ids())
def lesson(request) -> Lesson:
    return load_lesson(request.param)


@pytest.mark.parametrize(
    "problems", [scaffold_problems, page_problems, material_problems, stale_files], ids=lambda one: one.__name__
)
def test_its_files_hold_together(lesson: Lesson, problems: Callable[[Lesson], Sequence[str]]):
    assert list(problems(lesson)) == []


@pytest.mark.parametrize(
    "promised",
    [misconceptions_promise, solution_promise, scaffold_promise, equivalents_promise],
    ids=lambda one: one.__name__,
)
def test_it_keeps_its_promise(lesson: Lesson, promised):
    assert promised(lesson).problems == ()


def run_plainly(path: Path) -> subprocess.CompletedProcess[str]:
    """As a learner runs it; every warning is an error."""
    return subprocess.run(
        [sys.executable, "-W", "error", path.name],
        cwd=path.parent,
        env={**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


def test_the_solution_runs_by_itself_and_prints_what_was_recorded(lesson: Lesson):
    done = run_plainly(lesson.solution)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip() in (lesson.folder / "recorded.txt").read_text(encoding="utf-8")
    assert "Still to do" not in done.stdout


def test_the_scaffold_runs_by_itself_and_says_what_to_do_next(lesson: Lesson):
    done = run_plainly(lesson.scaffold)
    assert (done.returncode, done.stderr) == (0, "")
    open_names = done.stdout.partition("Still to do:")[2].partition("\n")[0]
    variables = {name for exercise in lesson.exercises for name in exercise.names} - lesson.functions.keys()
    assert any(name in open_names for name in variables)
    assert f"then: grade lesson {lesson.id}" in done.stdout
