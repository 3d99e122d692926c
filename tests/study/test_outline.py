"""What is read of the checks without running them is what they say when they run."""

from __future__ import annotations

import pytest

from grader.errors import LessonError
from grader.lesson import find_lesson, lesson_ids, load_lesson
from grader.study.reading.outline import Declared, declared_checks


@pytest.mark.parametrize("lesson_id", lesson_ids())
def test_the_checks_are_those_of_the_lesson(lesson_id):
    checks = load_lesson(lesson_id).checks
    expected = {Declared(check.name, check.exercise, check.points, check.proves) for check in checks}
    assert set(declared_checks(find_lesson(lesson_id))) == expected


def test_a_file_that_is_no_python_is_named(tmp_path):
    (tmp_path / "checks.py").write_text("def (:\n")
    with pytest.raises(LessonError, match=r"checks\.py: cannot be read"):
        declared_checks(tmp_path)
