"""A whole course: time per submission, memory, rows a second, and what a kill loses.

Run: python benchmarks/batch.py [--submissions N] [--jobs N] [--simulated N] [--kills N]. Each part is left out with 0.
The submissions are the reference and three mistakes, no two alike; the command is the real one, in a folder of its own.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from grader.classroom.batch import Course, run_batch
from grader.classroom.gradebook import Gradebook
from grader.classroom.jobs import Done, Job
from grader.classroom.nouns import Received
from grader.grading import grade
from grader.lesson import load_lesson
from grader.model import Submission
from grader.preparing import compiled
from grader.reporting.report import to_dict
from grader.submission import read_submission

LESSON = "transformers-01"
AT_ONCE = 32  # simulated workers that finish at the same moment: one wait for the disk


def make_class(folder: Path, count: int) -> Path:
    """``count`` submissions, no two alike."""
    lesson = load_lesson(LESSON)
    right = lesson.solution.read_text(encoding="utf-8")
    kinds = (
        right,
        right.replace(" / jnp.sqrt(k.shape[-1])", ""),
        right.replace("scores - scores.max(axis=-1, keepdims=True)", "scores"),
        lesson.scaffold.read_text(encoding="utf-8"),
    )
    for number in range(count):
        path = folder / f"s{number:05}" / "main.py"
        path.parent.mkdir(parents=True)
        path.write_text(f"{kinds[number % len(kinds)]}\n# {number}\n", encoding="utf-8")
    return folder


def start(source: Path, out: Path, jobs: int) -> subprocess.Popen[bytes]:
    """The real command."""
    command = [sys.executable, "-m", "grader.cli.app", "batch", str(source), "--lesson", LESSON, "--out", str(out)]
    return subprocess.Popen([*command, "--jobs", str(jobs)], stdout=subprocess.DEVNULL, start_new_session=True)


def resident_mib(pid: int | str) -> float:
    """Resident memory of a process, where /proc tells it."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def real(folder: Path, *, count: int, jobs: int) -> None:
    """Grade ``count`` submissions and say how long it took."""
    source = make_class(folder / "class", count)
    started = time.perf_counter()
    running = start(source, folder / "out", jobs)
    memory: list[float] = []
    while running.poll() is None:
        try:
            memory.append(resident_mib(running.pid))
        except (OSError, StopIteration):
            break
        time.sleep(1.0)
    running.wait()
    wall_s = time.perf_counter() - started
    with Gradebook.read(folder / "out") as gradebook:
        scored = sum(one.score is not None for one in gradebook.latest())
    middle = memory[len(memory) // 2] if memory else 0.0
    print(f"{count} submissions, {jobs} jobs: {wall_s:.0f} s, {count / wall_s:.2f}/s, {scored} with a score")
    print(f"coordinator: {middle:.0f} MiB half way, {max(memory, default=0.0):.0f} MiB at most (with the class page)")
    started = time.perf_counter()
    start(source, folder / "out", jobs).wait()
    print(f"the same again, nothing to grade: {time.perf_counter() - started:.1f} s")


class Simulated:
    """A pool that answers each job with one report that was real."""

    def __init__(self, report: dict[str, object]) -> None:
        self._report = report

    def results(self, jobs: Iterator[Job], *, stopped: object) -> Iterator[Sequence[Done]]:
        """See Pool."""
        while done := [Done(job.number, self._report, {"run_s": 0.1}) for job in islice(jobs, AT_ONCE)]:
            yield done


class Class:
    """``count`` submissions that are made when they are asked for."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Received]:
        for number in range(self._count):
            name = f"s{number:06}"

            def read(name: str = name) -> Submission:
                return Submission(f"{name}/main.py", b"", f"{name:0>64}")

            yield Received(name, name, f"{name}/main.py", read)


def simulated(folder: Path, count: int) -> None:
    """Write ``count`` gradings the way a batch does."""
    lesson = load_lesson(LESSON)
    report = to_dict(grade(lesson, read_submission(lesson.solution), seed=1))
    started, memory = time.perf_counter(), []
    with Gradebook.open(folder / "gradebook.sqlite") as gradebook:
        steps = run_batch(
            Class(count),  # type: ignore[arg-type]  # only iterated
            Course(lesson, 1, "simulated"),
            gradebook=gradebook,
            pool=Simulated(report),
            stopped=lambda: False,
        )
        for number, _ in enumerate(steps, start=1):
            if number % max(count // 10, 1) == 0:
                memory.append(resident_mib("self"))
        wall_s = time.perf_counter() - started
        started = time.perf_counter()
        read = sum(1 for _ in gradebook.latest())
    print(f"{count} simulated gradings: {wall_s:.1f} s, {count / wall_s:.0f} rows/s, each in a committed transaction")
    print("resident memory by tenth (MiB): " + " ".join(f"{one:.0f}" for one in memory))
    assert read == count, read
    print(f"read back with their reports: {read} in {time.perf_counter() - started:.1f} s")
    size = sum(path.stat().st_size for path in folder.glob("gradebook.sqlite*"))
    print(f"on disk: {size / 2**20:.0f} MiB, {size / count / 1024:.1f} KiB a grading")


def seconds_to_the_first(folder: Path, *, jobs: int) -> float:
    """How long the command takes here and now from its start to its first grading."""
    source, out = make_class(folder / "few", 2 * jobs), folder / "few-out"
    started = time.perf_counter()
    running = start(source, out, jobs)
    while running.poll() is None:
        time.sleep(0.1)
        if (out / "gradebook.sqlite").exists():
            with Gradebook.read(out) as gradebook:
                if next(gradebook.attempts(), None) is not None:
                    break
    first_s = time.perf_counter() - started
    running.wait()
    return first_s


def killed(folder: Path, *, kills: int, jobs: int, count: int = 60) -> None:
    """Kill the command's process group at random moments, resume, and count."""
    source, out = make_class(folder / "class", count), folder / "out"
    moments = random.Random(1)  # noqa: S311 - moments, no secrets
    counts: list[int] = []
    first_s = seconds_to_the_first(folder, jobs=jobs)
    for _ in range(kills):
        running = start(source, out, jobs)
        try:
            running.wait(moments.uniform(0.5 * first_s, 1.2 * first_s + 2.0))
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        with Gradebook.open(out / "gradebook.sqlite") if out.exists() else Gradebook.open(folder / "none") as gradebook:
            counts.append(sum(1 for _ in gradebook.attempts()))
    code = start(source, out, jobs).wait()
    with Gradebook.read(out) as gradebook:
        students = [one.student for one in gradebook.attempts()]
        scores: dict[int, set[int | None]] = {}
        for number, one in enumerate(gradebook.latest()):
            scores.setdefault(number % 4, set()).add(one.score)
    lost, double = count - len(set(students)), len(students) - len(set(students))
    print(f"the first grading is there after {first_s:.1f} s")
    print(f"killed {kills} times, gradings after each: {' '.join(map(str, counts))}; then exit {code}")
    print(f"lost {lost}, double {double}, scores by kind {[sorted(map(str, kind)) for kind in scores.values()]}")
    if lost or double or counts != sorted(counts) or any(len(kind) != 1 for kind in scores.values()):
        sys.exit("the kill test failed")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--simulated", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=20)
    wanted = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}\n")
    compiled(load_lesson(LESSON))
    parts = (
        (wanted.simulated, lambda folder: simulated(folder, wanted.simulated)),
        (wanted.kills, lambda folder: killed(folder, kills=wanted.kills, jobs=wanted.jobs)),
        (wanted.submissions, lambda folder: real(folder, count=wanted.submissions, jobs=wanted.jobs)),
    )
    for number, part in parts:
        if number:
            with tempfile.TemporaryDirectory(prefix="headwork-benchmark-") as folder:
                part(Path(folder))
            print(flush=True)


if __name__ == "__main__":
    main()
