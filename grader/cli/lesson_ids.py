"""How commands take the id of a lesson: whole, by its number, or by a name that it once had."""

from __future__ import annotations

from typing import Annotated

import typer

from grader.study.progress.record import read_progress
from grader.study.workspace.places import Place, lesson_id_of, place_of, this_folder


def whole(typed: str | None) -> str | None:
    """The id that was meant. Raises UsageError for an unknown one."""
    return typed and lesson_id_of(typed)


LessonId = Annotated[
    str, typer.Argument(metavar="ID", callback=whole, help="The lesson, such as transformers-01, or its number.")
]
LessonIdOrHere = Annotated[
    str | None,
    typer.Argument(
        metavar="ID", callback=whole, help="The lesson; else that of this folder, else the last one worked on."
    ),
]


def here_or_last(lesson_id: str | None) -> Place:
    """The lesson that a command is about, with the learner's folder."""
    return place_of(lesson_id, read_progress(), here=this_folder())
