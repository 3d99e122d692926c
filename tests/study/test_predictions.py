"""Predictions: understood, recorded once, judged beside what a run shows."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from grader.authoring.numpy_student import NumpyProgram
from grader.lesson import lesson_digest
from grader.reporting.predictions import print_predictions, summary
from grader.study.material import read_material
from grader.study.predicting.predictions import Made, made_for, open_predictions, record, understood
from grader.study.predicting.typed_numbers import NotUnderstood
from grader.study.progress.record import LessonProgress, Predicted, read_progress

THIRD = np.full(3, 1 / 3, np.float32)


def predicted(small_lesson, **texts):
    """The predictions ``texts``, compared in a run where w is ``run``."""
    run = texts.pop("run", None)
    digest = lesson_digest(small_lesson)
    kept = {name: Predicted(text, digest=digest) for name, text in texts.items()}
    made = Made(small_lesson, LessonProgress(predictions=kept))
    made.look(NumpyProgram({}, {} if run is None else {"w": run}))
    return {one.name: one for one in made.compared()}


@pytest.mark.parametrize("typed", ["2", "b", "(b)", "The keys", " the KEYS "])
def test_a_choice_is_made_by_number_letter_or_text(small_lesson, typed):
    axis = read_material(small_lesson).predictions[2]
    assert understood(axis, typed, small_lesson) == "The keys"


@pytest.mark.parametrize("typed", ["0", "3", "c", "keys", "-1", "12"])
def test_what_is_no_option_is_asked_again(small_lesson, typed):
    axis = read_material(small_lesson).predictions[2]
    with pytest.raises(NotUnderstood, match="a number from 1 to 2"):
        understood(axis, typed, small_lesson)


def test_numbers_are_kept_as_typed_when_they_are_as_many_as_asked(small_lesson):
    third, row, _ = read_material(small_lesson).predictions
    assert understood(third, " 1/3 ", small_lesson) == "1/3"
    assert understood(row, "[1, 2.5]", small_lesson) == "[1, 2.5]"
    with pytest.raises(NotUnderstood, match="expected are 2 numbers"):
        understood(row, "1", small_lesson)


def test_a_recorded_prediction_cannot_be_changed(small_lesson, progress_file):
    first = record(small_lesson, "third", text="1/2", reason="  a guess \udcff ")
    again = record(small_lesson, "third", text="1/3", reason="now I know")
    kept = read_progress().lesson("small-01")
    assert (first.text, again.text, kept.predictions["third"].text) == ("1/2", "1/2", "1/2")
    assert kept.predictions["third"].reason.startswith("a guess")
    assert kept.predictions["third"].at and len(kept.predictions["third"].digest) == 16
    assert [one.name for one in open_predictions(read_material(small_lesson), kept)] == ["row", "axis"]


def test_predictions_are_judged_beside_what_happened(small_lesson):
    found = predicted(small_lesson, third=".33", row="1 2", axis="The queries", run=THIRD)
    assert {name: one.judged for name, one in found.items()} == {"third": "right", "row": "wrong", "axis": "wrong"}
    assert (found["third"].predicted, found["third"].happened) == (".33", "0.3333")
    assert (found["row"].happened, found["row"].right) == ("", "[[1, 2.5]]")
    assert found["axis"].right == "The keys"
    assert summary(list(found.values())) == "1 of 3 right"


@pytest.mark.parametrize("run", [None, np.float32(1)])
def test_a_prediction_stays_open_until_the_run_shows_it(small_lesson, run):
    found = predicted(small_lesson, third="1/3", run=run)["third"]
    assert (found.judged, found.happened, found.right) == ("open", "", "")


def test_a_wrong_run_gives_no_answer_away_and_takes_no_right_prediction_back(small_lesson):
    wrong = np.full(3, 0.5, np.float32)
    guessed = predicted(small_lesson, third="0.9", run=wrong)["third"]
    assert (guessed.judged, guessed.happened, guessed.right) == ("open", "0.5", "")
    knew = predicted(small_lesson, third="1/3", run=wrong)["third"]
    assert (knew.judged, knew.happened, knew.right) == ("right", "0.5", "0.3333")


def test_a_large_array_is_told_by_its_shape(small_lesson):
    found = predicted(small_lesson, third="1/3", run=np.zeros((1, 10, 10), np.float32))["third"]
    assert (found.judged, found.happened) == ("right", "an array of shape (10, 10)")


def test_a_question_that_has_changed_leaves_its_prediction_open(small_lesson):
    found = predicted(small_lesson, row="1", axis="The rows")
    assert [(one.judged, one.right, one.lesson_changed) for one in found.values()] == [("open", "", True)] * 2


def test_it_is_said_when_the_lesson_is_another_one_than_when_it_was_predicted(small_lesson, progress_file):
    record(small_lesson, "axis", text="The keys", reason="")
    changed = []
    for text in ("", "# another state of the lesson"):
        (small_lesson / "lesson.toml").write_text(text, encoding="utf-8")
        made = made_for(small_lesson)
        assert made is not None
        changed += [one.lesson_changed for one in made.compared()]
    assert changed == [False, True]


def test_a_run_is_asked_for_nothing_that_was_not_predicted(small_lesson, progress_file):
    assert made_for(small_lesson) is None
    assert not progress_file.exists()
    asked = []

    class Program(NumpyProgram):
        def read(self, name):
            asked.append(name)
            return super().read(name)

    Made(small_lesson, LessonProgress(predictions={"axis": Predicted("The keys")})).look(Program({}, {}))
    assert asked == []


def test_a_broken_progress_file_leaves_a_grading_without_the_block(small_lesson, progress_file):
    progress_file.write_text("broken", encoding="utf-8")
    assert made_for(small_lesson) is None


def test_the_block_says_what_was_predicted_what_happened_and_why(small_lesson):
    found = predicted(small_lesson, third=".33", axis="The queries", run=THIRD)
    screen = Console(file=io.StringIO(), width=80, color_system=None)
    print_predictions(list(found.values()), screen, unmade=1, command="grade predict small-01")
    lines = [line.rstrip() for line in screen.file.getvalue().splitlines()]
    assert lines == [
        "",
        "Your predictions: 1 of 2 right",
        f"  ✓ {found['third'].question}",
        "      predicted .33 · happened 0.3333",
        f"  ✗ {found['axis'].question}",
        "      predicted The queries · right The keys",
        "      Each query shares out one.",
        "  1 more to make: grade predict small-01",
    ]


def test_of_many_predictions_only_those_that_did_not_come_true_are_shown_unless_asked(small_lesson):
    found = predicted(small_lesson, third=".33", axis="The queries", run=THIRD)
    many = [replace(found["third"], name=f"third {n}") for n in range(9)] + [found["axis"]]
    for verbose, shown in ((False, 0), (True, 9)):
        screen = Console(file=io.StringIO(), width=80, color_system=None)
        print_predictions(many, screen, unmade=0, command="", verbose=verbose)
        said = screen.file.getvalue()
        assert (said.count("✓"), said.count("✗")) == (shown, 1)
        assert ("--verbose" in said) is not verbose
