"""Every attack of the corpus fails: nothing leaks, nothing stays behind, the next submission gets full marks."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus import ATTACKS, Place, composed, header, peak_mib, place, problems_of

from grader.model import Lesson, Report, Verdict

NAMES = sorted(path.stem for path in ATTACKS.glob("*.py"))
MEMORY_OF_ONE_GRADING_MIB = 300


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, lesson: Lesson) -> Iterator[Place]:
    with place(tmp_path_factory.mktemp("ground"), lesson) as made:
        yield made


@pytest.fixture(scope="module")
def ordinary(ground: Place, solution: str) -> Report:
    return ground.grade("ordinary", solution)


def as_expected(report: Report, expected: str) -> bool:
    """Whether ``report`` is one of ``expected``: "pass, event timeout|error" and the like.

    A pass without events means that nothing happened at all.
    """
    kinds = {str(event.kind) for event in report.events}
    for one in expected.split("|"):
        verdict, *events = one.split(", ")
        wanted = {event.removeprefix("event ") for event in events}
        happened = wanted <= kinds if wanted != {"any"} else True
        if report.verdict == verdict and happened and (verdict != "pass" or wanted or not kinds):
            return True
    return False


def test_the_corpus_says_what_each_attack_must_come_to() -> None:
    assert len(NAMES) > 100
    for name in NAMES:
        text = (ATTACKS / f"{name}.py").read_text(encoding="utf-8")
        assert text.startswith('"""') and header(text, "expect"), name
        assert header(text, "place") in ("", "after", "alone"), name


@pytest.mark.parametrize("name", NAMES)
def test_attack(ground: Place, ordinary: Report, solution: str, name: str) -> None:
    attack = (ATTACKS / f"{name}.py").read_text(encoding="utf-8")
    if (machine := header(attack, "machine")) and platform.machine() != machine:
        pytest.skip(f"the numbers of its system calls are those of {machine}")
    traces, before = ground.traces(), peak_mib(start_again=True)

    report = ground.grade(name, composed(attack, solution, ground.secrets))
    grown, left = peak_mib() - before, ground.left_behind(traces)

    problems = problems_of(report, ground.lesson, ground.canary)
    if not as_expected(report, header(attack, "expect")):
        happened = [(event.kind, event.message[:200]) for event in report.events][:5]
        said = next((one.message[:300] for one in report.outcomes if one.verdict is not Verdict.PASS), "")
        problems.append(f"{report.verdict} {report.score} with {happened}, {said!r} {report.stderr[-500:]!r}")
    if not re.search(
        header(attack, "says"), " ".join([*(e.message for e in report.events), *(o.message for o in report.outcomes)])
    ):
        problems.append(f"does not say {header(attack, 'says')}: {report.events}")
    if grown > MEMORY_OF_ONE_GRADING_MIB:
        problems.append(f"the grader grew by {grown:.0f} MiB")
    if left:
        problems.append(f"left behind: {sorted(left)}")
    assert not problems, "\n".join(problems)

    next_one = ground.grade("ordinary", solution)
    assert (next_one.verdict, next_one.score, next_one.events) == (Verdict.PASS, ordinary.max_score, ())
    assert (next_one.stdout, next_one.stderr) == (ordinary.stdout, ordinary.stderr)


def test_the_secrets_are_where_the_attacks_look(ground: Place) -> None:
    for name in ("CANARY", "OTHER_SUBMISSION", "GRADEBOOK", "HOME_FILE"):
        assert ground.canary in ground.secrets[name].read_text(encoding="utf-8")
    for name in ("SOLUTION", "CHECKS", "ORACLE"):
        assert ground.secrets[name].stat().st_size > 0
    assert Path(os.environ["HOME"]) == ground.secrets["HOME_FILE"].parent
    assert os.environ["HEADWORK_CANARY_SECRET"] == ground.canary


def test_a_successful_attack_would_be_seen(ground: Place, solution: str) -> None:
    report = ground.grade("breach", composed("# expect: pass\nattempt(open, 'data.txt')", solution, {}))
    assert [one for one in problems_of(report, ground.lesson, ground.canary) if one.startswith("BREACH: open")]
