"""The study material of a lesson, held to its page, figures and checks."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from grader.authoring.prose import DECIMAL, without_code
from grader.authoring.quiz_block import with_quiz
from grader.errors import LessonError
from grader.model import Lesson, Program
from grader.narration import Explanation, Part, Section, Table, row
from grader.running.program import WorkerProgram
from grader.study.material import Material, Prediction, Question, answer_of, explanations, read_material, walk
from grader.study.predicting.observed import read
from grader.study.predicting.predictions import SAME
from grader.submission import read_submission

MARKER = re.compile(r"<!-- predict: (.*?) -->")
HEADING = re.compile(r"#{1,6} (.+)")
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")  # to a file beside the page, not to the web
NAN = re.compile(r"(?<![\w`])nan\b")  # in code style it is meant; a bare one came out of a computation


def material_problems(lesson: Lesson) -> list[str]:
    """Everything of study.toml, walk.py, explain.py that is not so, each as `file: what; remedy`."""
    material = read_material(lesson.folder)
    page = (lesson.folder / "lesson.md").read_text(encoding="utf-8")
    prose = without_code(page)
    return [
        *marker_problems(prose, material.predictions),
        *section_problems(prose, material),
        *answer_problems(material.predictions, lesson.folder),
        *observed_problems(material.predictions, lesson),
        *check_problems(lesson),
        *telling_problems(lesson.folder),
        *typed_decimals(material, lesson.folder),
        *quiz_problems(page, material),
        *link_problems(prose, lesson.folder),
    ]


# ---- the page -----------------------------------------------------------------------


def marker_problems(prose: str, predictions: tuple[Prediction, ...]) -> Iterator[str]:
    """Predictions whose answer the page does not fold away below one marker, in the order in which they are asked."""
    sections = {one.name: one.section for one in predictions}
    marked: list[str] = []
    heading = ""
    lines = prose.splitlines()
    for number, line in enumerate(lines, start=1):
        if match := HEADING.fullmatch(line):
            heading = match[1]
        if not (match := MARKER.fullmatch(line)):
            continue
        if not "".join(lines[number : number + 1]).startswith("<details>"):
            yield f"lesson.md:{number}: predict: no <details> on the next line; the answer has to be folded away there"
        for name in match[1].split():
            marked.append(name)
            if name not in sections:
                yield f"lesson.md:{number}: predict: {name} is no prediction of study.toml; correct the name"
            elif sections[name] != heading:
                yield f"lesson.md:{number}: {name} is marked under {heading!r}; its section is {sections[name]!r}"
    for name in sections:
        if (times := marked.count(name)) != 1:
            yield f"lesson.md: {name}: {times} markers; one <!-- predict: {name} --> belongs above its answer"
    if sorted(marked) == sorted(sections) and marked != list(sections):
        yield f"study.toml: predictions in another order than on the page; the page has {', '.join(marked)}"


def section_problems(prose: str, material: Material) -> Iterator[str]:
    """Questions that belong to no heading of the page."""
    headings = {match[1] for line in prose.splitlines() if (match := HEADING.fullmatch(line))}
    asked: list[Prediction | Question] = [*material.predictions, *material.quiz]
    for one in asked:
        if one.section not in headings:
            yield f"study.toml: {one.name}: no heading {one.section!r} on the page; copy the heading's text"


def quiz_problems(page: str, material: Material) -> Iterator[str]:
    """Whether the page asks the quiz of now."""
    try:
        fresh = with_quiz(page, material)
    except LessonError as error:
        yield str(error)
        return
    if fresh != page:
        yield "lesson.md: the quiz is not that of study.toml; run: grade record"


def link_problems(prose: str, folder: Path) -> Iterator[str]:
    """Links and images of the page that lead to no file."""
    for number, line in enumerate(prose.splitlines(), start=1):
        for target in LINK.findall(line):
            if not (folder / target).exists():
                yield f"lesson.md:{number}: {target}: no such file; correct the link"


# ---- answers ---------------------------------------------------------------------------


def answer_problems(predictions: tuple[Prediction, ...], folder: Path) -> Iterator[str]:
    """Answers that are not of the kind that is asked for."""
    for one in predictions:
        where = f"study.toml: {one.name}"
        if one.kind == "choice":
            if len(set(one.options)) < max(2, len(one.options)):
                yield f"{where}: options {list(one.options)}; two or more, all different, are right"
            if one.observed:
                yield f'{where}: a choice is not read from a run; write observed = ""'
            continue
        if one.options:
            yield f"{where}: a {one.kind} prediction has no options; write options = []"
        try:
            answer = _numbers(answer_of(one, folder))
        except LessonError as error:
            yield str(error)
            continue
        if answer is None or answer.ndim != (one.kind == "numbers") or not answer.size:
            expected = "one number" if one.kind == "number" else "a row of numbers"
            yield f"{where}: {one.answer} is not {expected}; correct the answer or the kind"


def observed_problems(predictions: tuple[Prediction, ...], lesson: Lesson) -> Iterator[str]:
    """Observed variables that do not show the answer when the reference runs."""
    with WorkerProgram(read_submission(lesson.solution)) as program:
        for one in predictions:
            if one.observed and one.kind != "choice":
                yield from (f"study.toml: {one.name}: {problem}" for problem in _observed(one, program, lesson.folder))


def _observed(one: Prediction, program: Program, folder: Path) -> Iterator[str]:
    try:
        shown = read(program, [one.observed]).get(one.observed)
        answer = _numbers(answer_of(one, folder))
    except LessonError as error:
        yield str(error)
        return
    if shown is None:
        yield f"{one.observed} is not in main.py of the reference; correct it"
    elif answer is not None and not (shown.shape == answer.shape and np.allclose(shown, answer, rtol=SAME, atol=SAME)):
        yield f"{one.observed} is {row(shown)} when the reference runs; {one.answer} is {row(answer)}; correct one"


def _numbers(value: Any) -> np.ndarray | None:
    """``value`` as finite float64, or None when it is something else."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return array if np.isfinite(array).all() else None


# ---- what is told -----------------------------------------------------------------------


def check_problems(lesson: Lesson) -> Iterator[str]:
    """Checks without an explanation, explanations without a check."""
    explained = explanations(lesson.folder)
    checks = [check.name for check in lesson.checks]
    yield from (f"explain.py: nothing explains {name}; write it" for name in checks if name not in explained)
    yield from (
        f"explain.py: {name} is no check of this lesson; correct the name" for name in explained.keys() - checks
    )


def telling_problems(folder: Path) -> Iterator[str]:
    """Sections and explanations that do not run, or tell something that cannot be shown."""
    sections = walk(folder)
    if not sections:
        yield "walk.py: no @section; write one"
    for one in sections:
        yield from (f"walk.py: {one.title}: {problem}" for problem in _told(one))
    for name, explanation in explanations(folder).items():
        yield from (f"explain.py: {name}: {problem}" for problem in _told(explanation))


def _told(one: Section | Explanation) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a learner would see it in the middle of the text
            parts: list[object] = list(one.tell())
    except Exception as error:
        yield f"{type(error).__name__}: {error}"
        return
    if not parts:
        yield "tells nothing; yield a paragraph or a table"
    for part in parts:
        if not isinstance(part, Part):
            yield f"yields a {type(part).__name__}; a str or a table(…) is right"
        elif any(NAN.search(text) for text in _texts(part)):
            yield f"tells nan: {part.title if isinstance(part, Table) else part}; compute it another way"


def _texts(part: Part) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    else:
        yield from (text for texts in (*part.cells, part.columns, part.rows) for text in texts)


def typed_decimals(material: Material, folder: Path) -> Iterator[str]:
    """Decimals that somebody typed into a text, where they may be wrong; the braces of an f-string compute theirs."""
    for name in ("walk.py", "explain.py"):
        for node in ast.walk(ast.parse((folder / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for decimal in DECIMAL.findall(node.value):
                    yield f"{name}:{node.lineno}: {decimal} is typed into a text; compute it there"
    for prediction in material.predictions:
        yield from _typed(prediction.name, prediction.question, prediction.reason, *prediction.options)
    for question in material.quiz:
        options = (text for option in question.options for text in (option.text, option.reason))
        yield from _typed(question.name, question.question, *options)


def _typed(name: str, *texts: str) -> Iterator[str]:
    for decimal in (decimal for text in texts for decimal in DECIMAL.findall(text)):
        yield f"study.toml: {name}: {decimal} has nothing behind it; say it as a fraction or in words"
