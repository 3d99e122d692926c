"""A grading of a learner's file as it is now, for a command that has something to say about it."""

from __future__ import annotations

from pathlib import Path

from grader.grading import grade
from grader.lesson import find_lesson, load_lesson
from grader.model import Lesson, Report, Submission
from grader.preparing import compiled, compiled_already, modules_used
from grader.running.runner import Runner
from grader.submission import read_submission


def graded_now(lesson_id: str, main: Path) -> tuple[Lesson, Submission, Report]:
    """The lesson, what ``main`` holds, and what that comes to: the same numbers for the same file.

    It is no attempt: progress does not hear of it.
    """
    submission = read_submission(main)
    cache = compiled_already(find_lesson(lesson_id)) or compiled(load_lesson(lesson_id))
    with Runner([cache] if cache else [], modules_used(submission.source)) as runner:
        lesson = load_lesson(lesson_id)
        return (
            lesson,
            submission,
            grade(lesson, submission, seed=int(submission.sha256[:7], 16), open_worker=runner.open),
        )
