"""Grading on a Dask cluster: every submission once, whoever is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.classroom.batch_command import batch, make_class, scores_and_checks

pytest.importorskip("distributed")

COUNT = 12


def dask(program: str, *arguments: object) -> subprocess.Popen[bytes]:
    """A part of a cluster, as `dask scheduler` or `dask worker` start it."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *map(str, arguments), "--no-dashboard"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler, and its two workers."""
    file = tmp_path / "scheduler.json"
    parts = [dask("scheduler", "--host", "127.0.0.1", "--port", 0, "--scheduler-file", file)]
    until = time.monotonic() + 60
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.1)
    address = json.loads(file.read_text("utf-8"))["address"]
    options = ("--no-nanny", "--nthreads", 1, "--local-directory", tmp_path / "dask")
    parts += [dask("worker", address, *options) for _ in range(2)]
    yield address, parts[1:]
    for part in parts:
        part.kill()
        part.wait()


def test_a_worker_that_is_lost_costs_nobody_a_grading(tmp_path, cluster):
    address, workers = cluster
    source, out = make_class(tmp_path / "class", COUNT), tmp_path / "out"
    running = batch(source, out, "--cluster", address)
    assert running.stderr is not None
    first = running.stderr.readline()
    workers[0].send_signal(signal.SIGKILL)
    _, errors = running.communicate(timeout=300)
    assert running.returncode == 0, first + errors
    found = scores_and_checks(out)
    assert sorted(found) == [f"s{number:03}" for number in range(COUNT)]
    assert {len(gradings) for gradings in found.values()} == {1}
    assert None not in {score for gradings in found.values() for score, _ in gradings}
    assert workers[1].poll() is None


def test_local_grades_as_the_processes_here_do(tmp_path):
    source = make_class(tmp_path / "class", 3)
    for name, more in (("there", ("--cluster", "local", "--jobs", 1)), ("here", ("--jobs", 1))):
        running = batch(source, tmp_path / name, "--seed", 5, *more)
        _, errors = running.communicate(timeout=300)
        assert running.returncode == 0, errors
        assert "Traceback" not in errors
    assert scores_and_checks(tmp_path / "there") == scores_and_checks(tmp_path / "here")


def test_neighbours_travel_with_the_submission(tmp_path):
    source = make_class(tmp_path / "class", 1)
    (source / "s000" / "helper.py").write_text("raise ValueError('it came along')\n", encoding="utf-8")
    main = source / "s000" / "main.py"
    main.write_text("import helper\n" + main.read_text("utf-8"), encoding="utf-8")
    running = batch(source, tmp_path / "out", "--cluster", "local", "--jobs", 1)
    running.communicate(timeout=300)
    report = (tmp_path / "out" / "reports" / "s000.json").read_text("utf-8")
    assert "it came along" in report


def test_no_scheduler_is_a_usage_error(tmp_path):
    source = make_class(tmp_path / "class", 1)
    running = batch(source, tmp_path / "out", "--cluster", "nonsense://nowhere")
    _, errors = running.communicate(timeout=120)
    assert (running.returncode, errors.count("\n")) == (2, 1), errors
    assert "start one with: dask scheduler" in errors
