"""The command ``grade``: what it prints where, its exit codes, its defaults."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

from grader import __version__
from grader.lesson import content_root
from grader.reporting.report import SCHEMA

ID = "transformers-01"
SCAFFOLD = (content_root() / "scaffolds" / ID / "main.py").read_bytes()
# Right in shape and quick to grade; how far off it is depends on the inputs, and so on the seed.
WRONG = """
import numpy as np

print("printed by the student")


def attend(q, k, v):
    weights = np.abs(q @ k.T) / 100
    return weights @ v, weights
"""


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "work.py"
    path.write_text(WRONG, encoding="utf-8")
    return path


def without_durations(report: dict[str, Any]) -> dict[str, Any]:
    for outcome in report["outcomes"]:
        outcome["duration_s"] = 0
    return report


def test_list_shows_the_lessons_and_the_next_command(run_grade):
    done = run_grade("list")
    assert (done.returncode, done.stderr) == (0, "")
    assert "transformers-01  Attention from small pieces  90 min" in done.stdout
    assert "next: grade start ID" in done.stdout


def test_version_names_the_distribution(run_grade):
    done = run_grade("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"headwork {__version__}\n", "")


def test_help_names_every_command(run_grade):
    done = run_grade("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in ("list", "start", "lesson", "verify", "record"))


def test_start_lays_out_the_scaffold_and_never_overwrites(run_grade, tmp_path):
    done = run_grade("start", ID)
    mine = tmp_path / ID / "main.py"
    assert done.returncode == 0
    assert mine.read_bytes() == SCAFFOLD
    assert f"grade lesson {ID}" in done.stdout
    assert str(content_root() / "lessons" / ID / "lesson.md") in done.stdout
    mine.write_text("precious")
    again = run_grade("start", ID)
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == (
        f"grade: {ID}/main.py: already there and left as it is; go on with: grade lesson {ID}\n".replace("/", os.sep, 1)
    )
    assert mine.read_text() == "precious"


def test_start_does_not_write_through_a_link(run_grade, tmp_path):
    (tmp_path / ID).mkdir()
    (tmp_path / ID / "main.py").symlink_to(tmp_path / "elsewhere.py")
    assert run_grade("start", ID).returncode == 2
    assert not (tmp_path / "elsewhere.py").exists()


def test_start_in_a_place_where_nothing_can_be_written_says_so(run_grade, tmp_path):
    (tmp_path / ID).write_text("a file in the way")
    done = run_grade("start", ID)
    assert done.returncode == 2
    assert "cannot be written (" in done.stderr
    assert "try another folder" in done.stderr


def test_what_was_started_is_found_from_above_and_from_inside(run_grade, tmp_path):
    run_grade("start", ID)
    for folder in (tmp_path, tmp_path / ID):
        done = run_grade("lesson", ID, cwd=folder)
        assert (done.returncode, done.stderr) == (1, "")
        assert f"{ID} · Attention from small pieces · 0 of" in done.stdout
        assert "to be continued" in done.stdout
        assert "to write: The mechanism (attend)" in done.stdout
        assert f"then: grade lesson {ID}" in done.stdout


def test_without_a_file_the_message_says_how_to_get_one(run_grade, tmp_path):
    (tmp_path / "main.py").write_text(WRONG)  # in a folder that does not bear the lesson's name
    done = run_grade("lesson", ID)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such file" in done.stderr
    assert f"grade start {ID}" in done.stderr


@pytest.mark.parametrize("command", ["lesson", "start", "verify"])
def test_an_unknown_lesson_is_met_with_a_suggestion_on_stderr(run_grade, command):
    done = run_grade(command, "transformer-1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"grade: transformer-1: no such lesson; did you mean {ID}?\n"


def test_a_grading_without_a_lesson_asks_which(run_grade):
    done = run_grade("lesson")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "grade: which lesson? name one, such as 1 or transformers-01; see: grade list\n"


@pytest.mark.parametrize(
    "args", [["notebook"], ["lesson", ID, "x.py", "--seed", "-1"], ["nothing"], ["list", "--colour"]]
)
def test_a_command_that_cannot_be_understood_grades_nothing(run_grade, args):
    done = run_grade(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: " in done.stderr


def test_a_missing_file_grades_nothing(run_grade):
    done = run_grade("lesson", ID, "not-there.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("grade: not-there.py: no such file")


def test_the_solution_passes_with_exit_code_zero_from_its_folder(run_grade):
    done = run_grade("lesson", ID, str(content_root() / "solutions" / ID))
    assert (done.returncode, done.stderr) == (0, "")
    assert "all checks pass" in done.stdout


def test_json_holds_to_the_schema_and_a_seed_repeats_it(run_grade, wrong):
    runs = [run_grade("lesson", ID, "work.py", "--json", "--seed", seed) for seed in ("7", "7", "8")]
    assert all((done.returncode, done.stderr) == (1, "") for done in runs)
    first, again, other = (json.loads(done.stdout) for done in runs)
    validate(first, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert (first["seed"], first["verdict"], first["submission"]["path"]) == (7, "fail", "work.py")
    assert first["stdout"] == "printed by the student\n"
    assert without_durations(first) == without_durations(again)
    messages = [[one["message"] for one in report["outcomes"]] for report in (first, other)]
    assert messages[0] != messages[1]


@pytest.mark.parametrize(
    "env",
    [
        [("NO_COLOR", ""), ("TERM", "xterm-256color"), ("COLORTERM", "truecolor")],
        [("PYTHONIOENCODING", "cp1252"), ("PYTHONUTF8", "0"), ("LC_ALL", "C")],
    ],
    ids=["a colourful environment", "a narrow encoding"],
)
def test_without_a_terminal_the_report_is_plain_utf_8(run_grade, wrong, env):
    done = run_grade("lesson", ID, "work.py", "--seed", "1", env=env)
    assert (done.returncode, done.stderr) == (1, "")
    assert "\x1b" not in done.stdout
    assert "not there yet" in done.stdout
    assert "✗" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_verbose_shows_every_check(run_grade, wrong, lesson):
    short, long = (run_grade("lesson", ID, "work.py", "--seed", "1", *more).stdout for more in ([], ["--verbose"]))
    # Long titles wrap in their column; their first words do not.
    assert [check.name for check in lesson.checks if check.points and f" {check.title[:24]}" not in long] == []
    assert len(long.splitlines()) > len(short.splitlines())
    assert "--verbose shows each of these in full" in short


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize("args", [["list"], ["--help"], ["lesson", ID, "work.py", "--json"]], ids=lambda args: args[0])
def test_a_reader_that_has_seen_enough_is_no_error(args, wrong, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "grader.cli.app", *args], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as stderr:
        assert stderr.read() == b""
    assert process.wait(timeout=120) in (0, 1, 141)  # 141 as a shell reports SIGPIPE


def test_a_broken_lesson_is_reported_as_the_grader_s(run_grade, tmp_path):
    program = "import sys, grader.lesson as l, pathlib; l.PACKAGE = pathlib.Path('grader').resolve(); sys.argv[0] = 'grade'; from grader.cli.app import main; main()"  # noqa: E501
    folder = tmp_path / "lessons" / "broken"
    folder.mkdir(parents=True)
    (folder / "lesson.toml").write_text("id = 3")
    done = subprocess.run(
        [sys.executable, "-c", program, "list"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "lesson.toml: " in done.stderr
    assert "is missing; add it" in done.stderr
