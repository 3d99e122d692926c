"""What a learner does next, decided from progress and the current folder."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from grader.study.progress.nouns import Progress
from grader.study.workspace.places import Place, target_folder
from grader.study.workspace.standing import Standing, unmet

PHRASES_SHOWN = 2


@dataclass(frozen=True)
class Line:
    """One line: what it is about, and what it says or the command that it gives."""

    label: str
    text: str
    command: str = ""


def what_next(
    standings: Sequence[Standing], place: Place | None, progress: Progress, *, here: Path, today: date
) -> tuple[Line, Line, Line]:
    """Three lines: where the learner is, the next command, one more."""
    current = next((one for one in standings if place and one.lesson_id == place.lesson_id), None)
    if place is None or current is None:
        return (
            Line("Headwork", "a workbook on transformers in JAX that says which mistake was made"),
            Line("look", "the lessons", "grade list"),
            Line("begin", "a main.py in a folder of its own", f"grade start {standings[0].lesson_id}"),
        )
    where = Line(current.lesson_id, f"{current.title} · {_reached(current)}")
    if place.folder is None:
        gone = "its main.py is gone from where it was" if current.begun else "its main.py is not laid out yet"
        return where, Line("next", gone, f"grade start {place.lesson_id}"), Line("or", "all lessons", "grade list")
    if current.done:
        return where, *_after(current, standings, progress, today=today)
    if place.folder not in (here, target_folder(place.lesson_id, here=here)):
        where = Line(where.label, f"{where.text} · another folder")
        go = Line("next", "where its main.py lies", f"cd {shlex.quote(str(place.folder))}")
        return where, go, Line("then", "grades at every save", f"grade watch {place.lesson_id}")
    if not current.kept.gradings:
        write = Line("then", "write; it grades at every save", f"grade watch {place.lesson_id}")
        ask = Line("then", "before you see an answer", f"grade predict {place.lesson_id}")
        read = Line("next", "the lesson, here in the terminal", f"grade read {place.lesson_id}")
        return where, read, write if current.kept.predictions else ask
    return (
        where,
        Line("next", "write; it grades at every save", f"grade watch {place.lesson_id}"),
        Line("stuck", "help one step at a time", f"grade hint {place.lesson_id}"),
    )


def _reached(one: Standing) -> str:
    points = one.kept.max_score or one.points
    if one.done:
        return f"done, {one.kept.best} of {points} points"
    if not one.kept.gradings:
        return "not graded yet" if one.begun else "not begun"
    said = f"{one.kept.best} of {points} points"
    if not one.proved:
        return f"{said} · nothing proved yet"
    more = len(one.proved) - PHRASES_SHOWN
    return f"{said} · proved: {'; '.join(one.proved[:PHRASES_SHOWN])}" + (f"; and {more} more" if more > 0 else "")


def _after(current: Standing, standings: Sequence[Standing], progress: Progress, *, today: date) -> tuple[Line, Line]:
    """What comes after a lesson that is done: the next one that is open, and what keeps this one."""
    onward = next((one for one in standings if not one.done and not unmet(one, progress)), None)
    due = sum(answered.due <= today.isoformat() for one in standings for answered in one.kept.quiz.values())
    if due:
        keep = Line("also", f"{due} question{'s are' if due > 1 else ' is'} due again", "grade quiz")
    elif not current.kept.quiz:
        keep = Line("also", "questions to see whether it stays", f"grade quiz {current.lesson_id}")
    else:
        keep = Line("also", "a portfolio to hand in or to keep", f"grade evidence {current.lesson_id}")
    if onward is None:
        return Line(
            "next", "every lesson is done; yours beside the reference", f"grade solution {current.lesson_id}"
        ), keep
    return Line("next", onward.title, f"grade start {onward.lesson_id}"), keep
