"""Every promise of a lesson, carried out: what ``grade verify`` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.kept_worker import KeptWorker, with_each
from grader.authoring.material_promises import material_problems
from grader.authoring.mutation_score import PROVED, kept, measure, scored_only, submission_of
from grader.authoring.numpy_student import student_with
from grader.authoring.prose import page_problems, scaffold_problems
from grader.authoring.record import stale_files
from grader.cells import split_cells, with_cell
from grader.checking.examine import examine
from grader.model import Lesson, Misconception, Outcome, Verdict
from grader.running.program import WorkerProgram

SEEDS = 20
SEEDS_PER_MISCONCEPTION = 5


@dataclass(frozen=True)
class Promise:
    """One promise: what it says, how far it holds, where it does not; and who caught which misconception."""

    title: str
    summary: str
    problems: tuple[str, ...] = ()
    matrix: tuple[Killed, ...] = ()


@dataclass(frozen=True)
class Killed:
    """How one misconception fared: which checks caught it and under which names it was diagnosed."""

    name: str
    title: str
    killed_by: tuple[str, ...]
    diagnosed: frozenset[tuple[str, ...]]

    @property
    def problem(self) -> str:
        """What is wrong, or nothing."""
        if not self.killed_by:
            return f"{self.name}: survives all checks; write one that catches it"
        if self.diagnosed != {(self.title,)}:
            named = " / ".join(" and ".join(names) or "nothing" for names in sorted(self.diagnosed))
            return f"{self.name}: diagnosed as {named}; add a probe that tells them apart"
        return ""


def promises(lesson: Lesson) -> Iterator[Callable[[], Promise]]:
    """The promises of a lesson as calls, cheapest first."""
    yield lambda: _promise("scaffold and solution differ in TODO lines only", scaffold_problems(lesson), "same lines")
    yield lambda: misconceptions_promise(lesson)
    yield lambda: _promise("the page holds what it computes", page_problems(lesson), "numbers, code and cells agree")
    yield lambda: _promise(
        "predictions, quiz, walk and explanations hold", material_problems(lesson), "asked before answered, computed"
    )
    yield lambda: _promise("generated files are fresh", stale_files(lesson), "figures and recorded run")
    yield lambda: solution_promise(lesson)
    yield lambda: scaffold_promise(lesson)
    yield lambda: equivalents_promise(lesson)
    yield lambda: mutants_promise(lesson)


def _promise(title: str, problems: Sequence[str], summary: str) -> Promise:
    return Promise(title, summary, tuple(problems))


# ---- misconceptions, in this process ------------------------------------------------


def kill_matrix(lesson: Lesson) -> list[Killed]:
    """Every misconception as a NumPy student, graded on several seeds."""
    return [_killed(lesson, one) for one in lesson.misconceptions]


def _killed(lesson: Lesson, one: Misconception) -> Killed:
    always: set[str] | None = None
    diagnosed: set[tuple[str, ...]] = set()
    for seed in range(SEEDS_PER_MISCONCEPTION):
        failed = _failures(examine(lesson, student_with(lesson, one), seed=seed))
        caught = {outcome.check for outcome in failed}
        always = caught if always is None else always & caught
        diagnosed |= {tuple(name.title for name in outcome.diagnosis) for outcome in failed[:1]}
    order = [check.name for check in lesson.checks]
    return Killed(one.name, one.title, tuple(sorted(always or (), key=order.index)), frozenset(diagnosed))


def _failures(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one.max_points and one.verdict in (Verdict.FAIL, Verdict.ERROR)]


def misconceptions_promise(lesson: Lesson) -> Promise:
    """Every misconception is caught by a check on every seed, and diagnosed by its own name; the reference is not."""
    matrix = kill_matrix(lesson)
    problems = [killed.problem for killed in matrix if killed.problem]
    problems += [
        f"the NumPy reference fails {outcome.check} with seed {seed}: {outcome.message}"
        for seed in range(SEEDS)
        for outcome in _failures(examine(lesson, student_with(lesson), seed=seed))
    ]
    named = sum(not killed.problem for killed in matrix)
    return Promise(
        "every misconception is caught and named",
        f"{named} of {len(matrix)} misconceptions",
        tuple(problems),
        tuple(matrix),
    )


# ---- programs, in kept workers --------------------------------------------------------


def grade_text(lesson: Lesson, source: str, worker: KeptWorker, *, seeds: Sequence[int]) -> list[tuple[Outcome, ...]]:
    """The outcomes of a program of ours, on every seed, without diagnosis."""
    with WorkerProgram(submission_of(source), open_worker=worker.open) as program:
        return [examine(lesson, program, seed=seed, diagnosing=False) for seed in seeds]


def _not_passed(outcomes: Sequence[Outcome]) -> list[str]:
    return [f"{one.check}: {one.verdict} {one.message}" for one in outcomes if one.verdict is not Verdict.PASS]


def solution_promise(lesson: Lesson) -> Promise:
    """The solution earns full marks, advice included, on many seeds."""
    with KeptWorker() as worker:
        graded = grade_text(lesson, _read(lesson.solution), worker, seeds=range(SEEDS))
    problems = [f"seed {seed}: {line}" for seed, outcomes in enumerate(graded) for line in _not_passed(outcomes)]
    return Promise("the solution earns full marks", f"{SEEDS} seeds", tuple(problems))


def scaffold_promise(lesson: Lesson) -> Promise:
    """The scaffold earns nothing, fails nothing, and its to-do list names every exercise."""
    with KeptWorker() as worker:
        (outcomes,) = grade_text(lesson, _read(lesson.scaffold), worker, seeds=[0])
    problems = [f"{one.check}: {one.verdict}, todo is right" for one in outcomes if one.verdict is not Verdict.TODO]
    return Promise(
        "the scaffold earns nothing and says what to write", f"{len(outcomes)} checks to do", tuple(problems)
    )


def equivalents_promise(lesson: Lesson) -> Promise:
    """Every other right way of writing it passes."""
    path = lesson.folder / "equivalents.py"
    cells = split_cells(_read(path)) if path.exists() else []
    solution = _read(lesson.solution)
    scored = scored_only(lesson)
    sources = [with_cell(solution, cell) for cell in cells]
    graded = with_each(lambda source, worker: grade_text(scored, source, worker, seeds=range(3)), sources)
    problems = [
        f"{cell.title}: {line}"
        for cell, runs in zip(cells, graded, strict=True)
        for run in runs
        for line in _not_passed(run)
    ]
    return Promise("every listed equivalent passes", f"{len(cells)} ways of writing it", tuple(dict.fromkeys(problems)))


def mutants_promise(lesson: Lesson) -> Promise:
    """Every mutant of the solution is killed, or listed in lesson.toml as equivalent with its reason."""
    score, survivors = measure(lesson)
    listed = lesson.equivalent_mutants
    problems = [
        f"line {one.line}: {one.change}: survives; catch it, or list it as equivalent"
        for one in survivors
        if one.change not in listed
    ]
    changes = {one.change for one in survivors}
    problems += [
        f"equivalent_mutants: {change!r}: no survivor is this; remove it" for change in listed if change not in changes
    ]
    if not problems and kept(lesson.folder) != score:
        problems.append(f"{PROVED}: not what was measured now; run: grade record {lesson.id}")
    return Promise("every mutant of the solution is killed", str(score), tuple(problems))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
