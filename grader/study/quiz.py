"""The quiz: which questions are due, in which order, and when they come back (Leitner's boxes)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from grader.study.material import Option, Question
from grader.study.progress.record import Answered, LessonProgress, now, update

# Days until a question in box 1, 2, … comes back; one answered wrong lies in box 0, and is due at once.
DAYS = (1, 3, 7, 21, 60)


def due(questions: Sequence[Question], kept: Mapping[str, Answered], today: date) -> list[Question]:
    """Questions that were never answered or have come back, in the lesson's order."""
    return [one for one in questions if one.name not in kept or kept[one.name].due <= today.isoformat()]


def coming_back(questions: Sequence[Question], kept: Mapping[str, Answered], today: date) -> Counter[str]:
    """How many questions that are not due come back on which day."""
    days = (kept[one.name].due for one in questions if one.name in kept)
    return Counter(day for day in days if day > today.isoformat())


def after(before: Answered, chosen: Option, *, today: date, at: str) -> Answered:
    """How a question stands after one more answer: a box further when it was due, back to box 0 when it was wrong.

    A right answer before the question is due leaves it where it is: memory is only tested by waiting.
    """
    if not chosen.right:
        return Answered(0, today.isoformat(), before.right, before.wrong + 1, at, chosen.text)
    counted = replace(before, right=before.right + 1, last=at, chosen=chosen.text)
    if before.due > today.isoformat():
        return counted
    box = min(max(before.box, 0) + 1, len(DAYS))
    return replace(counted, box=box, due=(today + timedelta(days=DAYS[box - 1])).isoformat())


def shuffled(question: Question, before: Answered) -> list[Option]:
    """The options in an order that is another one each time, and the same for everybody."""
    order = list(question.options)
    random.Random(f"{question.name} {before.right + before.wrong}").shuffle(order)  # noqa: S311 - no secret
    return order


def keep(lesson_id: str, name: str, chosen: Option, *, today: date) -> None:
    """Record an answer."""

    def keep_it(before: LessonProgress) -> LessonProgress:
        answered = after(before.quiz.get(name, Answered()), chosen, today=today, at=now())
        return replace(before, quiz={**before.quiz, name: answered})

    update(lesson_id, keep_it)
