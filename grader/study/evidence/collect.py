"""The evidence of a learner's work on one lesson: what was predicted, written, printed, drawn, graded and answered."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from grader.checking.student import Student
from grader.errors import Failure
from grader.grading import grade, new_seed
from grader.lesson import import_file
from grader.model import Lesson, Program, Report, Submission
from grader.reporting.predictions import Compared
from grader.running.boundary import Worker
from grader.running.limits import Limits
from grader.study.material import Question, read_material
from grader.study.predicting.predictions import Made
from grader.study.progress.record import Answered, LessonProgress


@dataclass(frozen=True)
class Figure:
    """A figure of the lesson drawn from the learner's own functions, with its words."""

    name: str
    svg: str
    words: str
    data: str


@dataclass(frozen=True)
class Evidence:
    """All of it; ``lacks`` says what would make it whole, ``undrawn`` why there is no figure."""

    lesson: Lesson
    submission: Submission
    report: Report
    at: datetime
    predictions: Sequence[Compared]
    unmade: int
    figures: Sequence[Figure]
    undrawn: str
    answers: Sequence[tuple[Question, Answered]]
    unasked: int

    @property
    def lacks(self) -> list[str]:
        """What to do for more, as commands."""
        return [
            f"{what} ({count} to go): {command} {self.lesson.id}"
            for what, count, command in (
                ("the other predictions", self.unmade, "grade predict"),
                ("the rest of the quiz", self.unasked, "grade quiz"),
            )
            if count
        ]


def gather(
    lesson: Lesson, submission: Submission, kept: LessonProgress, *, open_worker: Callable[[Limits], Worker]
) -> Evidence:
    """Grade ``submission`` and draw from the same run, with what was predicted and answered before."""
    made = Made(lesson.folder, kept)
    figures: list[Figure] = []
    undrawn = ""

    def look(program: Program) -> None:
        nonlocal undrawn
        made.look(program)
        try:
            figures.extend(draw(lesson, program))
        except Failure as failure:
            undrawn = failure.message
        except (ValueError, ArithmeticError) as error:  # numbers that no figure can show
            undrawn = f"the figure cannot be drawn from these numbers ({error})"

    report = grade(lesson, submission, seed=new_seed(), open_worker=open_worker, afterwards=look)
    questions = read_material(lesson.folder).quiz
    answers = [(one, kept.quiz[one.name]) for one in questions if one.name in kept.quiz]
    return Evidence(
        lesson=lesson,
        submission=submission,
        report=report,
        at=datetime.now(UTC),
        predictions=made.compared(),
        unmade=made.unmade,
        figures=figures,
        undrawn=undrawn,
        answers=answers,
        unasked=len(questions) - len(answers),
    )


def draw(lesson: Lesson, program: Program) -> list[Figure]:
    """The lesson's figures with the functions of ``program`` in place of the reference's.

    Raises Failure, or what drawing raises, when they do not answer with what can be drawn.
    """
    student = Student(program, lesson.functions)
    figures = import_file(lesson.folder / "figures.py")
    functions = {
        name: getattr(student, name) for name in inspect.signature(figures.draw).parameters if name in lesson.functions
    }
    with TemporaryDirectory(prefix="headwork-figures-") as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numbers that are no numbers are for the report to speak of
        folder = Path(name)
        figures.draw(folder, **functions)
        return [
            Figure(svg.stem, *(svg.with_suffix(end).read_text(encoding="utf-8") for end in (".svg", ".txt", ".json")))
            for svg in sorted(folder.glob("*.svg"))
        ]
