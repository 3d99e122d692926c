"""Predicting, answering, and looking back at both, as commands are used: with lines from a pipe and with keys."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli.app import app
from grader.errors import UsageError
from grader.study.material import read_material
from grader.study.progress.record import Answered, LessonProgress, read_progress, update

ID = "transformers-01"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs a command in a folder of the test's own with these lines as input; what it printed."""
    monkeypatch.setenv("HEADWORK_PROGRESS", str(tmp_path / "progress.toml"))
    monkeypatch.chdir(tmp_path)

    def run_command(*args: str, lines: str = "") -> str:
        done = CliRunner().invoke(app, args, input=lines)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.stdout

    return run_command


def kept() -> LessonProgress:
    return read_progress().lesson(ID)


# ---- predict ---------------------------------------------------------------------


def test_predictions_are_asked_in_order_and_asked_again_until_understood(run, lesson):
    first, second = read_material(lesson.folder).predictions[:2]
    said = run("predict", ID, lines="9\n4\nthe values are missing\n1/3\n1/3 1/3 1/3\n\n")
    assert said.index(first.section) < said.index("1  Yes") < said.index(second.section)
    assert "not recorded: expected is a number from 1 to 4" in said
    assert "not recorded: 1 number; expected are 3 numbers" in said
    assert "2 recorded, 14 still to make. Graded beside what happens: grade lesson transformers-01" in said
    assert (kept().predictions[first.name].text, kept().predictions[first.name].reason) == (
        "No: something else is needed",
        "the values are missing",
    )
    assert kept().predictions[second.name].text == "1/3 1/3 1/3"
    assert "0.333" not in said and first.reason not in said  # nothing of the answer is shown


def test_an_empty_line_skips_and_the_end_of_input_keeps_what_was_understood(run):
    run("predict", ID, lines="\n1/3 1/3 1/3\n")  # ends where a reason could be given
    assert list(kept().predictions) == ["uniform-weights"]


def test_one_prediction_can_be_made_by_name_and_not_again(run):
    assert "1 recorded" in run("predict", ID, "uniform-output", lines="2 2\nthe mean\n")
    again = run("predict", ID, "uniform-output", lines="3 3\n\n")
    assert "You predicted 2 2 at " in again and "stays as it is" in " ".join(again.split())
    assert kept().predictions["uniform-output"].text == "2 2"


def test_an_unknown_prediction_is_answered_with_what_was_meant(run):
    with pytest.raises(UsageError, match="did you mean uniform-output"):
        run("predict", ID, "uniform-outptu")


def test_a_grading_ends_with_predictions_beside_what_the_same_run_shows(run, lesson):
    run("predict", ID, "uniform-weights", lines="1/3 1/3 1/3\n\n")
    run("predict", ID, "new-query-least", lines="2\n\n")
    said = run("lesson", ID, str(lesson.solution))
    block = said[said.index("Your predictions: 1 of 2 right") :]
    assert "predicted 1/3 1/3 1/3 · happened [0.3333, 0.3333, 0.3333]" in block
    assert "predicted 2 · right 1" in block
    assert "14 more to make: grade predict transformers-01" in block
    assert '"predictions"' not in run("lesson", ID, str(lesson.solution), "--json")


def test_without_predictions_a_grading_says_nothing_of_them_and_reveals_nothing(run, lesson):
    assert "predict" not in run("lesson", ID, str(lesson.solution))


def test_a_grading_is_kept_with_its_folder(run, tmp_path, lesson):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "main.py").write_bytes(lesson.scaffold.read_bytes())
    run("lesson", ID, str(mine))
    assert (kept().gradings, kept().folder, kept().best, kept().digest) == (1, str(mine), 0, lesson.digest)


# ---- quiz ------------------------------------------------------------------------


def answers(lesson, *, right: bool) -> str:
    """Lines that answer every due question of the lesson once."""
    from grader.study.quiz import shuffled

    lines = []
    for question in read_material(lesson.folder).quiz:
        options = shuffled(question, kept().quiz.get(question.name, Answered()))
        lines.append(str(1 + next(n for n, option in enumerate(options) if option.right == right)))
    return "\n".join(lines) + "\n"


def test_right_answers_are_explained_and_come_back_tomorrow(run, lesson):
    questions = read_material(lesson.folder).quiz
    said = " ".join(run("quiz", ID, lines=answers(lesson, right=True)).split())
    assert f"{len(questions)} of {len(questions)} right at once. Due now: 0. Coming back: {len(questions)} on " in said
    for question in questions:
        right = next(option for option in question.options if option.right)
        assert f"✓ right. {right.reason}" in said
    assert {one.box for one in kept().quiz.values()} == {1}
    assert "Due now: 0" in run("quiz", ID)
    assert questions[0].question in " ".join(run("quiz", ID, "--all").split())


def test_wrong_answers_get_both_reasons_and_come_back_in_the_same_round(run, lesson):
    first = read_material(lesson.folder).quiz[0]
    said = " ".join(run("quiz", ID, lines=answers(lesson, right=False)).split())
    right = next(option for option in first.options if option.right)
    assert said.count(first.question) == 2
    assert f"{right.text} {right.reason}" in said
    assert any(f"✗ not so. {option.reason}" in said for option in first.options if not option.right)
    assert "0 of 8 right at once" in said
    assert {one.box for one in kept().quiz.values()} == {0}


def test_without_an_id_the_quiz_is_of_all_lessons_begun(run, lesson):
    with pytest.raises(UsageError, match="no lesson is begun"):
        run("quiz")
    update(ID, lambda one: LessonProgress(gradings=1))
    assert read_material(lesson.folder).quiz[0].question in " ".join(run("quiz").split())


# ---- progress --------------------------------------------------------------------


def test_progress_shows_where_it_is_kept_and_begins_empty(run, tmp_path):
    assert run("progress", "--path") == f"{tmp_path / 'progress.toml'}\n"
    assert "Nothing yet. Begin with: grade list" in run("progress")
    assert not (tmp_path / "progress.toml").exists()


def test_another_machines_progress_is_taken_in_but_not_its_folders(run, tmp_path):
    update(ID, lambda one: LessonProgress(best=5, max_score=31, gradings=2, folder="/here"))
    mine = (tmp_path / "progress.toml").read_bytes()
    (tmp_path / "progress.toml").unlink()
    update(ID, lambda one: LessonProgress(best=9, max_score=31, last_at="2026-11-30T09:00:00Z", folder="/there"))
    update("transformers-02", lambda one: LessonProgress(solution_seen=True, folder="/there"))
    (tmp_path / "progress.toml").rename(tmp_path / "other.toml")
    (tmp_path / "progress.toml").write_bytes(mine)
    said = run("progress", "--merge", "other.toml")
    assert "9 of 31" in said
    assert (kept().best, kept().gradings, kept().folder) == (9, 2, "/here")
    assert read_progress().lesson("transformers-02") == LessonProgress(solution_seen=True)


def test_a_file_that_is_not_there_is_not_merged(run):
    with pytest.raises(UsageError, match=r"nowhere\.toml: no such file"):
        run("progress", "--merge", "nowhere.toml")


# ---- a terminal ------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("command", "key"), [("quiz", b"1"), ("predict", b"4\rbecause\r")])
def test_in_a_terminal_a_key_answers_and_ctrl_d_ends(run, tmp_path, command, key):
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "60"}
    process = subprocess.Popen(
        [sys.executable, "-m", "grader.cli.app", command, ID],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    prompt = b"skips: " if command == "quiz" else b"your prediction: "
    try:
        _typed(ours, b"", prompt)
        _typed(ours, key, prompt)
        said = _typed(ours, b"\x04", b"right at once" if command == "quiz" else b"1 recorded")
        assert process.wait(timeout=60) == 0, said
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert len(kept().quiz if command == "quiz" else kept().predictions) == 1


def _typed(terminal: int, keys: bytes, awaited: bytes) -> bytes:
    """What the terminal shows up to ``awaited`` after ``keys``, typed again where they came before anybody read."""
    said = b""
    for _ in range(10):
        os.write(terminal, keys)
        until = time.monotonic() + 6
        while time.monotonic() < until:
            if select.select([terminal], [], [], 0.5)[0]:
                said += os.read(terminal, 4096)
            if awaited in said:
                return said
    raise AssertionError(said)
