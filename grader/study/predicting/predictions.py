"""Predictions: understood as they are typed, recorded once, compared with what happened."""

from __future__ import annotations

import contextlib
import string
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from grader.errors import UsageError
from grader.lesson import lesson_digest
from grader.model import Array, Program
from grader.narration import row
from grader.reporting.numbers import NUMBERS_SHOWN
from grader.reporting.predictions import Compared, Judged
from grader.study.material import Material, Prediction, answer_of, read_material
from grader.study.predicting.observed import read
from grader.study.predicting.typed_numbers import NotUnderstood, agree, numbers
from grader.study.progress.record import LessonProgress, Predicted, now, read_progress, update

SAME = 1e-4  # relative and absolute: a learner's run is float32, the answer float64
LONGEST_REASON = 500


def open_predictions(material: Material, kept: LessonProgress) -> list[Prediction]:
    """Those still to be made, in the lesson's order."""
    return [one for one in material.predictions if one.name not in kept.predictions]


def understood(prediction: Prediction, typed: str, folder: Path) -> str:
    """What ``typed`` says, as it is recorded: numbers as they were typed, a choice as the text of its option.

    Raises NotUnderstood with what is expected.
    """
    text = typed.strip()
    if prediction.kind != "choice":
        numbers(text, count=_size(answer_of(prediction, folder)))
        return text
    letters = string.ascii_lowercase[: len(prediction.options)]
    for number, (letter, option) in enumerate(zip(letters, prediction.options, strict=True), 1):
        if text.lower().strip("().") in (str(number), letter) or text.casefold() == option.casefold():
            return option
    raise NotUnderstood(f"expected is a number from 1 to {len(prediction.options)}")


def record(lesson_folder: Path, name: str, *, text: str, reason: str) -> Predicted:
    """Keep a prediction and give back what is kept: the earlier one if there is one, since none can be changed."""
    new = Predicted(text, reason.strip()[:LONGEST_REASON], now(), lesson_digest(lesson_folder))
    kept = new

    def keep(before: LessonProgress) -> LessonProgress:
        nonlocal kept
        kept = before.predictions.get(name, new)
        return replace(before, predictions={**before.predictions, name: kept})

    update(lesson_folder.name, keep)
    return kept


class Made:
    """The predictions that a learner has made for the lesson in ``folder``, beside one run of main.py."""

    def __init__(self, folder: Path, kept: LessonProgress) -> None:
        self._folder = folder
        material = read_material(folder)
        self._made = [(one, kept.predictions[one.name]) for one in material.predictions if one.name in kept.predictions]
        self._shown: dict[str, Array] = {}
        self._passed_at = kept.passed_at
        self.unmade = len(material.predictions) - len(self._made)

    def look(self, program: Program) -> None:
        """Ask the run for what shows what happened, and for nothing else."""
        self._shown = read(program, [one.observed for one, _ in self._made if one.observed])

    def compared(self) -> list[Compared]:
        """The predictions in the lesson's order, beside what happened."""
        digest = lesson_digest(self._folder)
        found = [_compared(one, kept, self._shown.get(one.observed), self._folder, digest) for one, kept in self._made]
        return [replace(one, afterwards=bool(self._passed_at and one.at > self._passed_at)) for one in found]


def made_for(folder: Path) -> Made | None:
    """The predictions made for the lesson in ``folder``, or None; a progress file that is broken has none."""
    with contextlib.suppress(UsageError):  # said when the grading is recorded
        kept = read_progress().lesson(folder.name)
        return Made(folder, kept) if kept.predictions else None
    return None


def _compared(prediction: Prediction, kept: Predicted, happened: Array | None, folder: Path, digest: str) -> Compared:
    right = answer_of(prediction, folder)
    holds = _holds(prediction, kept.text, right)
    judged: Judged = "open" if holds is None else "right" if holds else "wrong"
    # What a run is to show is not told before it does. One that shows something else leaves the answer to be found.
    if prediction.observed and (happened is None or not (holds or _same(happened, right))):
        judged = "open"
    return Compared(
        name=prediction.name,
        section=prediction.section,
        question=prediction.question,
        predicted=kept.text,
        reason=kept.reason,
        happened="" if happened is None else _told(happened),
        right="" if judged == "open" else right if isinstance(right, str) else row(right),
        because=prediction.reason,
        judged=judged,
        at=kept.at,
        lesson_changed=holds is None or kept.digest != digest,
    )


def _holds(prediction: Prediction, text: str, right: Any) -> bool | None:
    """Whether a prediction is what the lesson says; None when it has come to ask for something else."""
    try:
        if prediction.kind == "choice":
            return prediction.options.index(text) == prediction.options.index(right)
        return agree(numbers(text, count=_size(right)), np.ravel(right).tolist())
    except (ValueError, NotUnderstood):
        return None


def _told(happened: Array) -> str:
    return row(happened) if happened.size <= NUMBERS_SHOWN else f"an array of shape {happened.shape}"


def _same(happened: Array, right: Any) -> bool:
    return happened.size == _size(right) and np.allclose(
        np.ravel(happened).astype(np.float64), np.ravel(right), rtol=SAME, atol=SAME
    )


def _size(answer: Any) -> int:
    return int(np.size(answer))
