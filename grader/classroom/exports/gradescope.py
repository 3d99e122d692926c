"""Gradescope: results.json in the form that its autograder platform reads.

https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from grader.classroom.exports.export import Export, file_for_each
from grader.classroom.exports.feedback import WORDS, outcome_text, sandbox_text, summary
from grader.classroom.exports.harmless import cleaned, one_line
from grader.classroom.exports.points import seconds
from grader.classroom.names import slug
from grader.classroom.nouns import Graded
from grader.model import Verdict
from grader.place import in_words


def results(graded: Graded) -> dict[str, Any]:
    """results.json of one grading that has a score. Everything is plain text: nothing of it is rendered."""
    assert graded.score is not None
    lines = [summary(graded), sandbox_text(graded.report)]
    for event in graded.report["events"]:
        where = f"{in_words(event['line'], event.get('cell'))}: " if event["line"] else ""
        lines.append(one_line(where + event["message"]))
    return {
        "score": graded.score,
        "execution_time": seconds(graded.report),
        "output": cleaned("\n".join(lines)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(outcome, number) for number, outcome in enumerate(graded.report["outcomes"], start=1)],
        "extra_data": {
            "lesson": graded.report["lesson"],
            "lesson_digest": graded.report["lesson_digest"],
            "grader_version": graded.report["grader_version"],
            "sandbox": one_line(graded.report["sandbox"]),
            "sha256": graded.sha256,
            "late": graded.late,
        },
    }


def _test(outcome: dict[str, Any], number: int) -> dict[str, Any]:
    test: dict[str, Any] = {
        "score": outcome["points"],
        "max_score": outcome["max_points"],
        "status": "passed" if outcome["verdict"] == Verdict.PASS else "failed",
        "name": one_line(outcome["title"]),
        "number": str(number),
        "output": outcome_text(outcome),
        "tags": [outcome["exercise"], outcome["verdict"]],
        "visibility": "visible",
    }
    if not outcome["max_points"]:  # advice: no points to show, and no failure
        for key in ("score", "max_score", "status"):
            del test[key]
        test["output"] = f"advice, no points: {outcome_text(outcome)}"
    return test


def written(graded: Graded) -> bytes:
    """``results`` as the bytes of a file, ASCII."""
    return json.dumps(results(graded), indent=2, allow_nan=False).encode("ascii")


def gradescope(graded: Iterable[Graded]) -> Export:
    """A results.json for each student; whom the grader failed has none, so that nothing becomes a zero."""
    return file_for_each(
        graded,
        name=lambda one: f"gradescope/{slug(one.student)}/results.json",
        content=written,
        without_score=f"{WORDS[Verdict.INTERNAL].split(',')[0]}; no results.json",
    )
