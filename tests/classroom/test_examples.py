"""The example class: what each submission comes to, and that folder and zip are the same class."""

from __future__ import annotations

import ast
import importlib.util
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from graded_examples import EXAMPLES

EXPECTED = tomllib.loads((EXAMPLES / "expected.toml").read_text(encoding="utf-8"))
FILES = sorted((EXAMPLES / "class").glob("*/*"))


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_canvas_zip", EXAMPLES / "build_canvas_zip.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(sys.platform != "linux", reason="the hostile ones run where they can be confined")
@pytest.mark.parametrize("student", EXPECTED)
def test_a_submission_gets_the_verdict_score_and_mistakes_that_are_stated(student, example_class):
    report, expected = example_class[student].report, EXPECTED[student]
    mistakes = sorted({one["name"] for outcome in report["outcomes"] for one in outcome["diagnosis"]})
    assert (report["verdict"], report["score"], mistakes) == (
        expected["verdict"],
        expected["score"],
        expected["mistakes"],
    )


def test_every_submission_is_stated_and_each_student_has_one_file():
    assert [file.parent.name for file in FILES] == list(EXPECTED)


def test_the_zip_is_what_the_builder_makes_of_the_folder(builder):
    assert (EXAMPLES / "canvas-download.zip").read_bytes() == builder.canvas_zip()


def test_the_zip_holds_the_folders_files_under_names_of_canvas_and_nothing_else_of_students():
    with zipfile.ZipFile(EXAMPLES / "canvas-download.zip") as archive:
        packed = {name: archive.read(name) for name in archive.namelist() if not name.startswith("__MACOSX/")}
        assert len(packed) < len(archive.namelist())
    assert sorted(packed.values()) == sorted(file.read_bytes() for file in FILES)
    assert [name for name in packed if "_LATE_" in name] == ["student009_LATE_1009_50009_main.py"]
    assert [name for name in packed if "-1." in name] == ["student006_1006_50006_main-1.py"]
    assert "student004_1004_50004_main.ipynb" in packed


@pytest.mark.parametrize("file", [file for file in FILES if file.suffix == ".py"], ids=lambda file: file.parent.name)
def test_only_the_one_that_is_said_to_be_broken_is_no_python(file: Path):
    broken = "syntax" in EXPECTED[file.parent.name]["shows"]
    try:
        ast.parse(file.read_text(encoding="utf-8"))
    except SyntaxError:
        assert broken
    else:
        assert not broken
