"""GitHub Classroom: the result that its autograding reporter reads, and the two notices that carry the points.

https://github.com/classroom-resources/autograding-grading-reporter
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any

from grader.classroom.exports.export import Export, file_for_each
from grader.classroom.exports.feedback import outcome_text
from grader.classroom.exports.harmless import no_command, one_line
from grader.classroom.names import slug
from grader.classroom.nouns import Graded
from grader.model import Verdict

BROKE_OFF = (Verdict.ERROR, Verdict.TIMEOUT, Verdict.INTERNAL)


def result(graded: Graded) -> dict[str, Any]:
    """What the reporter adds up: ``score`` of all ``tests``, out of ``max_score``.

    A grading that failed has status "error", no tests and no maximum: the reporter then reports no points at all.
    """
    if graded.score is None:
        return {"version": 1, "status": "error", "max_score": 0, "tests": []}
    tests = [_test(outcome) for outcome in graded.report["outcomes"] if outcome["max_points"]]
    passed = all(test["status"] == "pass" for test in tests)
    return {"version": 1, "status": "pass" if passed else "fail", "max_score": graded.max_score, "tests": tests}


def _test(outcome: dict[str, Any]) -> dict[str, Any]:
    verdict = Verdict(outcome["verdict"])
    return {
        "name": no_command(one_line(outcome["title"])),
        "status": "pass" if verdict is Verdict.PASS else "error" if verdict in BROKE_OFF else "fail",
        "score": outcome["points"],
        "max_score": outcome["max_points"],
        "message": "" if verdict is Verdict.PASS else no_command(outcome_text(outcome)),
        "test_code": outcome["check"],
        "filename": "",
        "line_no": 0,
        "execution_time": f"{outcome['duration_s']:.3f}s",
    }


def output_line(graded: Graded) -> str:
    """The line for $GITHUB_OUTPUT: ``result=`` and the result as JSON in base64."""
    return "result=" + base64.b64encode(json.dumps(result(graded), allow_nan=False).encode()).decode()


def notices(graded: Graded) -> tuple[str, ...]:
    """The two workflow commands with the points, as the reporter prints them; none without points."""
    if graded.score is None:
        return ()
    report = json.dumps({"totalPoints": graded.score, "maxPoints": graded.max_score}, separators=(",", ":"))
    return (
        f"::notice title=Autograding complete::Points {graded.score}/{graded.max_score}",
        f"::notice title=Autograding report::{report}",
    )


def github(graded: Iterable[Graded]) -> Export:
    """A text file for each student: the notices, then the result."""
    return file_for_each(
        graded,
        name=lambda one: f"github/{slug(one.student)}.txt",
        content=lambda one: ("\n".join([*notices(one), output_line(one)]) + "\n").encode("ascii"),
        without_score="could not be graded; no points are reported",
    )
