"""Progress: kept whatever happens beside it, read under today's names, merged without loss."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UsageError
from grader.lesson import lesson_ids
from grader.model import Event, Lesson, Outcome, Report, Verdict
from grader.study.progress import tables as progress_tables
from grader.study.progress.nouns import merge
from grader.study.progress.record import (
    Answered,
    LessonProgress,
    Predicted,
    Progress,
    read_progress,
    record_grading,
    update,
)
from grader.study.progress.tables import RENAMES, from_document, into_document

NAMES = st.sampled_from(("a", "b", "c"))
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=4)
COUNTS = st.integers(0, 3)
TIMES = st.sampled_from(("2026-11-30T09:00:00Z", "2026-11-30T09:00:01Z", "2026-12-01T00:00:00Z"))
LESSONS = st.builds(
    LessonProgress,
    best=st.none() | COUNTS,
    max_score=st.none() | COUNTS,
    passed_at=st.none() | TIMES,
    digest=TEXTS,
    attempts=st.dictionaries(NAMES, COUNTS),
    gradings=COUNTS,
    last_at=st.none() | TIMES,
    hints=st.dictionaries(NAMES, COUNTS),
    solution_seen=st.booleans(),
    folder=TEXTS,
    predictions=st.dictionaries(NAMES, st.builds(Predicted, TEXTS, TEXTS, TIMES, TEXTS)),
    quiz=st.dictionaries(NAMES, st.builds(Answered, COUNTS, TIMES, COUNTS, COUNTS, TIMES, TEXTS)),
)
PROGRESS = st.builds(Progress, st.dictionaries(NAMES, LESSONS, max_size=2))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "of a learner" / "progress.toml"
    monkeypatch.setenv("HEADWORK_PROGRESS", str(path))
    return path


def report(lesson: Lesson, score: int | None, verdicts: dict[str, Verdict], **more: object) -> Report:
    outcomes = tuple(Outcome(name, "attend", name, verdict, 0, 1, ()) for name, verdict in verdicts.items())
    whole = Report(lesson.id, "digest", "1", 0, "none", {}, "main.py", "", Verdict.FAIL, score, 31, (), outcomes)
    return replace(whole, **more)


# ---- the file --------------------------------------------------------------------


def test_reading_finds_nothing_and_creates_nothing(file):
    assert read_progress() == Progress()
    assert read_progress().lesson("transformers-01") == LessonProgress()
    assert not file.parent.exists()


def test_a_change_is_there_for_the_next_command_and_for_a_person(file):
    update("transformers-01", lambda one: replace(one, best=0, predictions={"mean": Predicted("1/3", 'so "it" is')}))
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# What you have done in Headwork's lessons")
    assert tomllib.loads(text)["format_version"] == 1
    assert read_progress().lesson("transformers-01").best == 0
    assert read_progress().lesson("transformers-01").predictions == {"mean": Predicted("1/3", 'so "it" is')}
    assert {path.name for path in file.parent.iterdir()} <= {"progress.toml", "progress.toml.lock"}


def test_what_a_newer_version_wrote_stays(file):
    file.parent.mkdir()
    newer = {
        "format_version": 2,
        "streak": 7,
        "lessons": {"x": {"best": 3, "mood": "good", "quiz": {"q": {"box": 1, "sure": True}}}, "y": {"new": [1]}},
    }
    file.write_text(tomli_w.dumps(newer), encoding="utf-8")
    update("x", lambda one: replace(one, best=5, hints={"c": 1}))
    kept = tomllib.loads(file.read_text(encoding="utf-8"))
    assert (kept["format_version"], kept["streak"], kept["lessons"]["y"]) == (2, 7, {"new": [1]})
    assert (kept["lessons"]["x"]["best"], kept["lessons"]["x"]["mood"]) == (5, "good")
    assert kept["lessons"]["x"]["quiz"]["q"]["sure"] is True


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("format_version = 1\n[lessons.x\n", "line 2"),
        ("format_version = 1\n\xff", "not TOML"),
        ("best = 1\n", "format_version = 1"),
        ('format_version = 1\n[lessons.x]\nbest = "much"\n', "lessons.x.best: 'much'"),
        ("format_version = 1\n[lessons.x]\nsolution_seen = 1\n", "lessons.x.solution_seen: 1"),
        ("format_version = 1\n[lessons.x.attempts]\nrows = true\n", "lessons.x.attempts.rows: True"),
        ("format_version = 1\n[lessons.x.predictions]\nmean = 3\n", "lessons.x.predictions.mean: 3"),
        ("format_version = 1\nlessons = 3\n", "lessons: 3"),
    ],
)
def test_a_broken_file_is_named_and_left_as_it_is(file, content, said):
    file.parent.mkdir()
    file.write_bytes(content.encode("latin-1"))
    for attempt in (read_progress, lambda: update("x", lambda one: replace(one, best=1))):
        with pytest.raises(UsageError) as caught:
            attempt()
        assert str(file) in str(caught.value)
        assert said in str(caught.value)
        assert "move the file away" in str(caught.value)
    assert file.read_bytes() == content.encode("latin-1")


def test_several_processes_lose_nothing_of_each_other(file):
    program = (
        "import sys\nfrom dataclasses import replace\nfrom grader.study.progress.record import update\n"
        "for n in range(8):\n"
        "    hint = {f'{sys.argv[1]}{n}': n}\n"
        "    update('x', lambda one: replace(one, gradings=one.gradings + 1, hints={**one.hints, **hint}))"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, letter]) for letter in "abc"]
    assert [process.wait(timeout=120) for process in running] == [0, 0, 0]
    kept = read_progress().lesson("x")
    assert kept.gradings == 24
    assert kept.hints == {f"{letter}{n}": n for letter in "abc" for n in range(8)}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_to_a_synchronised_folder_stays_a_link(file, tmp_path):
    real = tmp_path / "synchronised.toml"
    real.write_text("format_version = 1\n", encoding="utf-8")
    file.parent.mkdir()
    file.symlink_to(real)
    update("x", lambda one: replace(one, best=4))
    assert file.is_symlink()
    assert tomllib.loads(real.read_text(encoding="utf-8"))["lessons"]["x"]["best"] == 4


@given(PROGRESS)
def test_what_is_written_is_read_again(progress):
    document = into_document({"format_version": 1}, progress.lessons, "here")
    assert from_document(tomllib.loads(tomli_w.dumps(document)), "here") == progress


def test_reading_progress_loads_nothing_that_a_light_command_would_wait_for():
    program = "import sys, grader.study.progress.record as p\np.read_progress()\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert not {"rich", "filelock", "tomli_w", "matplotlib", "grader.study.material"} & set(done.stdout.split())


# ---- renames ---------------------------------------------------------------------


def test_what_was_kept_under_an_old_name_is_found_under_the_new_one(file, tmp_path, monkeypatch):
    table = tmp_path / "renames.toml"
    table.write_text(
        '[lessons]\n"attention" = "new"\n[predictions.new]\nmean = "average"\n[questions.new]\naxis = "which-axis"\n'
        '[checks.new]\nrows = "row-sums"\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(progress_tables, "RENAMES", table)
    file.parent.mkdir()
    file.write_text(
        "format_version = 1\n[lessons.attention]\nbest = 9\nmood = 'good'\nattempts = {rows = 2, other = 1}\n"
        "hints = {rows = 1}\n"
        "[lessons.attention.predictions]\nmean = {text = '2', at = '2026-01-01T00:00:00Z'}\n"
        "[lessons.attention.quiz]\naxis = {box = 2}\n"
        "[lessons.new]\nbest = 5\n[lessons.new.predictions]\naverage = {text = '3', at = '2026-02-01T00:00:00Z'}\n",
        encoding="utf-8",
    )
    known = read_progress()
    assert list(known.lessons) == ["new"]
    one = known.lesson("new")
    assert (one.best, one.attempts, one.hints) == (9, {"row-sums": 2, "other": 1}, {"row-sums": 1})
    assert one.predictions == {"average": Predicted("2", at="2026-01-01T00:00:00Z")}  # the first one made
    assert one.quiz == {"which-axis": Answered(box=2)}
    update("new", lambda before: replace(before, gradings=1))
    written = tomllib.loads(file.read_text(encoding="utf-8"))
    assert list(written["lessons"]) == ["new"]
    assert written["lessons"]["new"]["mood"] == "good"
    assert read_progress().lesson("new") == replace(one, gradings=1)


def test_the_table_of_renames_leads_to_lessons_that_are_there():
    renames = tomllib.loads(RENAMES.read_text(encoding="utf-8"))
    assert set(renames) == {"lessons", *progress_tables.RENAMED}
    assert set(renames["lessons"].values()) <= set(lesson_ids())
    assert not set(renames["lessons"]) & set(lesson_ids())


# ---- merging ---------------------------------------------------------------------


@given(PROGRESS, PROGRESS, PROGRESS)
def test_the_order_of_merging_does_not_matter(one, two, three):
    assert merge(one, two) == merge(two, one)
    assert merge(merge(one, two), three) == merge(one, merge(two, three))


@given(PROGRESS, PROGRESS)
def test_merging_again_changes_nothing(one, other):
    assert merge(one, one) == one
    assert merge(merge(one, other), other) == merge(one, other)


@given(PROGRESS, PROGRESS)
def test_a_merge_keeps_the_best_and_the_first_prediction(one, other):
    merged = merge(one, other)
    assert merged.lessons.keys() == one.lessons.keys() | other.lessons.keys()
    for before in (one, other):
        for name, lesson in before.lessons.items():
            new = merged.lesson(name)
            assert (new.best if new.best is not None else -1) >= (lesson.best if lesson.best is not None else -1)
            assert not lesson.passed_at or (new.passed_at or "9") <= lesson.passed_at
            assert all(new.predictions[key].at <= made.at for key, made in lesson.predictions.items())
            assert all(new.quiz[key].last >= answered.last for key, answered in lesson.quiz.items())
            assert new.solution_seen >= lesson.solution_seen


# ---- gradings --------------------------------------------------------------------


def test_attempts_count_failures_until_the_check_passes_and_the_best_never_falls(file, lesson, tmp_path):
    first = {"rows": Verdict.FAIL, "mean": Verdict.ERROR, "slow": Verdict.TIMEOUT, "later": Verdict.SKIP}
    record_grading(report(lesson, 12, first), tmp_path)
    record_grading(report(lesson, 9, {"rows": Verdict.FAIL, "mean": Verdict.PASS, "later": Verdict.TODO}), tmp_path)
    kept = read_progress().lesson(lesson.id)
    assert (kept.best, kept.max_score, kept.gradings, kept.passed_at) == (12, 31, 2, None)
    assert kept.attempts == {"rows": 2, "slow": 1}
    assert (kept.folder, kept.digest) == (str(tmp_path), "digest")
    record_grading(report(lesson, 31, {"rows": Verdict.PASS}, verdict=Verdict.PASS), tmp_path)
    passed = read_progress().lesson(lesson.id)
    assert (passed.best, passed.passed_at, passed.attempts) == (31, passed.last_at, {"slow": 1})


def test_a_file_that_cannot_be_read_is_an_attempt_at_no_check(file, lesson, tmp_path):
    unreadable = report(lesson, 0, {"rows": Verdict.ERROR}, events=(Event(3, "unreadable", "SyntaxError"),))
    record_grading(unreadable, tmp_path)
    kept = read_progress().lesson(lesson.id)
    assert (kept.gradings, kept.attempts) == (1, {})


def test_neither_a_fault_of_the_grader_nor_the_reference_is_the_learners_doing(file, lesson, tmp_path):
    record_grading(report(lesson, None, {"rows": Verdict.INTERNAL}), tmp_path)
    record_grading(report(lesson, 31, {"rows": Verdict.PASS}, verdict=Verdict.PASS), lesson.solution.parent)
    assert not file.exists()


def test_a_grading_survives_progress_that_cannot_be_kept(file, lesson, tmp_path):
    file.parent.mkdir()
    file.write_text("broken", encoding="utf-8")
    said = record_grading(report(lesson, 12, {}), tmp_path)
    assert said.startswith("this grading is not in your progress: ")
    assert "\n" not in said
    assert file.read_text(encoding="utf-8") == "broken"


def test_grading_another_file_keeps_where_the_learners_own_lies(file, lesson, tmp_path):
    record_grading(replace(report(lesson, 12, {}), path="main.py"), tmp_path / "mine")
    record_grading(replace(report(lesson, 13, {}), path="d/attempt2.py"), tmp_path / "d")
    kept = read_progress().lesson(lesson.id)
    assert kept.best == 13
    assert kept.folder == str(tmp_path / "mine")


def test_what_drives_a_terminal_is_read_as_a_plain_sign(file):
    file.parent.mkdir()
    file.write_text('format_version = 1\n[lessons.x.predictions.one]\ntext = "\\u001b[31mhi"\n', encoding="utf-8")
    assert read_progress().lesson("x").predictions["one"].text == "\N{REPLACEMENT CHARACTER}[31mhi"
