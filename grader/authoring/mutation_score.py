"""The mutation score of a lesson: how many changed solutions its checks notice, kept in proved.toml for its page."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from grader.authoring.kept_worker import KeptWorker, with_each
from grader.authoring.mutate import Mutant, mutants
from grader.checking.examine import caught
from grader.errors import LessonError
from grader.lesson import hold_to
from grader.model import Lesson, Submission
from grader.running.program import WorkerProgram

PROVED = "proved.toml"
KEYS: Mapping[str, type] = {"mutants": int, "killed": int, "equivalent": int}


@dataclass(frozen=True)
class Score:
    """How many of the ``mutants`` were killed, and how many more are listed as ``equivalent``."""

    mutants: int
    killed: int
    equivalent: int

    def __str__(self) -> str:
        percent = 100 * self.killed / self.mutants if self.mutants else 100.0
        return f"score {percent:.0f} %: {self.killed} of {self.mutants} killed, {self.equivalent} equivalent"


def measure(lesson: Lesson) -> tuple[Score, tuple[Mutant, ...]]:
    """The score of now, and all mutants that no check noticed, the equivalent ones among them."""
    graded_names = {name for exercise in lesson.exercises for name in exercise.names}
    found = mutants(lesson.solution.read_text(encoding="utf-8"), graded_names)
    lesson = scored_only(lesson)
    killed = with_each(lambda mutant, worker: _killed_by_a_check(lesson, mutant, worker), found)
    survivors = tuple(mutant for mutant, dead in zip(found, killed, strict=True) if not dead)
    equivalent = sum(one.change in lesson.equivalent_mutants for one in survivors)
    return Score(len(found) - equivalent, len(found) - len(survivors), equivalent), survivors


def kept(folder: Path) -> Score | None:
    """The score in proved.toml of a lesson folder; None where there is no such file."""
    path = folder / PROVED
    if not path.exists():
        return None
    try:
        facts = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LessonError(f"{path}: not TOML ({error}); run: grade record {folder.name}") from error
    hold_to(facts, KEYS, f"{path}")
    return Score(**facts)


def keep(folder: Path, score: Score) -> Path:
    """Write proved.toml of a lesson folder."""
    import tomli_w

    path = folder / PROVED
    path.write_text(f"# Written by grade record.\n{tomli_w.dumps(asdict(score))}", encoding="utf-8")
    return path


def scored_only(lesson: Lesson) -> Lesson:
    """The lesson without advice, which every program would pay for with new compilations."""
    return replace(lesson, checks=tuple(check for check in lesson.checks if not check.advice))


def submission_of(source: str) -> Submission:
    """A program of ours as a submission."""
    raw = source.encode()
    return Submission("main.py", raw, hashlib.sha256(raw).hexdigest())


def _killed_by_a_check(lesson: Lesson, mutant: Mutant, worker: KeptWorker) -> bool:
    with WorkerProgram(submission_of(mutant.source), open_worker=worker.open) as program:
        return caught(lesson, program, seed=0)
