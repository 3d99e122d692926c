"""Which of a student's files is graded."""

from __future__ import annotations

import pytest
from builders import MAIN, notebook, spread, taken
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.intake.choose import choose
from grader.classroom.intake.names import distinct, key, numbered
from grader.classroom.intake.tree import Found
from grader.errors import UsageError

LESSON = "transformers-01"
NAMES = (
    "main.py",
    "Main.PY",
    "main (1).py",
    "main.ipynb",
    f"{LESSON}.py",
    "own.py",
    "other.py",
    "data.csv",
    "__init__.py",
)


def found(*paths: str, tmp_path):
    return [(tuple(path.split("/")), Found(path.rpartition("/")[2], path, tmp_path, 1)) for path in paths]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["main.py"], "main.py"),
        (["main (1).py"], "main (1).py"),
        (["main-2.py", "main-10.py"], "main-10.py"),
        (["main.py", "main (1).py", "main-2.py"], "main.py"),
        (["Main.PY"], "Main.PY"),
        (["MAIN.py", "main.py"], "main.py"),
        (["transformers-01.py", "helper.py"], "transformers-01.py"),
        (["Transformers_01.py"], "Transformers_01.py"),
        (["transformers-01 (2).py", "transformers-01.py"], "transformers-01 (2).py"),
        (["main.py", "main.ipynb"], "main.py"),
        (["main.ipynb", "old/main.py"], "main.ipynb"),
        (["solution.py", "data.csv"], "solution.py"),
        (["solution.py", "explore.ipynb"], "solution.py"),
        (["explore.ipynb"], "explore.ipynb"),
        (["src/main.py", "main/other.py"], "src/main.py"),
        (["main.py", "copy/main.py"], "main.py"),
        (["__init__.py", "own.py"], "own.py"),
    ],
)
def test_the_file_that_is_meant_is_taken(tmp_path, files, expected):
    for order in (files, files[::-1]):
        choice = choose(found(*order, tmp_path=tmp_path), lesson_id=LESSON)
        assert choice.main is not None
        assert choice.main[1].path == expected


@pytest.mark.parametrize(
    ("files", "named"),
    [
        (["a.py", "b.py"], "a.py, b.py"),
        (["a/main.py", "b/main.py"], "a/main.py, b/main.py"),
        (["a.ipynb", "b.ipynb"], "a.ipynb, b.ipynb"),
        (["main (1).py", "main-1.py"], "main (1).py, main-1.py"),
        (["Main.py", "MAIN.py"], "MAIN.py, Main.py"),
    ],
)
def test_what_is_not_clear_is_never_guessed(tmp_path, files, named):
    choice = choose(found(*files, tmp_path=tmp_path), lesson_id=LESSON)
    assert choice.main is None
    assert named in choice.reason
    assert choice.reason.endswith("which one is it?")


@given(st.lists(st.sampled_from(NAMES), unique=True), st.randoms())
def test_the_order_of_the_files_never_matters(tmp_path_factory, names, random):
    root = tmp_path_factory.getbasetemp()
    shuffled = list(names)
    random.shuffle(shuffled)
    assert (
        choose(found(*shuffled, tmp_path=root), lesson_id=LESSON).main
        == choose(found(*names, tmp_path=root), lesson_id=LESSON).main
    )


def test_ambiguous_files_are_named_when_the_submission_is_read(tmp_path):
    entries = {"s001/a.py": MAIN, "s001/b.py": MAIN, "s002/main.py": MAIN}
    one, two = taken(spread(tmp_path / "class", entries), tmp_path).received
    with pytest.raises(UsageError, match=r"^s001: holds 2 files, none called main.py: a.py, b.py; which one is it\?$"):
        one.read()
    assert two.read().source == MAIN


def test_a_choice_is_said_in_the_notes(tmp_path):
    entries = {"s001/main.py": MAIN, "s001/main.ipynb": notebook("x = 1"), "s002/own.py": MAIN, "s003/Main.PY": MAIN}
    one, two, three = taken(spread(tmp_path / "class", entries), tmp_path).received
    assert one.notes == one.read().notes == ("also holds main.ipynb; main.py was taken",)
    assert two.notes == ("graded own.py, the only Python file there; no main.py",)
    assert three.notes == ("graded Main.PY as main.py",)
    assert [path.name for path in three.read().folder.iterdir()] == ["main.py"]


@pytest.mark.parametrize(
    ("stem", "base", "number"),
    [("main (1)", "main", 1), ("main-2", "main", 2), ("main_3", "main", 3), ("main", "main", 0), ("x(12)", "x", 12)],
)
def test_the_number_of_a_copy_is_read(stem, base, number):
    assert numbered(stem) == (base, number)


@given(
    st.lists(st.one_of(st.sampled_from(["a", "A", "a~2", "A~2", "CON", "con_", "é", "e\u0301"]), st.text()), max_size=8)
)
def test_keys_are_distinct_clean_and_the_same_from_run_to_run(names):
    keys = [each for each, _ in distinct(names)]
    assert len({each.casefold() for each in keys}) == len(names)
    assert [each for each, _ in distinct(names)] == keys
    for each in keys:
        assert each and not set(each) & {"/", "\\", "\n", "\r", "\x1b", "\x00"}
        each.encode("utf-8")
        assert key(each) == each
