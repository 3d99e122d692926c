"""What a lesson offers to practise with: predictions and questions from study.toml, walk.py and explain.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from grader.errors import LessonError
from grader.lesson import hold_to, import_file, read_toml
from grader.narration import Explanation, Section

PredictionKind = Literal["number", "numbers", "choice"]

MATERIAL_KEYS: Mapping[str, type] = {"predictions": list, "quiz": list}
PREDICTION_KEYS: Mapping[str, type] = {
    "name": str,
    "section": str,
    "question": str,
    "kind": str,
    "options": list,
    "answer": str,
    "observed": str,
    "reason": str,
}
QUESTION_KEYS: Mapping[str, type] = {"name": str, "section": str, "question": str, "options": list}
OPTION_KEYS: Mapping[str, type] = {"text": str, "right": bool, "reason": str}


@dataclass(frozen=True)
class Prediction:
    """A question that is answered before its answer can be seen.

    ``answer`` is an expression over the names of figures.py; for a choice, one of ``options``. ``observed`` is what
    shows it in a learner's own run, a variable of main.py with indices such as "output[0]", or nothing.
    """

    name: str
    section: str
    question: str
    kind: PredictionKind
    options: tuple[str, ...]
    answer: str
    observed: str
    reason: str


@dataclass(frozen=True)
class Option:
    """One answer to choose, with why it is right or wrong."""

    text: str
    right: bool
    reason: str


@dataclass(frozen=True)
class Question:
    """A question of the quiz; exactly one option is right."""

    name: str
    section: str
    question: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Material:
    """The predictions and the quiz of one lesson, in order."""

    predictions: tuple[Prediction, ...]
    quiz: tuple[Question, ...]


def read_material(folder: Path) -> Material:
    """study.toml of a lesson folder, held to its keys; LessonError for anything else."""
    path = folder / "study.toml"
    facts = read_toml(path)
    hold_to(facts, MATERIAL_KEYS, f"{path}")
    predictions = tuple(
        _prediction(table, f"{path}: prediction {n}") for n, table in enumerate(facts["predictions"], 1)
    )
    quiz = tuple(_question(table, f"{path}: question {n}") for n, table in enumerate(facts["quiz"], 1))
    for names in ([one.name for one in predictions], [one.name for one in quiz]):
        for name in {name for name in names if names.count(name) > 1}:
            raise LessonError(f"{path}: two are called {name}; rename one")
    return Material(predictions, quiz)


def _prediction(table: Any, where: str) -> Prediction:
    hold_to(table, PREDICTION_KEYS, where)
    if table["kind"] not in ("number", "numbers", "choice"):
        raise LessonError(f"{where}: kind {table['kind']!r}; number, numbers or choice is right")
    if table["kind"] == "choice" and table["answer"] not in table["options"]:
        raise LessonError(f"{where}: the answer {table['answer']!r} is none of the options; write it as one of them")
    return Prediction(**{**table, "options": tuple(table["options"])})


def _question(table: Any, where: str) -> Question:
    hold_to(table, QUESTION_KEYS, where)
    for option in table["options"]:
        hold_to(option, OPTION_KEYS, where)
    if sum(option["right"] for option in table["options"]) != 1:
        raise LessonError(f"{where}: {table['question']!r} needs exactly one right option")
    return Question(**{**table, "options": tuple(Option(**option) for option in table["options"])})


def answer_of(prediction: Prediction, folder: Path) -> Any:
    """The right answer: the option of a choice, else numbers as the lesson's figures.py computes them."""
    if prediction.kind == "choice":
        return prediction.answer
    names = dict(vars(import_file(folder / "figures.py")))
    try:
        return eval(prediction.answer, names)  # noqa: S307 - the lesson's own expression
    except Exception as error:
        raise LessonError(f"{folder / 'study.toml'}: {prediction.name}: {prediction.answer}: {error}") from error


def walk(folder: Path) -> tuple[Section, ...]:
    """The sections of walk.py, in order."""
    return tuple(value for value in vars(import_file(folder / "walk.py")).values() if isinstance(value, Section))


def explanations(folder: Path) -> dict[str, Explanation]:
    """Check name -> its explanation, from explain.py."""
    found = vars(import_file(folder / "explain.py")).values()
    return {check: one for one in found if isinstance(one, Explanation) for check in one.checks}
