"""Gradings of a watch: the latest counts, the worker stays warm, nothing is left running."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.model import Lesson
from grader.preparing import compiled
from grader.running.runner import Runner
from grader.study.watching.gradings import Gradings
from grader.study.watching.state import Failed, Graded

LIMIT_S = 240.0
QUICK = "import numpy as np\n\ndef attend(q, k, v):\n    return v, q\n"
HANGS = "while True:\n    pass\n"


@pytest.fixture(params=["confined where it can be", "plain"])
def runner(lesson: Lesson, request: pytest.FixtureRequest) -> Iterator[Runner]:
    cache = compiled(lesson)
    with Runner([cache] if cache else []) as runner:
        if request.param == "plain" and runner.server is not None:
            runner.server.stop()
            runner.server = None
        yield runner


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    def write(source: str) -> Path:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.py"
        path.write_text(source)
        return path

    return write


def test_a_new_grading_cancels_the_one_that_runs_and_keeps_the_worker_warm(lesson, runner, file):
    posted = queue.SimpleQueue()
    with Gradings(lesson, runner, posted.put) as gradings:
        gradings.start(1, file(QUICK))
        assert posted.get(timeout=LIMIT_S).number == 1
        worker = runner.server.process.pid if runner.server else None
        hanging = file(HANGS)
        for number in (2, 3, 4):
            gradings.start(number, hanging)
        with pytest.raises(queue.Empty):
            posted.get(timeout=0.5)  # until it is at it
        gradings.start(5, file(QUICK + "x = 1\n"))
        last = posted.get(timeout=LIMIT_S)
        assert isinstance(last, Graded)
        assert (last.number, Path(last.report.path).name) == (5, "2.py")
        assert worker == (runner.server.process.pid if runner.server else None)
    assert posted.empty()


def test_leaving_waits_neither_for_the_warm_up_nor_for_a_program_that_hangs(lesson, runner, file):
    posted = queue.SimpleQueue()
    with Gradings(lesson, runner, posted.put) as gradings:
        gradings.start(1, file(HANGS))
    assert posted.empty()
    if runner.server is not None:
        assert runner.server.process is None or runner.server.process.wait(timeout=LIMIT_S) != 0


def test_a_file_that_is_not_there_fails_with_its_remedy_and_the_next_is_graded(lesson, runner, file, tmp_path):
    posted = queue.SimpleQueue()
    with Gradings(lesson, runner, posted.put) as gradings:
        gradings.start(1, tmp_path / "main.py")
        failed = posted.get(timeout=LIMIT_S)
        assert isinstance(failed, Failed)
        assert "no such file; check its name" in failed.message
        gradings.start(2, file(QUICK))
        assert isinstance(posted.get(timeout=LIMIT_S), Graded)
