"""batch, inspect, compare: what an instructor types and reads."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from grader.classroom.gradebook import Gradebook
from grader.classroom.outputs import Latest
from grader.reporting.report import from_dict, to_dict
from grader.running.compile_cache import cache_root
from tests.classroom.batch_command import LESSON, batch, make_class

SEED = 987654321
ROSTER = "id,name,email\ns000,Student 000,\ns001,Student 001,\ns009,Student 009,\n"
Grade = Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with class/, roster.csv and the OUT of a finished batch; what the batch printed."""
    folder = tmp_path_factory.mktemp("graded")
    make_class(folder / "class", 3)
    (folder / "roster.csv").write_text(ROSTER, encoding="utf-8")
    running = batch(folder / "class", folder / "out", "--seed", SEED, "--roster", folder / "roster.csv")
    printed, errors = running.communicate(timeout=300)
    assert running.returncode == 0, errors
    return folder, printed


@pytest.fixture
def grade(run_grade: Grade) -> Grade:
    return lambda *args, **options: run_grade(
        *map(str, args), env=[("HEADWORK_CACHE", str(cache_root())), ("COLUMNS", "200")], **options
    )


def test_it_says_what_it_recognised_what_came_out_and_where(graded):
    folder, printed = graded
    for said in (
        "3 students",
        "3 of 3: 1 pass, 1 fail, 1 todo",
        "1 × no scale",
        "missing: 1\n  Student 009 (s009)",
        "not on the roster: 1\n  s002",
        f"in {folder / 'out'}: class.html, grades.csv, reports, gradebook.sqlite",
    ):
        assert said in printed


def test_every_file_is_there_and_none_tells_the_seed_or_this_machines_paths(graded):
    folder, _ = graded
    out = folder / "out"
    reports = {f"reports/s{number:03}.{kind}" for number in range(3) for kind in ("html", "json")}
    found = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert {*reports, "gradebook.sqlite", "grades.csv", "class.html", "timing.json"} <= found
    for name in sorted({*reports, "grades.csv", "class.html", "timing.json"}):
        text = (out / name).read_text("utf-8")
        assert str(SEED) not in text, name
        assert str(folder) not in text, name


def test_timing_has_the_seconds_of_each_stage(graded):
    timing = json.loads((graded[0] / "out" / "timing.json").read_text("utf-8"))
    assert sorted(timing["submissions"]) == ["s000", "s001", "s002"]
    assert all(stages["run_s"] > 0 and stages["checks_s"] > 0 for stages in timing["submissions"].values())


def test_the_same_command_again_grades_nothing_and_writes_the_same_pages(graded, grade):
    folder, _ = graded
    pages = ("grades.csv", "class.html", "timing.json", "reports/s001.html", "reports/s001.json")
    before = [(folder / "out" / name).read_bytes() for name in pages]
    roster = folder / "roster.csv"
    again = grade("batch", folder / "class", "--lesson", LESSON, "--out", folder / "out", "--roster", roster)
    assert (again.returncode, "3 of 3: 3 graded before" in again.stdout) == (0, True), again.stderr
    assert [(folder / "out" / name).read_bytes() for name in pages] == before


def test_a_report_comes_back_from_the_gradebook_as_it_was(graded):
    with Gradebook.read(graded[0] / "out") as gradebook:
        latest = Latest(gradebook, LESSON)
        for one in latest:
            assert to_dict(from_dict(one.report)) == one.report
        assert any(outcome["witness"] for one in latest for outcome in one.report["outcomes"])
        assert (len(latest), latest[1].student, latest[-1].student) == (3, "s001", "s002")
        assert [one.student for one in latest[:2]] == ["s000", "s001"]
        with pytest.raises(IndexError):
            latest[3]


def test_inspect_shows_the_attempts_and_the_feedback(graded, grade):
    shown = grade("inspect", "s001", "--out", graded[0] / "out")
    assert shown.returncode == 0, shown.stderr
    assert "s001/main.py" in shown.stdout
    assert "no scale: scores not divided by √Dk" in shown.stdout


def test_inspect_names_who_could_be_meant(graded, grade):
    shown = grade("inspect", "s01", "--out", graded[0] / "out")
    assert shown.returncode == 2
    assert "s01: nobody in this gradebook; did you mean s0" in shown.stderr


def test_compare_names_the_student_the_scores_and_the_check(graded, grade, tmp_path):
    folder, _ = graded
    shutil.copytree(folder / "class", tmp_path / "class")
    shutil.copyfile(folder / "class" / "s000" / "main.py", tmp_path / "class" / "s001" / "main.py")
    regraded = grade("batch", tmp_path / "class", "--lesson", LESSON, "--out", tmp_path / "out", "--seed", SEED)
    assert regraded.returncode == 0, regraded.stderr
    changed = grade("compare", folder / "out", tmp_path / "out")
    assert changed.returncode == 1
    assert changed.stdout.startswith("s001 · ")
    assert "scale_calibration: fail (0) → pass (2)" in changed.stdout
    assert changed.stdout.endswith("1 changed\n")
    same = grade("compare", folder / "out", folder / "out" / "gradebook.sqlite")
    assert (same.returncode, same.stdout) == (0, "no score changed\n")


def test_a_dry_run_shows_everybody_and_writes_nothing(graded, grade, tmp_path):
    folder, _ = graded
    out = tmp_path / "out"
    dry = grade(
        "batch", folder / "class", "--lesson", LESSON, "--out", out, "--dry-run", "--roster", folder / "roster.csv"
    )
    assert dry.returncode == 0, dry.stderr
    for said in ("s000/main.py", "s001/main.py", "Student 009 (s009)"):
        assert said in dry.stdout
    assert not out.exists()


def test_the_seed_is_drawn_once_and_serves_the_next_run(grade, tmp_path):
    make_class(tmp_path / "class", 1)
    for more in ((), ("--regrade",)):
        done = grade("batch", tmp_path / "class", "--lesson", LESSON, "--out", tmp_path / "out", "--jobs", 1, *more)
        assert done.returncode == 0, done.stderr
    with Gradebook.read(tmp_path / "out") as gradebook:
        seeds = [one.report["seed"] for one in gradebook.attempts("s000")]
    assert len(seeds) == 2
    assert len(set(seeds)) == 1


def test_a_file_of_another_program_at_out_is_left_alone(graded, grade, tmp_path):
    with closing(sqlite3.connect(tmp_path / "gradebook.sqlite")) as other:
        other.execute("CREATE TABLE theirs (x)")
    before = (tmp_path / "gradebook.sqlite").read_bytes()
    refused = grade("batch", graded[0] / "class", "--lesson", LESSON, "--out", tmp_path)
    assert refused.returncode == 2
    assert "a database of another program; nothing was changed" in refused.stderr
    assert (tmp_path / "gradebook.sqlite").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("batch", "class", "--lesson", "transformers-99", "--out", "out"), "transformers-99: no such lesson"),
        (("batch", "nowhere", "--lesson", LESSON, "--out", "out"), "nowhere"),
        (("batch", "class", "--lesson", LESSON, "--out", "out", "--roster", "none.csv"), "none.csv: no such file"),
        (("inspect", "s000", "--out", "."), "no gradebook; name the folder that grade batch wrote"),
        (("compare", "a", "b"), "a: no gradebook"),
    ],
)
def test_a_wrong_command_is_one_sentence_and_no_traceback(grade, arguments, message):
    done = grade(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
