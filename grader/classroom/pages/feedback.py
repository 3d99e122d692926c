"""The page that a student gets: what is proved, what is not, the mistake by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from grader.classroom.nouns import Graded
from grader.classroom.pages.rendering import render
from grader.model import Lesson, Verdict
from grader.reporting.numbers import typed
from grader.reporting.text import SIGNS

LINES_OF_OUTPUT = 40
CHARACTERS_OF_A_LINE = 400
EVENTS_SHOWN = 12
BEFORE = {
    "exit": "asked to stop with ",
    "timeout": "the statement here ",
    "died": "at the statement here ",
    "unrun": "the statement here ",
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


def _headline(verdict: Verdict, events: Sequence[Mapping[str, Any]]) -> str:
    kinds = {event["kind"] for event in events}
    if verdict is Verdict.TODO and kinds & {"timeout", "died", "raised"}:
        return "Not there yet."
    return HEADLINES.get(verdict, "The file cannot be read." if "unreadable" in kinds else "Not there yet.")


def feedback_page(graded: Graded, lesson: Lesson) -> str:
    """The feedback on one submission as HTML that needs nothing else: no network, no script, no other file.

    Holds neither the seed nor a path of the machine nor anything about another student.
    """
    report = graded.report
    outcomes: Sequence[Mapping[str, Any]] = report["outcomes"]
    unreadable = [event for event in report["events"] if event["kind"] == "unreadable"]
    verdict = Verdict(report["verdict"])
    troubles = [] if unreadable or verdict is Verdict.INTERNAL else [one for one in outcomes if _in_the_way(one)]
    passed = {one["check"] for one in outcomes if one["verdict"] == Verdict.PASS}
    return render(
        "feedback.html.j2",
        graded=graded,
        lesson=lesson,
        report=report,
        verdict=verdict,
        sign=SIGNS[verdict][0],
        headline=_headline(verdict, report["events"]),
        exercises=[_exercise(one, outcomes) for one in report["exercises"]],
        unreadable=unreadable,
        first=_full(troubles[0], outcomes) if troubles else None,
        others=[{**one, "sign": SIGNS[Verdict(one["verdict"])][0]} for one in troubles[1:]],
        proved=[check.proves for check in lesson.checks if check.name in passed and check.proves],
        events=list(_events(report["events"], told={one["message"] for one in troubles[:1]})),
        todo=_todo(report, lesson),
        advice=[one for one in outcomes if not one["max_points"] and one["verdict"] in ("fail", "error", "timeout")]
        if not unreadable and verdict is not Verdict.INTERNAL
        else [],
        outputs=[_output(title, report[key]) for title, key in (("Output", "stdout"), ("Error output", "stderr"))],
        file=PurePosixPath(graded.file.replace("\\", "/")).name,
    )


def _in_the_way(outcome: Mapping[str, Any]) -> bool:
    if not outcome["max_points"]:
        return False
    if outcome["verdict"] == Verdict.TODO:  # a name that is missing where something like it is there
        return "; " in outcome["message"]
    return outcome["verdict"] in (Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT)


def _exercise(exercise: Mapping[str, Any], outcomes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    mine = [one for one in outcomes if one["exercise"] == exercise["name"] and one["max_points"]]
    return {**exercise, "checks": [{**one, "sign": SIGNS[Verdict(one["verdict"])][0]} for one in mine]}


def _full(outcome: Mapping[str, Any], outcomes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All that there is to say on a failing check, and how many others wait for it."""
    waiting = [o for o in outcomes if outcome["check"] in o["needs"] and o["verdict"] == "skip" and o["max_points"]]
    witness = outcome["witness"]
    return {
        **outcome,
        "sign": SIGNS[Verdict(outcome["verdict"])][0],
        "waiting": len(waiting),
        "numbers": _numbers(witness) if witness else "",
        "error": float(witness["largest_error"]) if witness else 0.0,
        "allowed": float(witness["tolerance"]) if witness else 0.0,
    }


def _numbers(witness: Mapping[str, Any]) -> str:
    """The witness as lines to type again."""
    rows = [*witness["inputs"].items(), ("right", witness["expected"]), ("yours", witness["actual"])]
    return "\n".join(f"{name} = {_typed(array)}" for name, array in rows)


def _typed(array: Any) -> str:
    return typed(np.vectorize(float, otypes=[np.float64])(np.asarray(array, dtype=object)))


def _events(events: Sequence[Mapping[str, Any]], *, told: set[str]) -> Iterator[dict[str, str]]:
    """What happened while the file ran; the same message once with all its lines."""
    lines: dict[tuple[str, str], list[str]] = {}
    for event in events:
        if event["kind"] != "unreadable" and not any(event["message"] in message for message in told):
            seen = lines.setdefault((event["kind"], event["message"]), [])
            if event["line"] and str(event["line"]) not in seen:
                seen.append(str(event["line"]))
    for (kind, message), at in list(lines.items())[:EVENTS_SHOWN]:
        where = f"{'lines' if len(at) > 1 else 'line'} {', '.join(at)}" if at else "note"
        yield {"where": where, "what": BEFORE.get(kind, "") + message + AFTER.get(kind, "")}
    if len(lines) > EVENTS_SHOWN:
        yield {"where": "more", "what": f"{len(lines) - EVENTS_SHOWN} other messages are not shown"}


def _todo(report: Mapping[str, Any], lesson: Lesson) -> list[dict[str, Any]]:
    """The exercises with a name that is still to be filled."""
    unwritten = {one["exercise"] for one in report["outcomes"] if one["verdict"] == "todo" and one["max_points"]}
    return [{"title": one.title, "names": one.names} for one in lesson.exercises if one.name in unwritten]


def _output(title: str, text: str) -> dict[str, Any]:
    """The last lines of ``text``, each cut to what a page can hold."""
    lines = text.rstrip().split("\n") if text.strip() else []
    kept = [
        line if len(line) <= CHARACTERS_OF_A_LINE else f"{line[:CHARACTERS_OF_A_LINE]} … ({len(line)} characters)"
        for line in lines[-LINES_OF_OUTPUT:]
    ]
    return {"title": title, "text": "\n".join(kept), "shown": len(kept), "all": len(lines)}
