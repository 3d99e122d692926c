"""How long grading takes beside running the file: ratios taken pairwise in one run, with medians.

Run: python benchmarks/speed.py [--rounds N]. Every round times `python main.py` and then each way of grading it,
so that a busy machine slows both. CPU time counts children. The compile cache is a folder of this run's own.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from grader.grading import grade
from grader.lesson import load_lesson
from grader.model import Verdict
from grader.preparing import compiled
from grader.running.process import PlainProcess
from grader.running.runner import Runner
from grader.submission import read_submission

LESSON = "transformers-01"
# What the ratio has to stay under, from the design.
TARGETS = {
    "batch, confined, all checks (CPU)": 0.20,
    "grade lesson from the shell, warm cache": 0.75,
    "grade again in a running grader": 0.25,
    "grade list": 0.25,
    "grade --help": 0.25,
}


def wall(call: Callable[[], object]) -> float:
    """Seconds that ``call`` takes."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def cpu(call: Callable[[], object]) -> float:
    """Processor seconds of this process and the children that end during ``call``."""

    def used() -> float:
        both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(usage.ru_utime + usage.ru_stime for usage in both)

    started = used()
    call()
    return used() - started


def command(*arguments: str, **environment: str) -> Callable[[], object]:
    """A call that runs Python with these arguments and waits for it."""
    env = {**os.environ, "JAX_PLATFORMS": "cpu", **environment}
    return lambda: subprocess.run([sys.executable, *arguments], env=env, stdout=subprocess.DEVNULL, check=True)


def measure(rounds: int) -> dict[str, list[float]]:
    """Seconds per way and round; `(CPU)` in a name means processor seconds."""
    lesson = load_lesson(LESSON)
    submission = read_submission(lesson.solution)
    main = str(lesson.solution)
    cli = ["-m", "grader.cli.app"]
    cache = compiled(lesson)
    assert cache is not None
    times: dict[str, list[float]] = {}

    def note(name: str, seconds: float) -> None:
        times.setdefault(name, []).append(seconds)

    with Runner([cache], strict=True) as runner:

        def confined() -> None:
            assert grade(lesson, submission, seed=1, open_worker=runner.open).verdict is Verdict.PASS

        def plain() -> None:
            assert grade(lesson, submission, seed=1, open_worker=PlainProcess).verdict is Verdict.PASS

        confined()
        server = runner.server
        assert server is not None
        for _ in range(rounds):
            run = command(main)
            note("python main.py (CPU)", cpu(run))
            note("python main.py", wall(run))
            in_children = server.cpu_s
            own = cpu(confined)
            note("batch, confined, all checks (CPU)", own + server.cpu_s - in_children)
            note("grade again in a running grader", wall(confined))
            note("grade lesson from the shell, warm cache", wall(command(*cli, "lesson", LESSON, main)))
            note("plain process, cold", wall(plain))
            note("grade list", wall(command(*cli, "list")))
            note("grade --help", wall(command(*cli, "--help")))
    return times


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HEADWORK_CACHE"] = folder
        times = measure(rounds)
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {rounds} rounds, medians\n"
    )
    print(f"| {'what':41} | seconds | ratio | target |\n|{'-' * 43}|---------|-------|--------|")
    for name, seconds in times.items():
        base = times["python main.py (CPU)" if name.endswith("(CPU)") else "python main.py"]
        ratio = statistics.median(a / b for a, b in zip(seconds, base, strict=True))
        target = f"{TARGETS[name]:.2f}" if name in TARGETS else ""
        print(f"| {name:41} | {statistics.median(seconds):7.2f} | {ratio:5.2f} | {target:6} |")


if __name__ == "__main__":
    main()
