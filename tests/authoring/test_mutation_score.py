"""The mutation score: measured, kept, and held to what is measured."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from grader.authoring.mutation_score import Score, keep, kept, measure
from grader.authoring.verify import mutants_promise
from grader.errors import LessonError

SCORE = Score(mutants=134, killed=130, equivalent=7)


def test_a_score_is_kept_as_it_is(tmp_path):
    assert kept(tmp_path) is None
    assert keep(tmp_path, SCORE).name == "proved.toml"
    assert kept(tmp_path) == SCORE


def test_a_score_says_its_share(tmp_path):
    assert str(SCORE) == "score 97 %: 130 of 134 killed, 7 equivalent"
    assert str(Score(0, 0, 0)).startswith("score 100 %")


@pytest.mark.parametrize(
    ("text", "said"), [("mutants = 1\nkilled = 1\n", "'equivalent' is missing"), ("mutants =", "run: grade record")]
)
def test_a_file_that_is_no_score_is_named(tmp_path, text, said):
    (tmp_path / "proved.toml").write_text(text, encoding="utf-8")
    with pytest.raises(LessonError, match=r"proved\.toml") as caught:
        kept(tmp_path)
    assert said in str(caught.value)


def test_a_kept_score_that_is_not_the_measured_one_is_reported(lesson, tmp_path):
    folder = tmp_path / lesson.id
    shutil.copytree(lesson.folder, folder)
    exercise = lesson.exercise("softmax-axis")
    checks = tuple(replace(check, needs=()) for check in lesson.checks if check.exercise == exercise.name)
    listed = {change: why for change, why in lesson.equivalent_mutants.items() if not change.startswith("attend")}
    part = replace(lesson, folder=folder, exercises=(exercise,), checks=checks, equivalent_mutants=listed)
    assert mutants_promise(part).problems == (f"proved.toml: not what was measured now; run: grade record {lesson.id}",)
    keep(folder, measure(part)[0])
    assert mutants_promise(part).problems == ()
