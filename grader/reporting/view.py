"""What there is to say about a report, in words that terminal, pages and notebooks share."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from grader.model import ExerciseState, Lesson, Outcome, Report, Verdict, Witness
from grader.place import all_in_words, in_words
from grader.reporting.numbers import typed

# Every state has a mark and a word: colour only repeats what they say.
MARKS: Mapping[Verdict, str] = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✗",
    Verdict.ERROR: "!",
    Verdict.TIMEOUT: "⧖",
    Verdict.SKIP: "·",
    Verdict.TODO: "○",
    Verdict.INTERNAL: "?",
}
LINES_OF_OUTPUT = 40
CHARACTERS_OF_A_LINE = 400
HAPPENINGS_SHOWN = 12
BEFORE = {
    "exit": "asked to stop with ",
    "timeout": "the statement here ",
    "died": "at the statement here ",
    "unrun": "the statement here ",
    "unreadable": "the file cannot be read as Python: ",
}
AFTER = {
    "exit": "; the statements after it were run all the same",
    "timeout": "; the file was run again without it",
    "died": "; the file was run again without it",
}
HEADLINES = {
    Verdict.PASS: "All checks pass.",
    Verdict.TODO: "To be continued: what is there is right.",
    Verdict.INTERNAL: "The grader failed. This is no fault of yours and costs no points; it will be graded again.",
}


@dataclass(frozen=True)
class Happening:
    """The events that say the same: where they happened ("lines 3, 7", or nothing) and what."""

    kind: str
    where: str
    what: str


@dataclass(frozen=True)
class Trouble:
    """A check that stands in the way: how many others wait for it, and the numbers to type again."""

    outcome: Outcome
    mark: str
    waiting: int
    numbers: str


@dataclass(frozen=True)
class Printed:
    """The end of what a submission printed, cut to what a page can hold."""

    title: str
    text: str
    shown: int
    all: int


def facts(report: Report, lesson: Lesson) -> dict[str, Any]:
    """What the templates of a report speak about."""
    unreadable = next((event for event in report.events if event.kind == "unreadable"), None)
    judged = unreadable is None and report.verdict is not Verdict.INTERNAL
    troubles = [trouble(report, one) for one in report.outcomes if in_the_way(one)] if judged else []
    happened = happenings(report, told=[one.outcome.message for one in troubles[:1]])
    return {
        "lesson": lesson,
        "report": report,
        "verdict": report.verdict,
        "mark": MARKS[report.verdict],
        "headline": headline(report),
        "exercises": [(one, _checks(report, one)) for one in report.exercises],
        "marks": MARKS,
        "unreadable": unreadable,
        "unreadable_at": in_words(unreadable.line, unreadable.cell) if unreadable and unreadable.line else "",
        "first": troubles[0] if troubles else None,
        "others": troubles[1:],
        "proved": proved(report, lesson),
        "happened": [one for one in happened if one.kind != "unreadable"],
        "happenings_shown": HAPPENINGS_SHOWN,
        "todo": unwritten(report, lesson),
        "advice": [one for one in report.outcomes if not one.max_points and _troubled(one)] if judged else [],
        "outputs": [_printed("Output", report.stdout), _printed("Error output", report.stderr)],
    }


def file_name(path: str) -> str:
    """The name of the file at ``path``, with the separators of any system."""
    return PurePosixPath(path.replace("\\", "/")).name


def headline(report: Report) -> str:
    """The verdict as a sentence."""
    kinds = {event.kind for event in report.events}
    if report.verdict is Verdict.TODO and kinds & {"timeout", "died", "raised"}:
        return "Not there yet."
    return HEADLINES.get(report.verdict, "The file cannot be read." if "unreadable" in kinds else "Not there yet.")


def in_the_way(outcome: Outcome) -> bool:
    """Whether a check failed that counts; a name is also in the way if it is missing where something like it is."""
    if not outcome.max_points:
        return False
    return _troubled(outcome) or (outcome.verdict is Verdict.TODO and "; " in outcome.message)


def _troubled(outcome: Outcome) -> bool:
    return outcome.verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT)


def trouble(report: Report, outcome: Outcome) -> Trouble:
    """All that there is to say on ``outcome`` beside itself."""
    held_up, waiting = {outcome.check}, 0
    for one in report.outcomes:  # what a check waits for stands before it
        if one.verdict is Verdict.SKIP and held_up.intersection(one.needs):
            held_up.add(one.check)
            waiting += bool(one.max_points)
    numbers = "\n".join(witness_lines(outcome.witness)) if outcome.witness else ""
    return Trouble(outcome, MARKS[outcome.verdict], waiting, numbers)


def witness_lines(witness: Witness) -> Iterator[str]:
    """The numbers as they can be typed again."""
    for name, array in (*witness.inputs.items(), ("right", witness.expected), ("yours", witness.actual)):
        yield f"{name} = {typed(array)}"


def happenings(report: Report, *, told: Collection[str] = (), follows: bool = True) -> list[Happening]:
    """What happened while the file ran, the same message once with all its places, without what is ``told`` already.

    Without ``follows`` what only follows from something above it is left out.
    """
    same: dict[tuple[str, str], dict[tuple[int, int | None], None]] = {}
    for event in report.events:
        if (follows or event.kind != "unrun") and not any(event.message in message for message in told):
            places = same.setdefault((event.kind, event.message), {})
            if event.line:
                places[event.line, event.cell] = None
    return [
        Happening(kind, all_in_words([*places]) if places else "", BEFORE.get(kind, "") + message + AFTER.get(kind, ""))
        for (kind, message), places in same.items()
    ]


def proved(report: Report, lesson: Lesson) -> list[str]:
    """What is known, as phrases."""
    passed = {one.check: one.message for one in report.outcomes if one.verdict is Verdict.PASS}
    phrases = [passed[check.name] or check.proves for check in lesson.checks if check.name in passed]
    return [phrase for phrase in phrases if phrase]


def unwritten(report: Report, lesson: Lesson) -> list[Any]:
    """The exercises with a name that is still to be filled."""
    still = {one.exercise for one in report.outcomes if one.verdict is Verdict.TODO and one.max_points}
    return [one for one in lesson.exercises if one.name in still]


def _checks(report: Report, exercise: ExerciseState) -> Sequence[Outcome]:
    return [one for one in report.outcomes if one.exercise == exercise.name and one.max_points]


def _printed(title: str, text: str) -> Printed:
    lines = text.rstrip().split("\n") if text.strip() else []
    kept = [
        line if len(line) <= CHARACTERS_OF_A_LINE else f"{line[:CHARACTERS_OF_A_LINE]} … ({len(line)} characters)"
        for line in lines[-LINES_OF_OUTPUT:]
    ]
    return Printed(title, "\n".join(kept), len(kept), len(lines))
