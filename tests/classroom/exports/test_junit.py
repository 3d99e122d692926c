"""junit.xml holds to the common schema, whatever a submission said."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import xmlschema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.classroom.exports.junit import junit
from grader.model import Verdict


@pytest.fixture(scope="module")
def schema():
    return xmlschema.XMLSchema(str(Path(__file__).with_name("junit.xsd")))


def xml(*graded):
    return junit(graded).files["junit.xml"]


@pytest.mark.parametrize("verdict", [v for v in Verdict if v is not Verdict.PASS])
def test_a_grading_is_valid_whatever_came_out(make_graded, schema, verdict):
    schema.validate(xml(make_graded(passed=2, verdict=verdict, late=True), make_graded("s002", passed=99)).decode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(text=st.text(), name=st.text())
def test_any_text_makes_valid_xml(make_graded, schema, text, name):
    schema.validate(xml(make_graded(name=name, message=text)).decode())


def test_signs_that_xml_forbids_are_shown_as_what_they_are(make_graded):
    text = "]]>\x00\x1b\ud800\ufffe</failure>&amp;<!--"
    (failure,) = ElementTree.fromstring(xml(make_graded(message=text))).iter("failure")
    assert failure.get("message") == "]]>\ufffd\ufffd\ufffd\ufffd</failure>&amp;<!--"


def test_counts_agree_with_the_cases(make_graded, lesson):
    suite = ElementTree.fromstring(xml(make_graded(passed=4, late=True)))[0]
    worth = [check for check in lesson.checks if not check.advice]
    assert int(suite.get("tests")) == len(worth) == len(suite.findall("testcase"))
    assert int(suite.get("failures")) == len(list(suite.iter("failure"))) == 1
    assert int(suite.get("skipped")) == len(list(suite.iter("skipped")))
    assert {one.get("name"): one.get("value") for one in suite.iter("property")}["late"] == "true"


def test_a_grading_that_failed_has_errors_and_no_score(make_graded):
    suite = ElementTree.fromstring(xml(make_graded(verdict=Verdict.INTERNAL)))[0]
    assert {one.get("name"): one.get("value") for one in suite.iter("property")}["score"] == ""
    assert int(suite.get("errors")) == 1
