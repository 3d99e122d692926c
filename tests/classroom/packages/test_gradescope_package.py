"""The Gradescope zip, unpacked and run as their harness does: its folders, its scripts, its results."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from jsonschema import validate
from packaging.utils import canonicalize_name

from grader.classroom.packages import engine
from grader.classroom.packages.gradescope import build
from grader.errors import UsageError

ID = "transformers-01"
SCHEMA = json.loads((Path(__file__).parent.parent / "gradescope_results.schema.json").read_text(encoding="utf-8"))
METADATA = {
    "id": 123456,
    "created_at": "2026-03-02T12:00:00.000000-08:00",
    "assignment": {"due_date": "2026-03-01T12:00:00.000000-08:00", "id": 25828, "total_points": "28.0"},
    "submission_method": "upload",
    "users": [{"email": "student-001@example.org", "id": 1234, "name": "Student 001"}],
    "previous_submissions": [],
}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Gradescope's containers are Linux")


def run(script, root):
    # No network: what setup.sh installs is inside the zip, or there already.
    environment = {**os.environ, "AUTOGRADER_ROOT": str(root), "PIP_NO_INDEX": "1"}
    command = ["/bin/sh", str(script)]
    return subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=300
    )


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    """The container after its image was built: the zip in source/, setup.sh run, run_autograder copied."""
    root = tmp_path_factory.mktemp("gradescope") / "autograder"
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    build(ID, root.parent / "autograder.zip", allow_weak_sandbox=True)
    with zipfile.ZipFile(root.parent / "autograder.zip") as archive:
        archive.extractall(root / "source")
    # In place of the download of everything pinned: an environment that sees the packages of this one.
    venv.create(root / "headwork", with_pip=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(root / "headwork")}))
    (site / "installed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    done = run(root / "source" / "setup.sh", root)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.copy(root / "source" / "run_autograder", root / "run_autograder")
    return root


def graded(root, files, metadata=METADATA):
    """results.json for a submission of ``files``."""
    shutil.rmtree(root / "submission")
    (root / "submission").mkdir()
    for name, content in files.items():
        (root / "submission" / name).write_bytes(content)
    text = metadata if isinstance(metadata, str) else json.dumps(metadata)
    (root / "submission_metadata.json").write_text(text, encoding="utf-8")
    (root / "results" / "results.json").unlink(missing_ok=True)
    done = run(root / "run_autograder", root)
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
    validate(results, SCHEMA)
    return results


def test_setup_installs_this_engine_and_no_other(root):
    python = root / "headwork" / "bin" / "python"
    code = "import grader, grader.lesson as l; print(grader.__file__, l.lesson_ids())"
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout.startswith(str(root / "headwork"))
    assert done.stdout.rstrip().endswith(f"['{ID}']")


def test_the_reference_earns_everything_and_its_lateness_is_passed_on(root, lesson):
    results = graded(root, {"main.py": lesson.solution.read_bytes()})
    assert results["score"] == lesson.max_score
    assert all(test.get("status", "passed") == "passed" for test in results["tests"])
    assert results["extra_data"]["late"] is True
    assert results["extra_data"]["sandbox"] in results["output"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"main.py": b"def attend(:\n"}, "line 1: SyntaxError"),
        ({}, "a main.py or main.ipynb is needed"),
        ({"main.ipynb": b'{"cells": ['}, "JSON breaks off"),
        ({"a.py": b"", "b.py": b""}, "none called main.py: a.py, b.py"),
        ({"main.py": b"import os\nprint('{\"score\": 100}')\nos._exit(0)\n"}, ""),
    ],
    ids=["syntax error", "nothing", "broken notebook", "two programs", "ends the process"],
)
def test_a_broken_submission_has_results_too(root, files, words):
    results = graded(root, files, metadata="{broken")
    assert results["score"] == 0
    assert words in str(results)
    assert str(root) not in str(results)


def test_one_program_of_another_name_is_taken(root, lesson):
    results = graded(root, {"transformers-01.py": lesson.scaffold.read_bytes()})
    assert results["score"] == 0
    assert "graded transformers-01.py as main.py" in results["output"]


def test_a_fault_of_the_container_gives_no_results_and_so_no_zero(root):
    (root / "results" / "results.json").unlink(missing_ok=True)
    command = [root / "headwork" / "bin" / "python", "-I", "-m", "grader.classroom.packages.harness"]
    done = subprocess.run(
        [*command, "--lesson", "transformers-99", "--root", root], capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 3
    assert "the grader failed, no results were written: transformers-99: no such lesson" in done.stderr
    assert not (root / "results" / "results.json").exists()


def test_the_zip_is_the_same_bytes_each_time_and_its_scripts_may_run(tmp_path):
    build(ID, tmp_path / "a.zip")
    build(ID, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert archive.namelist() == ["setup.sh", "run_autograder", "requirements.txt", engine.WHEEL]
        assert archive.getinfo("run_autograder").external_attr >> 16 == 0o100755
        assert b"--allow-weak-sandbox" not in archive.read("run_autograder")
        assert b"\r" not in archive.read("setup.sh")
        pins = archive.read("requirements.txt").decode().splitlines()
    assert {"jax", "jaxlib", "numpy", "sandlock"} <= {pin.partition("==")[0] for pin in pins if "==" in pin}
    assert "headwork" not in {pin.partition("==")[0] for pin in pins}


def test_the_wheel_holds_the_files_that_the_build_backend_packs(tmp_path):
    from hatchling.builders.wheel import WheelBuilder

    root = Path(__file__).parents[3]
    (built,) = WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(built) as archive:
        theirs = {name for name in archive.namelist() if ".dist-info/" not in name}
    (tmp_path / "ours.whl").write_bytes(engine.wheel(ID))
    with zipfile.ZipFile(tmp_path / "ours.whl") as archive:
        ours = {name for name in archive.namelist() if ".dist-info/" not in name}
    kinds = tuple(f"grader/content/{kind}/" for kind in ("lessons", "scaffolds", "solutions"))
    wanted = {name for name in theirs if not name.startswith(kinds) or f"/{ID}/" in name}
    assert ours == {name for name in wanted if "__pycache__" not in name}


def test_all_that_the_harness_imports_is_pinned():
    code = (
        "import sys, importlib.metadata as metadata; import grader.classroom.packages.harness; "
        "owners = metadata.packages_distributions(); tops = {name.partition('.')[0] for name in sys.modules}; "
        "print(*{owner for top in tops for owner in owners.get(top, [])})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    imported = {canonicalize_name(name) for name in done.stdout.split()} - {"headwork"}
    assert "numpy" in imported
    assert imported <= {pin.partition("==")[0] for pin in engine.pins()} | {"setuptools", "pip"}


def test_an_unknown_lesson_is_named(tmp_path):
    with pytest.raises(UsageError, match="transformers-1: no such lesson; did you mean transformers-01"):
        build("transformers-1", tmp_path / "a.zip")
    assert list(tmp_path.iterdir()) == []
