"""A batch that is killed, or asked to stop: nothing is lost, nothing is graded twice."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time

import pytest

from tests.classroom.batch_command import batch, make_class, scores_and_checks

COUNT = 30
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups and SIGKILL are POSIX")


def test_killed_at_random_moments_it_loses_nothing_and_grades_nothing_twice(tmp_path):
    source, out = make_class(tmp_path / "class", COUNT), tmp_path / "out"
    moments = random.Random(20260301)
    before = 0
    for _ in range(3):
        running = batch(source, out)
        assert running.stderr is not None
        assert running.stderr.readline()  # something new is graded
        time.sleep(moments.uniform(0.0, 1.0))
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        now = len(scores_and_checks(out))
        assert now > before
        before = now
    last = batch(source, out)
    _, errors = last.communicate(timeout=300)
    assert last.returncode == 0, errors
    found = scores_and_checks(out)
    assert sorted(found) == [f"s{number:03}" for number in range(COUNT)]
    assert {len(gradings) for gradings in found.values()} == {1}
    kinds = [{found[f"s{number:03}"][0] for number in range(kind, COUNT, 3)} for kind in range(3)]
    assert [len(kind) for kind in kinds] == [1, 1, 1]
    assert len({score for kind in kinds for score, _ in kind}) == 3
    assert len(list((out / "reports").glob("*.json"))) == COUNT
    assert not list(out.rglob("*.new"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_asked_to_stop_it_says_how_to_go_on_and_leaves_whole_files_and_no_process(tmp_path, number):
    source, out = make_class(tmp_path / "class", COUNT), tmp_path / "out"
    running = batch(source, out)
    assert running.stderr is not None
    running.stderr.readline()  # a tenth is graded
    os.killpg(running.pid, number)
    printed, errors = running.communicate(timeout=120)
    assert running.returncode == 130, errors
    assert f"grade batch {source} --lesson transformers-01 --out {out}" in printed
    assert "Traceback" not in errors
    found = scores_and_checks(out)
    assert 3 <= len(found) < COUNT
    assert len(list((out / "reports").glob("*.html"))) == len(found)
    assert set(json.loads((out / "timing.json").read_text("utf-8"))["submissions"]) == set(found)
    assert "</html>" in (out / "class.html").read_text("utf-8")
    until = time.monotonic() + 20
    while group_lives(running.pid) and time.monotonic() < until:
        time.sleep(0.1)
    assert not group_lives(running.pid)


def group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
