"""The words for a grading where a system has room for a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.classroom.exports.harmless import cleaned, one_line
from grader.classroom.nouns import Graded
from grader.model import Verdict
from grader.place import in_words

WORDS = {
    Verdict.PASS: "passed",
    Verdict.FAIL: "not right yet",
    Verdict.ERROR: "stopped with an error",
    Verdict.TIMEOUT: "took too long",
    Verdict.SKIP: "waits for an earlier check",
    Verdict.TODO: "not written yet",
    Verdict.INTERNAL: "could not be graded, through no fault of yours",
}
TROUBLES = (Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT)


def outcome_text(outcome: Mapping[str, Any]) -> str:
    """What came out of one check, the mistake by name and the first hint, a line each."""
    lines = [WORDS[Verdict(outcome["verdict"])] + (f": {outcome['message']}" if outcome["message"] else "")]
    if outcome["diagnosis"]:
        lines.append("The mistake: " + " and ".join(one["title"] for one in outcome["diagnosis"]))
        lines.extend(f"Ask yourself: {one['hints'][0]}" for one in outcome["diagnosis"] if one["hints"])
    return cleaned("\n".join(lines))


def sandbox_text(report: Mapping[str, Any]) -> str:
    """What the submission ran in; the seed stays with the instructor, whose course may use it again."""
    return one_line(f"sandbox: {report['sandbox']}")


def summary(graded: Graded) -> str:
    """The grading in one line: points, then the first check that stands in the way."""
    head = f"{graded.report['lesson']}: "
    if graded.score is None:
        return one_line(head + "could not be graded; no points are given or taken")
    head += f"{graded.score} of {graded.max_score} points"
    unreadable = next((one for one in graded.report["events"] if one["kind"] == "unreadable"), None)
    if unreadable is not None:
        where = f", {in_words(unreadable['line'], unreadable.get('cell'))}" if unreadable["line"] else ""
        return one_line(f"{head}. The file cannot be read{where}: {unreadable['message']}")
    outcomes = [one for one in graded.report["outcomes"] if one["max_points"]]
    first = next((one for one in outcomes if one["verdict"] in TROUBLES), None)
    if first is not None:
        return one_line(f"{head}. {first['title'].rstrip('.')}: {outcome_text(first)}")
    if all(one["verdict"] == Verdict.PASS for one in outcomes):
        return one_line(head + ". All checks pass.")
    todo = next((one for one in outcomes if one["verdict"] == Verdict.TODO), None)
    return one_line(f"{head}. To be continued with: {todo['title']}" if todo else head)
