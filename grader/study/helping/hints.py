"""The hints for what stands in the way: three tiers from the mistake, else from the check's explanation."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model import Outcome, Report, Submission, Verdict
from grader.narration import Explanation, Part
from grader.place import in_words, place
from grader.reporting.view import in_the_way

TIERS = 3
SHAPES: tuple[Part, ...] = (
    "The line named above stopped with the interpreter's own words. Which shapes, or which kind of value, meet there? "
    "Print the shape of everything on that line just before it, and write the shapes that you expect beside them.",
)


@dataclass(frozen=True)
class Hints:
    """The tiers for one outcome; ``name`` is what progress counts them under."""

    name: str
    tiers: tuple[tuple[Part, ...], ...]


def first_open(report: Report) -> Outcome | None:
    """What to see to first: the first check for points that went wrong, else the first that is not written yet."""
    worth = [one for one in report.outcomes if one.max_points]
    wrong = [one for one in worth if in_the_way(one)]
    todo = [one for one in worth if one.verdict is Verdict.TODO]
    return next(iter([*wrong, *todo]), None)


def hints_for(outcome: Outcome, explanation: Explanation) -> Hints:
    """A question, the relation, the place to look: of the mistake that was recognised, else of the check.

    The numbers in the second hint of a mistake are those of that mistake alone, so two at once get the relation.
    """
    relation: tuple[Part, ...] = (explanation.words, f"`{explanation.formula}`")
    if outcome.verdict is Verdict.ERROR and not outcome.diagnosis:
        return Hints(f"{outcome.check}: error", (SHAPES, (explanation.asks,), relation))
    if not outcome.diagnosis:
        example = (*explanation.tell(), f"Look at {explanation.look}.")
        return Hints(outcome.check, ((explanation.asks,), relation, example))
    questions, numbers, places = zip(*(one.hints for one in outcome.diagnosis), strict=True)
    alone = len(outcome.diagnosis) == 1
    return Hints("+".join(one.name for one in outcome.diagnosis), (questions, numbers if alone else relation, places))


def first_gap(submission: Submission) -> str:
    """The first line that still says TODO, with its place; nothing where there is none."""
    for number, line in enumerate(submission.source.decode("utf-8", "replace").splitlines(), 1):
        if "TODO" in line and "..." in line:
            at, cell = place(number, submission.cells)
            return f"{in_words(at or number, cell)}: {line.strip()}"
    return ""
