"""The wheel: what is in it, and that it grades from a folder of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from grader import __version__
from grader.lesson import lesson_ids

ROOT = Path(__file__).parent.parent
PARTS = ("grader", "lessons", "scaffolds", "solutions", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the repository."""
    pytest.importorskip("hatchling", reason="building a wheel needs hatchling")
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name)
        else:
            shutil.copyfile(ROOT / name, source / name)
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=source,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    (found,) = out.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter of an environment that holds the unpacked wheel, and the libraries of this one after it."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    packages = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    (Path(packages) / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return Path(sysconfig.get_path("scripts", vars={"base": str(folder)})) / "python"


def run(python: Path, *args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(python), *args], cwd=cwd, capture_output=True, text=True, encoding="utf-8", timeout=300)


def content(python: Path, cwd: Path) -> Path:
    done = run(python, "-c", "import grader.lesson as l; print(l.content_root())", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def test_the_wheel_holds_lessons_with_all_their_files_and_nothing_that_was_left_lying(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for part in ("lessons", "scaffolds", "solutions"):
        wanted = {
            f"grader/content/{path.relative_to(ROOT).as_posix()}"
            for path in (ROOT / part).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert wanted
        assert wanted <= names
    assert "grader/reporting/report.schema.json" in names
    assert f"headwork-{__version__}.dist-info/licenses/LICENSE" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests/", "benchmarks/"))]


def test_the_wheel_names_its_command_and_what_it_needs(wheel):
    archive = zipfile.ZipFile(wheel)
    info = f"headwork-{__version__}.dist-info"
    assert "grade = grader.cli.app:main" in archive.read(f"{info}/entry_points.txt").decode()
    metadata = archive.read(f"{info}/METADATA").decode()
    assert "License-Expression: Apache-2.0" in metadata
    needed = [
        line.partition(": ")[2]
        for line in metadata.splitlines()
        if line.startswith("Requires-Dist") and "extra" not in line
    ]
    assert {"jax", "numpy", "rich", "typer"} <= {line.partition(">")[0] for line in needed}


def test_an_installed_wheel_lists_its_own_lessons_from_any_folder(python, tmp_path):
    done = run(python, "-m", "grader.cli.app", "list", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(lesson_id in done.stdout for lesson_id in lesson_ids())
    assert ROOT not in content(python, tmp_path).parents


def test_an_installed_wheel_grades_its_own_solution(python, tmp_path):
    solution = content(python, tmp_path) / "solutions" / "transformers-01" / "main.py"
    done = run(python, "-m", "grader.cli.app", "lesson", "transformers-01", str(solution), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "all checks pass" in done.stdout


def test_where_jax_cannot_be_imported_the_grader_says_that_it_failed(python, tmp_path):
    broken = content(python, tmp_path).parent.parent / "jax.py"
    broken.write_text("raise ImportError('no jax for this machine')\n", encoding="utf-8")
    (tmp_path / "main.py").write_text("x = 1\n", encoding="utf-8")
    try:
        done = run(python, "-m", "grader.cli.app", "lesson", "transformers-01", "main.py", cwd=tmp_path)
    finally:
        broken.unlink()
    assert (done.returncode, done.stdout) == (3, "")
    assert "Traceback" not in done.stderr.partition("is jax installed here?")[0], done.stderr
    assert done.stderr.startswith("grade: the grader failed: ")
    assert "is jax installed here?" in done.stderr
    assert "no jax for this machine" in done.stderr
