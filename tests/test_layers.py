"""The diagram of the packages: imports go down only, and JAX stays in the worker."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = (
    ("model", "place"),
    ("errors",),
    ("signature", "cells", "notebook_code", "percent"),
    ("oracle", "lesson", "submission", "drawing", "narration"),
    ("checking", "running", "reporting"),
    ("grading", "preparing"),
    ("classroom", "study"),
    ("authoring",),
    ("site",),
    ("cli",),
)
HEIGHT = {part: height for height, parts in enumerate(LAYERS) for part in parts}
MODULES = sorted(path for path in (ROOT / "grader").rglob("*.py") if "content" not in path.parts)
LESSON_FILES = sorted(path for path in (ROOT / "lessons").glob("*/*.py") if path.name != "equivalents.py")
NOTEBOOKS = {"nbformat", "jupytext", "nbclient", "jupyter_client", "IPython"}
IMPORTERS = {"import_module", "__import__", "find_spec"}


def imported(path: Path) -> Iterator[str]:
    """Full names of all that a file imports, at any depth of the file."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module, names, level):
                base = ".".join([*package[: len(package) - level + 1], *filter(None, [module])]) if level else module
                yield from (f"{base}.{alias.name}" for alias in names)
            case ast.Call(ast.Name(called) | ast.Attribute(attr=called), [ast.Constant(str() as name), *_]):
                if called in IMPORTERS:
                    yield name


def part(name: str) -> str | None:
    """The layer's part that a module of ours belongs to; None for the package itself."""
    pieces = name.split(".")
    return pieces[1] if len(pieces) > 1 and not pieces[1].startswith("__") else None


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def of_grader(names: Iterator[str]) -> set[str]:
    return {name for name in names if name.split(".")[0] == "grader"}


def test_the_files_are_found_and_their_imports_too():
    assert ROOT / "grader" / "running" / "worker.py" in MODULES
    assert ROOT / "lessons" / "transformers-01" / "checks.py" in LESSON_FILES
    assert "grader.model.Lesson" in set(imported(ROOT / "grader" / "grading.py"))
    assert "msvcrt" in set(imported(ROOT / "grader" / "running" / "worker.py"))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_its_own_package_and_what_lies_below(path):
    mine = part(name_of(path))
    if mine is None:  # grader/__init__.py: what a notebook asks for, when it asks
        assert of_grader(imported(path)) == {"grader.study.notebooks.kernel.register"}
        return
    assert mine in HEIGHT, f"give {mine} a place in the diagram"
    for name in of_grader(imported(path)):
        other = part(name)
        assert other in (None, *HEIGHT), f"give {other} a place in the diagram"
        assert other is None or other == mine or HEIGHT[other] < HEIGHT[mine], f"{name_of(path)} imports {name}"


def test_only_the_worker_imports_jax():
    importers = {
        name_of(path) for path in MODULES if any(name.split(".")[0] in ("jax", "jaxlib") for name in imported(path))
    }
    assert importers == {"grader.running.worker"}


@pytest.mark.parametrize("path", LESSON_FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_lesson_computes_without_jax_from_what_lessons_share(path):
    assert not {name for name in imported(path) if name.split(".")[0] in ("jax", "jaxlib")}
    assert {part(name) for name in of_grader(imported(path))} <= {"checking", "oracle", "drawing", "narration"}


def modules_after(program: str) -> set[str]:
    """Names of the modules that are loaded after ``program`` ran in a process of its own."""
    source = program + "\nimport sys\nprint('@@', *sys.modules)\n"
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=300
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("@@")[2].split())


def test_a_whole_grading_leaves_jax_out_of_the_graders_process():
    loaded = modules_after(
        "from grader.grading import grade\n"
        "from grader.lesson import load_lesson\n"
        "from grader.submission import read_submission\n"
        "lesson = load_lesson('transformers-01')\n"
        "report = grade(lesson, read_submission(lesson.solution), seed=0)\n"
        "assert report.score == lesson.max_score, report\n"
    )
    assert "grader.grading" in loaded
    assert not {"jax", "jaxlib", "grader.running.worker"} & loaded
    assert not NOTEBOOKS & loaded


def test_listing_the_lessons_loads_neither_jax_nor_a_lesson():
    loaded = modules_after("from grader.cli.app import app\napp(['list'], standalone_mode=False)")
    assert "grader.cli.learning" in loaded
    assert not {"jax", "jaxlib", "matplotlib"} & loaded
    assert not NOTEBOOKS & loaded
    assert not [name for name in loaded if name.startswith("lesson_")]
