"""The state of a watch: what each event makes of it, decided without doing anything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from grader.model import Outcome, Report, Verdict
from grader.study.predicting.predictions import Made

# Ctrl-C as a key is Windows'; no character at all is the end of the input.
QUIT = frozenset({"q", "\x03", "\x04", ""})
BUILT_IN = frozenset({"n", "r"}) | QUIT
RESET = "x"


@dataclass(frozen=True)
class Saved:
    """A file of the lesson has new content."""

    file: str


@dataclass(frozen=True)
class Pressed:
    """A key."""

    key: str


@dataclass(frozen=True)
class Graded:
    """The grading with this number came to a report, beside the predictions that were made before."""

    number: int
    report: Report
    predicted: Made | None = None


@dataclass(frozen=True)
class Failed:
    """The grading with this number came to nothing; the message says why."""

    number: int
    message: str


@dataclass(frozen=True)
class Waited:
    """The grading that runs has taken this long."""

    seconds: int


@dataclass(frozen=True)
class Resized:
    """The terminal has another size."""


@dataclass(frozen=True)
class Resumed:
    """The process was stopped for a while, as by Ctrl-Z."""


Event = Saved | Pressed | Graded | Failed | Waited | Resized | Resumed


@dataclass(frozen=True)
class Grade:
    """Start the grading with this number; another that runs is to be cancelled."""

    number: int


@dataclass(frozen=True)
class Record:
    """Keep a report."""

    report: Report


@dataclass(frozen=True)
class Run:
    """Do what a key stands for, with the terminal as it was before."""

    key: str


@dataclass(frozen=True)
class Leave:
    """End the watch; ``onward`` when the next lesson is to follow."""

    onward: bool = False


class Show(Enum):
    """Draw everything again, or the status line alone."""

    ALL = auto()
    STATUS = auto()


Effect = Grade | Record | Run | Leave | Show


@dataclass(frozen=True)
class State:
    """All that a watch knows; ``offered`` are the keys with an action, ``following`` the next lesson's id.

    While ``reading``, the output of an action is on the screen and is left there. What is ``lasting`` is said until
    another key is pressed.
    """

    offered: frozenset[str] = frozenset()
    following: str = ""
    file: str = "main.py"
    number: int = 0
    grading: bool = False
    waited_s: int = 0
    report: Report | None = None
    predicted: Made | None = None
    problem: str = ""
    notice: str = ""
    lasting: str = ""
    asking: bool = False
    reading: bool = False

    @property
    def passed(self) -> bool:
        """Whether the latest grading found everything right."""
        return self.report is not None and not self.problem and self.report.verdict is Verdict.PASS


Step = tuple[State, tuple[Effect, ...]]


def step(state: State, event: Event) -> Step:
    """The state after ``event``, and what is to be done about it."""
    match event:
        case Saved(file):
            return _grade(replace(state, file=file))
        case Pressed(key):
            return _asked(state, key) if state.asking else _pressed(state, key)
        case Graded(number) | Failed(number) if number != state.number:
            return state, ()  # cancelled in the moment it was done
        case Graded(_, report, predicted):
            state = replace(state, grading=False, report=report, predicted=predicted, problem="")
            return state, (_show(state), Record(report))  # a note on what cannot be kept stays to be read
        case Failed(_, message):
            state = replace(state, grading=False, problem=message)
            return state, (_show(state),)
        case Waited(seconds) if state.grading and seconds != state.waited_s:
            return replace(state, waited_s=seconds), (Show.STATUS,)
        case Resized():
            return state, (_show(state),)
        case Resumed():  # the clocks of a grading went on while it did not
            state, effects = _grade(state) if state.grading else (replace(state, reading=False), ())
            return state, (*effects, Show.ALL)
    return state, ()


def _show(state: State) -> Show:
    return Show.STATUS if state.reading else Show.ALL


def _grade(state: State) -> Step:
    state = replace(state, number=state.number + 1, grading=True, waited_s=0, notice="", reading=False)
    return state, (Grade(state.number), Show.STATUS)


def _asked(state: State, key: str) -> Step:
    if key in QUIT:
        return state, (Leave(),)
    if key == "y":
        said = f"reset; yours is kept beside {state.file}, under its date"
        return replace(state, asking=False, notice="", lasting=said, reading=True), (Run(RESET),)
    return replace(state, asking=False, notice="nothing was reset"), (Show.STATUS,)


def _pressed(state: State, key: str) -> Step:
    state = replace(state, lasting="")
    if state.reading and key not in BUILT_IN | state.offered:
        return replace(state, reading=False), (Show.ALL,)
    if key in QUIT:
        return state, (Leave(),)
    if key == "r":
        return _grade(state)
    if key == "n":
        if state.passed and state.following:
            return state, (Leave(onward=True),)
        return replace(state, notice=_next(state), reading=False), (Show.ALL if state.reading else Show.STATUS,)
    if key not in state.offered:
        return state, ()
    if key == RESET:
        return replace(state, asking=True), (Show.STATUS,)
    return replace(state, notice="", reading=True), (Run(key),)


def _next(state: State) -> str:
    if state.passed:
        return "that was the last lesson"
    if state.report is None:
        return "the first grading is not done yet"
    return next(f"next: {one.title}" for one in state.report.exercises if one.state != "done")


def status(state: State) -> str:
    """What is going on, in one short line."""
    if state.asking:
        return f"reset {state.file}? It is copied first. y/n"
    if state.grading:
        doing = "starting JAX" if state.number == 1 else f"grading {state.file}"
        return f"{doing} …" + (f" ({state.waited_s} s)" if state.waited_s else "")
    if state.reading:
        return "any other key: back to the report"
    if said := state.notice or state.lasting:
        return said
    if state.passed and state.following:
        return f"all checks pass: n goes on to {state.following}"
    return f"watching {state.file}: save it, or press r" if state.number else "starting …"


def open_outcome(report: Report) -> Outcome | None:
    """The first check for points that did not pass, of those that do not wait for another."""
    wrong = [one for one in report.outcomes if one.max_points and one.verdict not in (Verdict.PASS, Verdict.SKIP)]
    return next(iter(wrong), None)
