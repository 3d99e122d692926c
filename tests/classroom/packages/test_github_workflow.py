"""The workflow file: valid, for one lesson, and its grading step run for real."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from grader.classroom.packages.github import build, workflow
from grader.errors import UsageError

ID = "transformers-01"


def step(text, name):
    steps = yaml.safe_load(text)["jobs"]["run-autograding-tests"]["steps"]
    return next(one for one in steps if one["name"] == name)


def test_the_reporter_gets_what_the_grading_step_gives(tmp_path):
    path = build(ID, tmp_path)
    assert path == tmp_path / ".github" / "workflows" / "classroom.yml"
    text = path.read_text(encoding="utf-8")
    assert step(text, "Grade")["id"] == "headwork"
    report = step(text, "Report")
    assert report["uses"] == "classroom-resources/autograding-grading-reporter@v1"
    assert report["with"]["runners"] == "headwork"
    assert report["env"] == {"HEADWORK_RESULTS": "${{ steps.headwork.outputs.result }}"}
    assert yaml.safe_load(text)["permissions"]["contents"] == "read"


@pytest.mark.skipif(sys.platform == "win32", reason="the workflow runs on Ubuntu")
def test_the_grading_step_writes_the_points_of_a_push(tmp_path, lesson):
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission" / "main.py").write_bytes(lesson.scaffold.read_bytes())
    output = tmp_path / "output"
    grade = tmp_path / "bin" / "grade"
    grade.parent.mkdir()
    # The command as it is registered, whatever is on this machine's PATH.
    app = "import sys, typer; from grader.cli import learning, exporting; app = typer.Typer(); "
    app += "app.command('lesson')(learning.lesson); app.command('export')(exporting.export); app()"
    grade.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{app}" "$@"\n', encoding="utf-8")
    grade.chmod(0o755)
    script = step(workflow(ID, allow_weak_sandbox=True), "Grade")["run"]
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{grade.parent}{os.pathsep}{os.environ['PATH']}", "GITHUB_OUTPUT": str(output)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    name, _, encoded = output.read_text(encoding="utf-8").rstrip("\n").partition("=")
    result = json.loads(base64.b64decode(encoded, validate=True))
    assert (name, result["status"], result["max_score"]) == ("result", "fail", lesson.max_score)
    assert sum(test["score"] for test in result["tests"]) == 0


def test_the_address_to_install_from_is_kept_in_one_word(tmp_path):
    address = "headwork @ git+https://example.org/x.git@v1"
    assert step(workflow(ID, install=address), "Install Headwork")["env"]["HEADWORK"] == address


@pytest.mark.parametrize("install", ["x'; rm -rf /", "${{ secrets.X }}", "-r evil", "a\nb", ""])
def test_an_address_that_is_none_is_refused(install):
    with pytest.raises(UsageError, match="not what pip installs"):
        workflow(ID, install=install)


def test_confinement_is_demanded_unless_it_is_waived():
    assert "--require-sandbox" in step(workflow(ID), "Grade")["run"]
    assert "--require-sandbox" not in step(workflow(ID, allow_weak_sandbox=True), "Grade")["run"]


def test_the_engine_writes_below_the_folder_only(tmp_path):
    build(ID, tmp_path / "template")
    assert [path.relative_to(tmp_path) for path in tmp_path.rglob("*.yml")] == [
        Path("template/.github/workflows/classroom.yml")
    ]
