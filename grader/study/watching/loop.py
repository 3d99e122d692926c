"""The loop of a watch: events in, effects out."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from grader.model import Lesson, Report
from grader.running.runner import Runner
from grader.study.watching import state as states
from grader.study.watching.gradings import Gradings
from grader.study.watching.keys import keys
from grader.study.watching.saves import current_file, saves
from grader.study.watching.screen import Screen
from grader.study.watching.state import Grade, Leave, Record, Resized, Run, Saved, Show, State, Waited

TICK_S = 0.25


@dataclass(frozen=True)
class Context:
    """What an action gets to know."""

    lesson: Lesson
    folder: Path
    report: Report | None


@dataclass(frozen=True)
class Action:
    """What a key does, and the word for it; it may ask questions, and returns to the watch."""

    word: str
    run: Callable[[Context], None]


class Watch:
    """Grades the lesson in ``folder`` at every save until somebody leaves.

    ``actions`` are by key, ``following`` is the id of the next lesson, ``graded`` is told of each report.
    Without ``live`` there is nobody at a terminal: no keys, and reports come one below the other.
    """

    def __init__(
        self,
        lesson: Lesson,
        folder: Path,
        *,
        runner: Runner,
        console: Console,
        actions: Mapping[str, Action],
        following: str,
        graded: Callable[[Report], str],
        live: bool,
        verbose: bool = False,
    ) -> None:
        self._lesson, self._folder, self._actions, self._graded, self._live = lesson, folder, actions, graded, live
        self._runner = runner
        words = {"n": "next", **{key: action.word for key, action in actions.items()}, "r": "run", "q": "quit"}
        self._screen = Screen(console, lesson, keys=words, live=live, verbose=verbose)
        self._state = State(frozenset(actions), following, current_file(folder).name)
        # Simple: its put may interrupt its own get, as a signal handler does.
        self._events: queue.SimpleQueue[states.Event | Exception] = queue.SimpleQueue()
        self._started = time.monotonic()

    def run(self) -> bool:
        """Watch; whether the learner goes on to the next lesson."""
        if self._live:
            self._screen.open(self._state)
        try:
            with Gradings(self._lesson, self._runner, self._events.put) as gradings, self._saves():
                while True:
                    with keys(self._events.put) if self._live else contextlib.nullcontext():
                        ending = self._until_interrupted(gradings)
                    if isinstance(ending, Leave):
                        return ending.onward
                    self._act(self._actions[ending.key])
        finally:
            self._screen.close()

    @contextlib.contextmanager
    def _saves(self) -> Iterator[None]:
        stop = threading.Event()

        def look() -> None:
            try:
                for file in saves(self._folder, stop):
                    self._events.put(Saved(file.name))
            except Exception as error:  # for the main thread to raise
                self._events.put(error)

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def _until_interrupted(self, gradings: Gradings) -> Run | Leave:
        """Handle events until one asks for the terminal, or to leave."""
        while True:
            self._state, effects = states.step(self._state, self._next_event())
            for effect in effects:
                match effect:
                    case Grade(number):
                        self._started = time.monotonic()
                        gradings.start(number, self._folder / self._state.file)
                    case Record(report):
                        if lost := self._graded(report):
                            self._state = replace(self._state, notice=lost)
                            self._screen.status(self._state)
                    case Show.ALL:
                        self._screen.draw(self._state)
                    case Show.STATUS:
                        self._screen.status(self._state)
                    case Run() | Leave():
                        return effect

    def _next_event(self) -> states.Event:
        try:
            event = self._events.get(timeout=TICK_S)
        except queue.Empty:
            return Resized() if self._screen.resized() else Waited(int(time.monotonic() - self._started))
        if isinstance(event, Exception):
            raise event
        return event

    def _act(self, action: Action) -> None:
        self._screen.close()
        action.run(Context(self._lesson, self._folder, self._state.report))
        self._screen.footer(self._state)
