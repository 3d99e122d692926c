"""Reading lesson folders: what is broken is named by file and remedy, and nothing else loads."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import LessonError, UsageError
from grader.lesson import LESSON_KEYS, content_root, find_lesson, lesson_ids, load_lesson, read_facts

ID = "transformers-01"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the content with one lesson in it."""
    for part in ("lessons", "scaffolds", "solutions"):
        shutil.copytree(
            content_root() / part / ID, tmp_path / part / ID, ignore=shutil.ignore_patterns("__pycache__", "figures")
        )
    return tmp_path


@pytest.fixture
def change(root: Path) -> Callable[..., None]:
    """Replaces a text that is there once in a file of the lesson folder."""

    def change(old: str, new: str, *, file: str = "lesson.toml") -> None:
        path = root / "lessons" / ID / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
        path.write_text(text.replace(old, new), encoding="utf-8")

    return change


def error_of(root: Path, *, file: str = "lesson.toml") -> str:
    """The text of the LessonError, after its place, which has to be ``file``."""
    with pytest.raises(LessonError) as caught:
        load_lesson(ID, root)
    text = str(caught.value)
    place = str(root / "lessons" / ID / file)
    assert text.startswith(place), text
    return text.removeprefix(place).lstrip(": ")


def test_an_unbroken_copy_loads_as_the_lesson_does(root, lesson):
    copy = load_lesson(ID, root)
    assert copy.digest == lesson.digest
    assert copy.max_score == lesson.max_score == sum(check.points for check in lesson.checks)
    assert [check.name for check in copy.checks] == [check.name for check in lesson.checks]
    assert copy.solution == root / "solutions" / ID / "main.py"
    assert copy.exercise("softmax-axis").names == ("wrong_w", "right_w")
    assert str(copy.functions["attend"].gives[0]) == "output (Tq, Dv)"


@pytest.mark.parametrize("key", LESSON_KEYS)
def test_a_missing_key_is_named(root, key):
    path = root / "lessons" / ID / "lesson.toml"
    text = path.read_text(encoding="utf-8")
    tables = {"functions": r"\[functions\.attend\]\n(?:.+\n)+", "exercises": r"\[\[exercises\]\]\n(?:.+\n)+"}
    tables |= {"equivalent_mutants": r"\[equivalent_mutants\]\n(?:.+\n)+", "misconceptions": r"\[misconceptions(?s:.)*"}
    pattern = tables.get(key, rf"^{key} = (?:\[\n(?:  .*\n)+\]|.*)\n")
    less = re.sub(pattern, "", text, flags=re.MULTILINE)
    assert less != text
    path.write_text(less, encoding="utf-8")
    assert error_of(root) == f"'{key}' is missing; add it"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("minutes = 90", 'minutes = 90\nsumary = ""', "unknown key 'sumary'; did you mean 'summary'?"),
        ("minutes = 90", "minutes = 90\nxyzzy = 1", "unknown key 'xyzzy'"),
        ("minutes = 90", 'minutes = "90"', "'minutes' is a str; a int is right"),
        ("minutes = 90", "minutes = true", "'minutes' is a bool; a int is right"),
        ("requires = []", 'requires = ""', "'requires' is a str; a list is right"),
        ("minutes = 90", "minutes = ", "not TOML ("),
        ("[functions.attend]\ntakes", "[functions.attend]\ntake", "functions.attend: unknown key 'take'; did you mean"),
        ('"q (Tq, Dk)"', '"q Tq, Dk"', "functions.attend: 'q Tq, Dk'; write it as \"q (Tq, Dk)\""),
        ('title = "The mechanism"\n', "", "exercise 1: 'title' is missing; add it"),
        ('names = ["attend"]', 'names = "attend"', "exercise 1: 'names' is a str; a list is right"),
        (
            '[misconceptions.sigmoid]\ntitle = "sigmoid in place of softmax"\n',
            "[misconceptions.sigmoid]\n",
            "misconceptions.sigmoid: 'title' is missing; add it",
        ),
        (f'id = "{ID}"', 'id = "other"', f"id is 'other' in the folder '{ID}'; give both one name"),
        (
            "[misconceptions.sigmoid]",
            "[misconceptions.sigmoidal]",
            "misconceptions.sigmoid: missing; give it a title and three hints",
        ),
    ],
)
def test_what_is_wrong_in_lesson_toml_is_named(root, change, old, new, message):
    change(old, new)
    assert error_of(root).startswith(message)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[functions.attend]", "[functions]\nother = 3\n[functions.attend]"),
        ('[[exercises]]\nname = "attend"', 'exercises = [1]\n[[ex]]\nname = "attend"'),
        ("[misconceptions.sigmoid]", "[misconceptions]\nother = 3\n[misconceptions.sigmoid]"),
        ('takes = ["q (Tq, Dk)"', "takes = [1"),
    ],
    ids=["function", "exercise", "misconception", "takes"],
)
def test_a_number_where_a_table_or_a_text_belongs_is_an_error_of_the_lesson(root, old, new):
    path = root / "lessons" / ID / "lesson.toml"
    text = path.read_text(encoding="utf-8")
    if "exercises = [1]" in new:
        head, tail = text.split("[[exercises]]", 1)[0], text[text.index("[equivalent_mutants]") :]
        text = head.replace("[functions.attend]", "exercises = [1]\n[functions.attend]") + tail
    else:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    error_of(root)


@pytest.mark.parametrize("hints", [["a?"], ["a?", "b", "c", "d"], []])
def test_hints_come_in_threes(root, hints):
    path = root / "lessons" / ID / "lesson.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(?s)(\[misconceptions\.sigmoid\]\n.*?hints = )\[.*?\n\]", rf"\1{hints}", text), "utf-8")
    assert error_of(root) == f"misconceptions.sigmoid: {len(hints)} hints; write three"


def test_a_text_without_a_misconception_is_named(root):
    path = root / "lessons" / ID / "lesson.toml"
    path.write_text(
        path.read_text("utf-8") + '\n[misconceptions.left-over]\ntitle = ""\nhints = ["", "", ""]\n', "utf-8"
    )
    assert error_of(root) == "misconceptions.left-over: nothing in the lesson's code has this name"


def test_bytes_that_are_no_utf_8_are_named(root):
    path = root / "lessons" / ID / "lesson.toml"
    path.write_bytes(path.read_bytes() + b"# \xe9\n")
    assert error_of(root).startswith("not TOML (")


def test_a_folder_without_lesson_toml_is_no_lesson(root):
    folder = root / "lessons" / "draft"
    folder.mkdir()
    assert lesson_ids(root) == [ID]
    with pytest.raises(LessonError, match=r"draft/lesson\.toml: missing; a lesson folder needs it"):
        read_facts(folder)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '@check(exercise="attend", points=1, proves="attend returns',
            '@check(exercise="atend", points=1, proves="attend returns',
            "returns_output_and_weights: exercise 'atend' is not in lesson.toml",
        ),
        (
            '@advice(exercise="attend", needs=[numpy_oracle], proves="attend works inside',
            'twice = uniform_query\n\n\n@advice(exercise="attend", needs=[numpy_oracle], proves="attend works inside',
            "two checks are called uniform_query; rename one",
        ),
        (
            '    """attend returns the output (Tq, Dv) and the weights (Tq, Tk), for any number of',
            "    student.x  # ",
            "returns_output_and_weights has no docstring",
        ),
        (
            '@check(exercise="attend", points=1, proves="attend returns',
            '@check(exercise="attend", points=-1, proves="attend returns',
            "returns_output_and_weights has -1 points; use 0 for advice",
        ),
        (
            "import numpy as np\n",
            "import numpy as np\nimport no_such_thing\n",
            "cannot be imported (ModuleNotFoundError",
        ),
        ("import numpy as np\n", "import numpy as np\n)\n", "cannot be imported (SyntaxError"),
    ],
    ids=["exercise", "duplicate", "title", "points", "import", "syntax"],
)
def test_what_is_wrong_in_checks_py_is_named(root, change, old, new, message):
    change(old, new, file="checks.py")
    with pytest.raises(LessonError, match=r"checks\.py: ") as caught:
        load_lesson(ID, root)
    assert message in str(caught.value)


def test_a_check_has_to_stand_below_what_it_needs(root):
    path = root / "lessons" / ID / "checks.py"
    moved_down = "\nkept = rows_sum_to_one\ndel rows_sum_to_one\nrows_sum_to_one = kept\ndel kept\n"
    path.write_text(path.read_text("utf-8") + moved_down, "utf-8")
    assert error_of(root, file="checks.py") == "key_shift needs rows_sum_to_one; define that check above it"


def test_an_exercise_without_a_check_is_named(root):
    path = root / "lessons" / ID / "lesson.toml"
    extra = '[[exercises]]\nname = "more"\ntitle = "More"\nnames = ["x"]\n\n[equivalent_mutants]'
    path.write_text(path.read_text("utf-8").replace("[equivalent_mutants]", extra), "utf-8")
    assert error_of(root, file="checks.py") == "exercise 'more' has no check; write one"


def test_a_misconception_needs_a_family(root, change):
    change('"right-w-is-wrong", of="right_w"', '"right-w-is-wrong", of="w"', file="misconceptions.py")
    assert error_of(root, file="") == "misconception right-w-is-wrong: no family for 'w'; add it"


@pytest.mark.parametrize(("file", "function"), [("checks.py", "probe"), ("misconceptions.py", "answers")])
def test_a_missing_function_is_named(root, change, file, function):
    change(f"def {function}(", f"def no_{function}(", file=file)
    assert error_of(root, file="") == f"no function {function}; checks.py or misconceptions.py has to define it"


def test_a_missing_solution_is_an_error_of_the_lesson(root):
    (root / "solutions" / ID / "main.py").unlink()
    with pytest.raises(LessonError, match=r"solutions.*main\.py"):
        load_lesson(ID, root)


@pytest.mark.parametrize(
    ("asked", "hint"), [("transformer-01", f"did you mean {ID}?"), ("zzz", "see: grade list"), ("", "see: grade list")]
)
def test_an_unknown_lesson_is_a_mistake_of_the_caller_with_a_hint(asked, hint):
    with pytest.raises(UsageError) as caught:
        find_lesson(asked)
    assert str(caught.value) == f"{asked}: no such lesson; {hint}"


@pytest.mark.parametrize("asked", ["../lessons/transformers-01", ".", "transformers-01/"])
def test_a_path_is_no_lesson(asked):
    with pytest.raises(UsageError, match="no such lesson"):
        find_lesson(asked)


def test_the_digest_follows_what_decides_and_not_the_line_ends(root, lesson, change):
    for path in (root / "lessons" / ID / "checks.py", root / "solutions" / ID / "main.py"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_lesson(ID, root).digest == lesson.digest
    change("minutes = 90", "minutes = 91")
    assert load_lesson(ID, root).digest != lesson.digest
