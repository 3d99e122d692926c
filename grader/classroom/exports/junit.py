"""JUnit: XML for whatever shows test results: a suite per student, a case per check."""

from __future__ import annotations

import datetime
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable

from grader.classroom.exports.export import Export
from grader.classroom.exports.feedback import outcome_text, sandbox_text
from grader.classroom.exports.harmless import cleaned, one_line
from grader.classroom.exports.points import seconds
from grader.classroom.nouns import Graded
from grader.model import Verdict

# Verdict -> the element that says it; `error` is what the grader or the code broke off with.
ELEMENTS = {
    Verdict.FAIL: "failure",
    Verdict.ERROR: "error",
    Verdict.TIMEOUT: "error",
    Verdict.INTERNAL: "error",
    Verdict.SKIP: "skipped",
    Verdict.TODO: "skipped",
}


def junit(graded: Iterable[Graded]) -> Export:
    """junit.xml, UTF-8."""
    root = ElementTree.Element("testsuites", name="headwork")
    changes: list[str] = []
    for one in graded:
        root.append(_suite(one))
        score = "not graded" if one.score is None else f"{one.score} of {one.max_score}"
        changes.append(f"{one_line(one.name)} ({one_line(one.student)}): {score}")
    ElementTree.indent(root)
    content: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return Export({"junit.xml": content + b"\n"}, tuple(changes))


def _suite(graded: Graded) -> ElementTree.Element:
    outcomes = [outcome for outcome in graded.report["outcomes"] if outcome["max_points"]]
    counts = Counter(ELEMENTS.get(Verdict(outcome["verdict"]), "") for outcome in outcomes)
    suite = ElementTree.Element(
        "testsuite",
        name=one_line(graded.student),
        tests=str(len(outcomes)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
        time=f"{seconds(graded.report):.3f}",
        timestamp=graded.graded_at.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S"),
    )
    properties = ElementTree.SubElement(suite, "properties")
    facts = {
        "name": graded.name,
        "lesson": graded.report["lesson"],
        "score": "" if graded.score is None else str(graded.score),
        "max_score": str(graded.max_score),
        "late": "true" if graded.late else "false",
        "attempt": str(graded.attempt),
        "run": sandbox_text(graded.report),
    }
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", name=name, value=one_line(value))
    for outcome in outcomes:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            name=one_line(outcome["title"]),
            classname=one_line(f"{graded.report['lesson']}.{outcome['exercise']}.{outcome['check']}"),
            time=f"{outcome['duration_s']:.3f}",
        )
        element = ELEMENTS.get(Verdict(outcome["verdict"]))
        if element is not None:
            found = ElementTree.SubElement(case, element, message=one_line(outcome["message"] or outcome["verdict"]))
            if element != "skipped":
                found.set("type", outcome["verdict"])
            found.text = cleaned(outcome_text(outcome))
    return suite
