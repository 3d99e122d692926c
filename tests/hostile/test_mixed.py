"""Submissions of all kinds, in any order and in two runners at once, get what each kind gets alone."""

from __future__ import annotations

import collections
import os
import random
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from corpus import ATTACKS, SEED, Place, composed, place, without_durations

from grader.model import Lesson, Report
from grader.running.runner import Runner

SUBMISSIONS = int(os.environ.get("HEADWORK_MIXED", "40"))
QUICK_ATTACKS = (
    "comparisons_that_agree", "ending_in_attend_0", "ending_in_attend_segfault", "fake_report", "forged_zeros",
    "forged_objects", "fork_bomb", "links_out_of_the_folder", "patched_exp", "raw_writes", "spoil_the_compile_cache",
    "memory_in_attend", "closes_the_channel",
)  # fmt: skip


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, lesson: Lesson) -> Iterator[Place]:
    with place(tmp_path_factory.mktemp("ground"), lesson) as made:
        yield made


@pytest.fixture(scope="module")
def kinds(ground: Place, lesson: Lesson, solution: str) -> dict[str, str]:
    wrong = solution.replace("/ jnp.sqrt(k.shape[-1])", "")
    misplaced = solution.replace(
        "weights = exponentials / exponentials.sum(axis=-1", "weights = exponentials / exponentials.sum(axis=0"
    )
    assert solution not in (wrong, misplaced)
    attacks = {name: (ATTACKS / f"{name}.py").read_text(encoding="utf-8") for name in QUICK_ATTACKS}
    return {
        "right": solution,
        "right with NumPy": solution.replace("import jax.numpy as jnp", "import numpy as jnp"),
        "not scaled": wrong,
        "wrong axis": misplaced,
        "scaffold": lesson.scaffold.read_text(encoding="utf-8"),
        "not Python": "def attend(:\n",
        **{name: composed(attack, solution, ground.secrets) for name, attack in attacks.items()},
    }


def test_order_and_neighbours_change_nothing(ground: Place, kinds: dict[str, str]) -> None:
    alone = {kind: without_durations(ground.grade(f"alone {kind}", text)) for kind, text in kinds.items()}
    assert {str(report.verdict) for report in alone.values()} >= {"pass", "fail", "error", "todo"}
    rng = random.Random(SEED)
    waiting = collections.deque(enumerate(rng.choices(list(kinds), k=SUBMISSIONS)))
    found: list[tuple[str, Report | BaseException]] = []

    def work(place: Place) -> None:
        while waiting:
            try:
                number, kind = waiting.popleft()
            except IndexError:
                return
            try:
                found.append((kind, without_durations(place.grade(f"mixed {number}", kinds[kind]))))
            except BaseException as error:  # shown by the comparison below
                found.append((kind, error))

    with Runner(ground.runner._cache, strict=True) as second:
        threads = [threading.Thread(target=work, args=(one,)) for one in (ground, replace(ground, runner=second))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == SUBMISSIONS
    different = [(kind, told(report), told(alone[kind])) for kind, report in found if told(report) != told(alone[kind])]
    assert different == []


def told(report: Report | BaseException) -> object:
    """What a report says of its submission: verdicts, points, events, output."""
    if isinstance(report, BaseException):
        return repr(report)
    outcomes = [(one.check, str(one.verdict), one.points, one.diagnosis) for one in report.outcomes]
    return str(report.verdict), report.score, outcomes, report.events, report.stdout, report.stderr
