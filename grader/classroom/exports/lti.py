"""LTI: the score bodies of Assignment and Grade Services 2.0, ready to be posted one by one.

https://www.imsglobal.org/spec/lti-ags/v2p0#score-service-media-type-and-schema
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from typing import Any

from grader.classroom.exports.export import Export
from grader.classroom.exports.feedback import summary
from grader.classroom.exports.harmless import one_line
from grader.classroom.exports.points import Points, number
from grader.classroom.nouns import Graded

USER = ("lti user id", "user id")  # what the platform calls the person, best first


def score_body(graded: Graded, *, points: Points) -> dict[str, Any]:
    """One score. A grading that failed gives no score and waits for a person (PendingManual).

    Whether it was late the platform sees from ``submittedAt``.
    """
    body: dict[str, Any] = {
        "userId": next((graded.identity[key] for key in USER if graded.identity.get(key)), graded.student),
        "activityProgress": "Submitted",
        "gradingProgress": "PendingManual",
        "timestamp": _time(graded.graded_at),
        "comment": summary(graded),
    }
    if graded.received_at is not None:
        body["submission"] = {"submittedAt": _time(graded.received_at)}
    if graded.score is not None:
        body |= {
            "scoreGiven": number(points.of(graded.score, graded.max_score)),
            "scoreMaximum": number(points.most(graded.max_score)),
            "activityProgress": "Completed",
            "gradingProgress": "FullyGraded",
        }
    return body


def lti(graded: Iterable[Graded], *, points: Points) -> Export:
    """lti.json: a list of score bodies."""
    bodies: list[dict[str, Any]] = []
    changes: list[str] = []
    for one in graded:
        body = score_body(one, points=points)
        bodies.append(body)
        given = f"{body['scoreGiven']} of {body['scoreMaximum']}" if "scoreGiven" in body else body["gradingProgress"]
        changes.append(f"{one_line(one.name)} ({one_line(one.student)}): {given} for {one_line(body['userId'])}")
    content = json.dumps(bodies, indent=2, allow_nan=False) + "\n"
    return Export({"lti.json": content.encode("ascii")}, tuple(changes))


def _time(at: datetime.datetime) -> str:
    """ISO 8601 with milliseconds and zone, as the service demands."""
    return at.astimezone(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
