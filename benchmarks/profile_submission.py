"""Where the time of one submission goes: python benchmarks/profile_submission.py [MAIN].

Grades in confined children of a warm worker and prints the wall time per check. The first call of a shape takes 20 ms
and more, a later one 1 to 2 ms.
"""

from __future__ import annotations

import resource
import statistics
import sys
from pathlib import Path

from grader.grading import grade
from grader.lesson import load_lesson
from grader.preparing import compiled
from grader.running.runner import Runner
from grader.submission import read_submission

ROUNDS = 9


def own_cpu_s() -> float:
    """Processor seconds of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the table."""
    lesson = load_lesson("transformers-01")
    submission = read_submission(Path(sys.argv[1]) if len(sys.argv) > 1 else lesson.solution)
    cache = compiled(lesson)
    times: dict[str, list[float]] = {}
    with Runner([cache] if cache else [], strict=True) as runner:
        grade(lesson, submission, seed=0, open_worker=runner.open)
        assert runner.server is not None
        for seed in range(ROUNDS):
            own, children = own_cpu_s(), runner.server.cpu_s
            report = grade(lesson, submission, seed=seed, open_worker=runner.open)
            times.setdefault("the grader's process (CPU)", []).append(own_cpu_s() - own)
            times.setdefault("the child (CPU)", []).append(runner.server.cpu_s - children)
            for outcome in report.outcomes:
                times.setdefault(outcome.check, []).append(outcome.duration_s)
    for name, seconds in times.items():
        print(f"{1000 * statistics.median(seconds):7.1f} ms  {name}")


if __name__ == "__main__":
    main()
