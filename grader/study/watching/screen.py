"""What a watch shows: the latest report, the keys, a status line."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from rich.columns import Columns
from rich.console import Console
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from grader.model import Lesson, Report
from grader.reporting.predictions import print_predictions
from grader.reporting.text import headline, print_report
from grader.study.watching.state import State, status

ROWS_BELOW = 4  # keys and status line


class Screen:
    """Draws on ``console``; unless it is ``live`` nothing is ever drawn over, and there are no keys.

    Everything is printed from the top of a cleared screen, never into a window of its own:
    what is longer than the terminal can be scrolled back to.
    """

    def __init__(
        self, console: Console, lesson: Lesson, *, keys: Mapping[str, str], live: bool, verbose: bool = False
    ) -> None:
        self._console, self._lesson, self._live, self._verbose = console, lesson, live, verbose
        self._keys = [Text.assemble((key, "bold"), f" {word}") for key, word in keys.items()]
        self._shown = ""
        self._size = console.size

    def open(self, state: State) -> None:
        """The first picture; what was on the screen before is scrolled away, not lost."""
        if self._live:
            self._console.print("\n" * (self._console.height - 1))
        self.draw(state)

    def resized(self) -> bool:
        """Whether the terminal has another size than when this was last asked."""
        before, self._size = self._size, self._console.size
        return self._live and before != self._size

    def draw(self, state: State) -> None:
        """Everything again."""
        if self._live:
            self._console.clear()
        if state.problem:
            self._console.print(Text(f"\nnot graded: {state.problem}", style="red"))
        elif state.report is not None:
            self._report(state, state.report)
        else:
            self._console.print(Text.assemble((self._lesson.id, "bold"), f" · {self._lesson.title}"))
        self.footer(state)

    def _report(self, state: State, report: Report) -> None:
        """The report; where it is taller than the terminal, its point once more at the end."""
        with self._console.capture() as captured:
            then = f"change {state.file} and save it: this page follows"
            print_report(report, self._lesson, self._console, command="", then=then, verbose=self._verbose)
            ask = "press p" if self._live else f"grade predict {self._lesson.id}"
            if made := state.predicted:
                print_predictions(made.compared(), self._console, unmade=made.unmade, command=ask)
        text = captured.get()
        self._console.file.write(text)
        self._console.file.flush()
        if self._live and text.count("\n") + ROWS_BELOW > self._console.height:
            self._console.print(Text("…", style="dim"))
            self._console.print(headline(report, self._lesson))
            if mistakes := next((one.diagnosis for one in report.outcomes if one.diagnosis), ()):
                self._console.print(Text(" and ".join(one.title for one in mistakes), style="bold red"))

    def footer(self, state: State) -> None:
        """The keys and the status, below whatever was printed; in plain words where nothing can be pressed."""
        self._console.print()
        if self._live:
            self._console.print(Columns(self._keys, padding=(0, 2)))
            self._shown = ""
            self.status(state)
        else:
            self._console.print(f"watching {state.file}: every save is graded, Ctrl-C ends it")

    def status(self, state: State) -> None:
        """The last line, drawn over."""
        said = status(state)
        if self._live and said != self._shown:
            self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
            line = Text(said, style="dim", no_wrap=True, overflow="ellipsis", end="")
            self._console.print(line, end="", width=max(self._console.width - 1, 1))
            self._shown = said

    def close(self) -> None:
        """Leave the status line, for whoever prints next."""
        if self._live:
            with contextlib.suppress(OSError):  # the terminal is gone
                self._console.print()
