"""LTI: score bodies as Assignment and Grade Services take them."""

from __future__ import annotations

import datetime
import json
import re

from jsonschema import validate

from grader.classroom.exports.lti import lti
from grader.classroom.exports.points import Points, parse_points
from grader.model import Verdict

TIME = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"}
# https://www.imsglobal.org/spec/lti-ags/v2p0#score-service-media-type-and-schema
SCHEMA = {
    "type": "object",
    "properties": {
        "userId": {"type": "string", "minLength": 1},
        "scoreGiven": {"type": "number", "minimum": 0},
        "scoreMaximum": {"type": "number", "exclusiveMinimum": 0},
        "activityProgress": {"enum": ["Initialized", "Started", "InProgress", "Submitted", "Completed"]},
        "gradingProgress": {"enum": ["FullyGraded", "Pending", "PendingManual", "Failed", "NotReady"]},
        "timestamp": TIME,
        "comment": {"type": "string"},
        "submission": {"type": "object", "properties": {"submittedAt": TIME}},
    },
    "required": ["userId", "activityProgress", "gradingProgress", "timestamp"],
    "dependentRequired": {"scoreGiven": ["scoreMaximum"]},
    "additionalProperties": False,
}
ZONE = datetime.timezone(datetime.timedelta(hours=2))


def bodies(*graded, points=None):
    found = json.loads(lti(graded, points=points or Points()).files["lti.json"])
    for body in found:
        validate(body, SCHEMA)
    return found


def test_a_score_is_a_body_with_milliseconds_and_zone(make_graded, lesson):
    at = datetime.datetime(2026, 3, 1, 12, 0, tzinfo=ZONE)
    graded = make_graded(passed=2, received_at=at, identity={"user id": "501"})
    (body,) = bodies(graded)
    assert (body["userId"], body["scoreGiven"], body["scoreMaximum"]) == ("501", graded.score, lesson.max_score)
    assert (body["activityProgress"], body["gradingProgress"]) == ("Completed", "FullyGraded")
    assert body["timestamp"] == "2026-03-02T12:00:00.250Z"
    assert body["submission"] == {"submittedAt": "2026-03-01T10:00:00.000Z"}
    assert re.match(rf"transformers-01: {graded.score} of {lesson.max_score} points\. ", body["comment"])


def test_points_are_scaled_together_with_the_maximum(make_graded):
    (body,) = bodies(make_graded(passed=99), points=parse_points("7.5"))
    assert (body["scoreGiven"], body["scoreMaximum"]) == (7.5, 7.5)


def test_a_grading_that_failed_waits_for_a_person_and_is_no_zero(make_graded):
    (body,) = bodies(make_graded(verdict=Verdict.INTERNAL))
    assert "scoreGiven" not in body
    assert body["gradingProgress"] == "PendingManual"


def test_a_comment_has_no_control_characters(make_graded):
    (body,) = bodies(make_graded(message="\x1b[31m\u202egnp"))
    assert "\x1b" not in body["comment"]
    assert "\u202e" not in body["comment"]
