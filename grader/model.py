"""The frozen nouns: lesson, exercise, check, misconception, submission, outcome, report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:  # commands that compute nothing start without NumPy
    import numpy as np
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"
# What a function of a lesson can be called with.
Argument: TypeAlias = "Array | Mapping[str, Array] | int | float | None"


ReplyKind = Literal["values", "refused", "unfilled", "absent", "error", "timeout", "died"]
EventKind = Literal["raised", "exit", "timeout", "died", "unrun", "unreadable", "note"]
State = Literal["done", "attempted", "not started"]
ValueKind = Literal["float", "bool", "int", "size", "number", "dict"]


class Verdict(StrEnum):
    """What a check, or a whole submission, came to."""

    PASS = "pass"  # noqa: S105 - a verdict, no password
    FAIL = "fail"
    ERROR = "error"
    TIMEOUT = "timeout"
    SKIP = "skip"
    TODO = "todo"
    INTERNAL = "internal"


@dataclass(frozen=True)
class Value:
    """A named part of a signature.

    ``kind``: float, bool or int arrays with symbolic ``axes``, such as output ("Tq", "Dv") or x ("T", "H·d") · size:
    a Python integer, the size of its one axis · number: a Python float · dict: arrays by name, in ``parts``.
    """

    name: str
    axes: tuple[str, ...] = ()
    kind: ValueKind = "float"
    optional: bool = False
    parts: tuple[Value, ...] = ()

    def __str__(self) -> str:
        if self.kind == "dict":
            return f"{self.name} {{{', '.join(map(str, self.parts))}}}"
        if self.kind in ("size", "number"):
            return self.name
        kind = "" if self.kind == "float" else f" {self.kind}"
        comma = "," if len(self.axes) == 1 else ""
        return f"{self.name} ({', '.join(self.axes)}{comma}){kind}{' or None' if self.optional else ''}"


@dataclass(frozen=True)
class Signature:
    """A function that a submission defines; called by position, arrays out."""

    name: str
    takes: tuple[Value, ...]
    gives: tuple[Value, ...]


@dataclass(frozen=True)
class Exercise:
    """A part of a lesson that is done or not: the names that main.py has to fill."""

    name: str
    title: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Check:
    """One relation or comparison; ``run(student, probe)`` raises Failure, or returns, perhaps with a remark.

    It runs only when all of ``needs`` have passed. It leans on others when its answer is computed from what they
    judge: then a failure counts as theirs as long as they have not passed.
    """

    name: str
    title: str
    exercise: str
    points: int
    needs: tuple[str, ...]
    leans_on: tuple[str, ...]
    proves: str
    run: Callable[..., str | None]

    @property
    def advice(self) -> bool:
        """Shown, worth nothing, without effect on the verdict."""
        return self.points == 0


@dataclass(frozen=True)
class Misconception:
    """A classic mistake: the parts of the right computation that it replaces.

    ``switches`` maps part names to replacements; two misconceptions combine when they
    replace different parts. ``hints`` lead from a question over the broken relation to the line.
    """

    name: str
    title: str
    function: str
    switches: Mapping[str, Any]
    hints: tuple[str, ...]


@dataclass(frozen=True)
class Family:
    """Everything the diagnosis of one function rests on.

    ``variant(**switches)`` is the NumPy function with some parts replaced, right when none is;
    ``probes(probe)`` are argument lists that tell the misconceptions apart. The family of a variable
    has none: it is a function of the variables named in ``given``. ``conventions`` are choices of parts that are
    equally right; a student has one of them, and every misconception is a mistake in each.
    """

    function: str
    variant: Callable[..., Callable[..., Any]]
    probes: Callable[[Any], Sequence[tuple[Argument, ...]]] | None
    given: tuple[str, ...] = ()
    conventions: tuple[Mapping[str, Any], ...] = ({},)


@dataclass(frozen=True)
class Lesson:
    """A lesson folder, read and checked."""

    id: str
    title: str
    phase: str
    minutes: int
    summary: str
    goals: tuple[str, ...]
    requires: tuple[str, ...]
    next_idea: str
    exercises: tuple[Exercise, ...]
    functions: Mapping[str, Signature]
    checks: tuple[Check, ...]
    misconceptions: tuple[Misconception, ...]
    families: Mapping[str, Family]
    probe: Callable[[np.random.Generator], Any]
    answers: Callable[..., Mapping[str, Any]]
    equivalent_mutants: Mapping[str, str]
    folder: Path
    scaffold: Path
    solution: Path
    digest: str

    @property
    def max_score(self) -> int:
        """Points of all checks together."""
        return sum(check.points for check in self.checks)

    def exercise(self, name: str) -> Exercise:
        """The exercise called ``name``."""
        return next(exercise for exercise in self.exercises if exercise.name == name)


@dataclass(frozen=True)
class Submission:
    """The source of a main.py as bytes, with what was noticed while reading it.

    ``cells`` says for each cell of a notebook how many lines of the source come before its first; see place.py.
    """

    path: str
    source: bytes
    sha256: str
    folder: Path | None = None
    notes: tuple[str, ...] = ()
    cells: tuple[int, ...] = ()


@dataclass(frozen=True)
class Reply:
    """What a program answered: arrays, or why there are none.

    ``kind``: values · refused (an object that is no array) · unfilled (still ``...``) · absent ·
    error (the code raised) · timeout · died.
    """

    kind: ReplyKind
    values: tuple[Array, ...] = ()
    message: str = ""
    line: int | None = None
    cell: int | None = None


class Program(Protocol):
    """A submission that is open for questions."""

    def call(self, name: str, args: Sequence[Argument], *, outputs: int, transform: str | None = None) -> Reply:
        """Call the function ``name`` by position and return its ``outputs`` arrays."""
        ...

    def read(self, name: str) -> Reply:
        """The array that the variable ``name`` holds after the file has run."""
        ...


@dataclass(frozen=True)
class Witness:
    """The numbers behind a failure, small enough to retype."""

    inputs: Mapping[str, Array]
    expected: Array
    actual: Array
    index: tuple[int, ...] | None
    tolerance: float
    largest_error: float


@dataclass(frozen=True)
class Diagnosis:
    """A misconception that explains every answer of the student."""

    name: str
    title: str
    hints: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What one check came to."""

    check: str
    exercise: str
    title: str
    verdict: Verdict
    points: int
    max_points: int
    needs: tuple[str, ...]
    message: str = ""
    witness: Witness | None = None
    diagnosis: tuple[Diagnosis, ...] = ()
    duration_s: float = 0.0


@dataclass(frozen=True)
class Event:
    """Something that happened while main.py ran, with its line, counted in its cell where there are cells."""

    line: int | None
    kind: EventKind
    message: str
    cell: int | None = None


@dataclass(frozen=True)
class ExerciseState:
    """How far an exercise has come."""

    name: str
    title: str
    state: State
    points: int
    max_points: int


@dataclass(frozen=True)
class Report:
    """A grading, complete: every check of the lesson has an outcome."""

    lesson: str
    lesson_digest: str
    grader_version: str
    seed: int
    sandbox: str
    versions: Mapping[str, str]
    path: str
    sha256: str
    verdict: Verdict
    score: int | None
    max_score: int
    exercises: tuple[ExerciseState, ...]
    outcomes: tuple[Outcome, ...]
    events: tuple[Event, ...] = ()
    stdout: str = ""
    stderr: str = ""
    truncated: bool = False
    format_version: int = field(default=1)
