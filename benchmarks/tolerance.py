"""How far right answers are from the float64 references: the reason for the tolerance of the checks.

Run: python benchmarks/tolerance.py [ID]. Every equivalent of the lesson answers the diagnostic probes on
many seeds; the table shows the largest error at unit scale and the nearest misconception.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator

import numpy as np

from grader.authoring.kept_worker import KeptWorker
from grader.cells import split_cells, with_cell
from grader.checking.compare import TOLERANCE
from grader.checking.misconception import evaluate
from grader.checking.student import Student
from grader.lesson import load_lesson
from grader.model import Array, Lesson, Submission
from grader.running.program import WorkerProgram

SEEDS = range(20)
UNIT_SCALE = 10.0  # inputs beyond this are judged by tolerances of their own


def probes(lesson: Lesson, function: str, seed: int) -> Iterator[tuple[Array, ...]]:
    """The diagnostic probes of one seed whose inputs are of ordinary size."""
    family = lesson.families[function]
    assert family.probes is not None
    for args in family.probes(lesson.probe(np.random.default_rng(seed))):
        if max(float(np.abs(arg).max()) for arg in args) <= UNIT_SCALE:
            yield args


def errors(lesson: Lesson, source: str, worker: KeptWorker) -> float:
    """The largest error of one program over functions, seeds and probes."""
    raw = source.encode()
    submission = Submission("main.py", raw, hashlib.sha256(raw).hexdigest())
    worst = 0.0
    with WorkerProgram(submission, open_worker=worker.open) as program:
        student = Student(program, lesson.functions)
        for function in lesson.functions:
            reference = lesson.families[function].variant()
            for seed in SEEDS:
                for args in probes(lesson, function, seed):
                    right = evaluate(reference, args)
                    got = student.observe(function, *args).reply.values
                    assert right is not None
                    worst = max(worst, *(float(np.abs(g - r).max()) for g, r in zip(got, right, strict=True)))
    return worst


def nearest_misconception(lesson: Lesson) -> tuple[float, str]:
    """The misconception with the smallest error at unit scale, of those that unit scale shows at all."""
    distances = []
    for one in lesson.misconceptions:
        if one.function not in lesson.functions:
            continue
        family, worst = lesson.families[one.function], 0.0
        for args in probes(lesson, one.function, 0):
            right, wrong = evaluate(family.variant(), args), evaluate(family.variant(**one.switches), args)
            if right is None or wrong is None or any(r.shape != w.shape for r, w in zip(right, wrong, strict=True)):
                worst = np.inf
                continue
            worst = max(worst, *(float(np.nanmax(np.abs(r - w))) for r, w in zip(right, wrong, strict=True)))
        if worst > 1e-6:
            distances.append((worst, one.name))
    return min(distances)


def main() -> None:
    """Print the table."""
    lesson = load_lesson(sys.argv[1] if len(sys.argv) > 1 else "transformers-01")
    solution = lesson.solution.read_text(encoding="utf-8")
    cells = split_cells((lesson.folder / "equivalents.py").read_text(encoding="utf-8"))
    with KeptWorker() as worker:
        found = [("the reference", errors(lesson, solution, worker))]
        found += [(cell.title, errors(lesson, with_cell(solution, cell), worker)) for cell in cells]
    for title, worst in sorted(found, key=lambda pair: -pair[1]):
        print(f"{worst:9.2e}  {title}")
    distance, name = nearest_misconception(lesson)
    print(f"\ntolerance {TOLERANCE:.0e}: {TOLERANCE / max(w for _, w in found):.0f} times the largest of these errors;")
    print(
        f"the nearest misconception, {name}, is off by {distance:.2e}: {distance / TOLERANCE:.0f} times the tolerance"
    )


if __name__ == "__main__":
    main()
