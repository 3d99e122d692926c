"""Commands around a lesson, as a learner runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tomli_w

from grader.lesson import content_root, find_lesson, lesson_ids
from grader.study.progress.nouns import LessonProgress, Predicted
from grader.study.progress.tables import to_table
from grader.study.reading.outline import declared_checks

ID = "transformers-01"
SOLUTION = (content_root() / "solutions" / ID / "main.py").read_text(encoding="utf-8")
SCAFFOLD = (content_root() / "scaffolds" / ID / "main.py").read_bytes()
UNTRANSPOSED = SOLUTION.replace("q @ k.T /", "q @ k /")
SOFTMAX_OVER_QUERIES = SOLUTION.replace("max(axis=-1", "max(axis=0").replace(
    "exponentials.sum(axis=-1, keepdims=True)\n\n    #", "exponentials.sum(axis=0, keepdims=True)\n\n    #"
)


@pytest.fixture
def grade(run_grade, tmp_path, monkeypatch) -> Callable[..., str]:
    """Runs ``grade`` and returns what it said on both streams; the exit code is to be 0 unless said."""
    monkeypatch.setenv("HEADWORK_PROGRESS", str(tmp_path / "kept" / "progress.toml"))

    def run(*args: str, code: int = 0, **options) -> str:
        done = run_grade(*args, **options)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture
def main(grade, tmp_path) -> Path:
    grade("start", ID)
    return tmp_path / ID / "main.py"


def keep(tmp_path: Path, **kept) -> None:
    """Write progress as if the learner had come that far."""
    (tmp_path / "kept").mkdir(exist_ok=True)

    table = to_table(LessonProgress(**{"folder": str(tmp_path / ID), **kept}), over={})
    document = {"format_version": 1, "lessons": {ID: table}}
    (tmp_path / "kept" / "progress.toml").write_text(tomli_w.dumps(document), encoding="utf-8")


def test_the_way_from_nothing_to_the_first_commands_names_only_commands_that_exist(grade, tmp_path):
    known = set(re.findall(r"^│ (\w+) ", grade("--help"), re.MULTILINE))
    said = grade() + grade("list") + grade("start", "1") + grade() + grade("hint") + grade("hint", cwd=tmp_path / ID)
    named = set(re.findall(r"grade ([a-z]+)", said))
    assert {"list", "start", "read", "predict", "watch", "lesson", "hint"} <= named
    assert named <= known


def test_help_groups_the_commands(grade):
    help_text = grade("--help")
    assert [one in help_text for one in ("Learn", "Teach", "Write lessons")] == [True] * 3


def test_what_is_next_and_the_list_load_no_numpy(grade, main):
    for command in ("", "'list'"):
        program = (
            "from grader.cli.app import app\n"
            f"app([{command}], standalone_mode=False)\n"
            "import sys\n"
            "assert not {'numpy', 'jax', 'matplotlib'} & set(sys.modules)\n"
        )
        assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0


def test_list_shows_state_points_and_requirements(grade, main, tmp_path):
    assert re.search(rf"{ID} +Attention from small pieces +90 min +31 points +0/31", grade("list"))
    keep(tmp_path, best=14, max_score=31, gradings=1)
    assert "14/31" in grade("list")
    keep(tmp_path, best=31, max_score=31, gradings=1, passed_at="2026-01-01T00:00:00Z")
    assert re.search(rf"{ID} .* done", grade("list"))


def test_list_fits_a_narrow_terminal(grade):
    lines = grade("list", env=[("COLUMNS", "40"), ("FORCE_COLOR", "1"), ("TERM", "xterm")]).splitlines()
    assert max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines) <= 40


def test_start_inside_a_folder_of_its_name_lays_out_there_and_is_remembered(grade, tmp_path):
    folder = tmp_path / ID
    folder.mkdir()
    grade("start", "01", cwd=folder)
    assert (folder / "main.py").read_bytes() == SCAFFOLD
    assert [path.name for path in folder.iterdir()] == ["main.py"]
    (elsewhere := tmp_path / "elsewhere").mkdir()
    assert f"cd {folder}" in grade(cwd=elsewhere)
    assert "cd " not in grade(cwd=folder) + grade(cwd=tmp_path)


def test_start_with_a_notebook_lays_out_both(grade, tmp_path):
    said = grade("start", ID, "--notebook")
    assert f"grade lesson {ID} {ID}/main.ipynb".replace("/", os.sep) in " ".join(said.split())
    assert sorted(path.name for path in (tmp_path / ID).iterdir()) == ["main.ipynb", "main.py"]


def test_start_with_a_notebook_beside_work_points_to_the_conversion(grade, main):
    main.write_text("mine")
    said = grade("start", ID, "--notebook", code=2)
    assert f"grade notebook {ID} main.py" in said
    assert not main.with_suffix(".ipynb").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="a folder that nobody can write into, not even root")
def test_start_works_where_progress_cannot_be_kept(grade, tmp_path):
    said = grade("start", ID, env=[("HEADWORK_PROGRESS", "/proc/nowhere/progress.toml")])
    assert "this start is not in your progress: /proc/nowhere/progress.toml: cannot be written" in said
    assert (tmp_path / ID / "main.py").exists()


def test_reset_keeps_what_was_written(grade, main):
    main.write_text("precious")
    said = grade("reset", ID, "--yes")
    (kept,) = main.parent.glob("main.2*.py")
    assert (kept.read_text(), main.read_bytes()) == ("precious", SCAFFOLD)
    assert str(kept) in said.replace("\n", "")
    assert "the scaffold already" in grade("reset", "--yes")


def test_reset_without_an_answer_changes_nothing(grade, main):
    main.write_text("precious")
    assert "Nothing was reset" in grade("reset", ID)
    assert main.read_text() == "precious"


def test_read_shows_one_section_and_folds_its_answer_until_the_prediction(grade, main, tmp_path):
    before = grade("read", "1", "a", "uniform", "query")
    assert "Take a pencil" in before
    assert "Every score is 0" not in before
    assert f"grade predict {ID} uniform-weights" in before.replace("\n", " ")
    keep(tmp_path, predictions={name: Predicted("1/3") for name in ("uniform-weights", "uniform-output")})
    assert "Every score is 0" in grade("read", "1", "a uniform query")


def test_read_opens_the_reference_of_an_exercise_that_passed(grade, main, tmp_path):
    assert "shifted = scores" not in grade("read", "1", "step 2")
    keep(tmp_path, gradings=1, best=22)
    names = re.findall(r'exercise="attend".*?\ndef (\w+)', _checks(), re.DOTALL)
    keep(tmp_path, gradings=1, best=22, proved=dict.fromkeys(names, "2026-01-01T00:00:00Z"))
    assert "shifted = scores" in grade("read", "1", "step 2")


def _checks() -> str:
    return (content_root() / "lessons" / ID / "checks.py").read_text(encoding="utf-8")


def test_read_on_the_web_needs_a_site(grade, tmp_path):
    assert "grade site OUT" in grade("read", "1", "--web", code=2)
    assert "no such page" in grade("read", "1", "--web", code=2, env=[("HEADWORK_SITE", str(tmp_path))])


def test_read_on_the_web_says_the_address_where_no_browser_is(grade, tmp_path):
    page = tmp_path / ID / "index.html"
    page.parent.mkdir()
    page.write_text("")
    said = grade("read", "1", "--web", code=2, env=[("HEADWORK_SITE", str(tmp_path)), ("PATH", ""), ("BROWSER", "")])
    assert page.as_uri() in said


def test_walk_tells_every_step_and_begins_where_it_is_told(grade):
    everything = grade("walk", "1")
    count = int(re.search(r"^1/(\d+) · ", everything)[1])
    assert everything.count("▶ take along: ") == count
    last = grade("walk", "1", str(count))
    assert last.startswith(f"{count}/{count} · ")
    assert f"{ID} has {count}" in grade("walk", "1", str(count + 1), code=2)


def test_explain_shows_relation_formula_example_and_place(grade):
    said = grade("explain", "rows_sum_to_one", "--lesson", "1")
    assert all(part in said for part in ("∑ⱼ Aᵢⱼ = 1", "0.4223", "ask yourself: ", "look at: ", "1 point"))


def test_explain_of_an_unknown_check_suggests_one(grade):
    assert "did you mean rows_sum_to_one?" in grade("explain", "row_sums_to_one", code=2)


def test_explain_of_a_check_of_several_lessons_asks_which_or_takes_the_current_one(grade):
    checks = {one: {check.name for check in declared_checks(find_lesson(one))} for one in lesson_ids()}
    owners = [one for one, names in checks.items() if "rows_sum_to_one" in names]
    if len(owners) > 1:
        said = grade("explain", "rows_sum_to_one", code=2)
        assert said == f"grade: rows_sum_to_one: in {' and '.join(owners)}; say which with --lesson {owners[0]}\n"
    grade("start", "1")
    assert f"(rows_sum_to_one · {ID} · " in " ".join(grade("explain", "rows_sum_to_one").split())


def test_the_lesson_begun_last_is_the_current_one_except_in_another_ones_folder(grade, main, tmp_path):
    keep(tmp_path, last_at="2026-01-01T00:00:00Z", gradings=1)
    second = lesson_ids()[1]
    grade("start", second)
    assert grade().startswith(f"{second} · ")
    assert grade(cwd=main.parent).startswith(f"{ID} · ")


def test_explain_without_a_check_takes_the_first_that_fails(grade, main):
    main.write_text(SOFTMAX_OVER_QUERIES, encoding="utf-8")
    assert "(rows_sum_to_one · " in grade("explain")


def test_hints_come_one_by_one_after_the_one_of_the_report_and_the_mistake_has_its_own(grade, main):
    assert "first to write: line 14: scores = ..." in grade("hint")
    main.write_text(SOFTMAX_OVER_QUERIES, encoding="utf-8")
    grade("lesson", ID, code=1)
    shown = [grade("hint") for _ in range(3)]
    assert "the mistake: softmax over the queries" in shown[0]
    assert "tried 1 time)" in shown[0].replace("\n", " ")
    assert [re.findall(r"hint (\d) of 3", one) for one in shown] == [["2"], ["3"], ["1", "2", "3"]]
    assert f"grade solution {ID} --reveal" in shown[2]


def test_a_hint_for_code_that_raises_says_what_was_raised(grade, main):
    main.write_text(UNTRANSPOSED, encoding="utf-8")
    said = grade("hint")
    assert "what came out: " in said
    assert "line 14" in said


def test_a_file_that_is_no_python_costs_no_hint(grade, main):
    main.write_text("def attend(:\n", encoding="utf-8")
    assert "cannot be read as Python" in grade("hint")
    assert "cannot be read as Python" in grade("explain")
    main.write_bytes(SCAFFOLD)
    assert "hint 1 of 3" in grade("hint")


def test_after_everything_passes_there_is_an_idea_and_the_reference(grade, main):
    main.write_text(SOLUTION.replace("weights @ v", "jnp.matmul(weights, v)"), encoding="utf-8")
    assert "Everything in transformers-01 passes. One idea to try: " in grade("hint")
    assert "the reference is for after you have passed" in grade("solution", code=2)
    grade("lesson", ID)
    said = grade("solution")
    assert "≠     output = jnp.matmul(weights, v)" in said
    assert "≠     output = weights @ v" in said
    assert "Yours is the reference, line for line." in said
    assert "# %% Step 1" not in said
    assert "# %% Step 1" in grade("solution", "--all")


def test_the_reference_can_be_revealed_and_that_is_kept(grade, main, tmp_path):
    assert "shifted = scores" in grade("hint", "--reveal")
    assert "solution_seen = true" in (tmp_path / "kept" / "progress.toml").read_text(encoding="utf-8")


def test_a_learner_without_a_main_py_is_told_how_to_get_one(grade):
    for command in ("hint", "solution", "reset"):
        assert f"grade start {ID}" in grade(command, "1", *(["--reveal"] if command == "solution" else []), code=2)
    assert "which lesson?" in grade("read", code=2)
