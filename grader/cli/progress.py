"""What a batch shows while it runs: a bar in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from grader.classroom.batch import Step
from grader.model import Verdict

LINE_EVERY_S = 30.0
LINES = 10  # in all, when it goes fast
AS_BEFORE = "graded before"


class Tally:
    """How many submissions came to what."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.problems: list[Step] = []

    @property
    def done(self) -> int:
        """Submissions that are dealt with."""
        return self.counts.total()

    def add(self, step: Step) -> None:
        """Count ``step``."""
        self.counts[AS_BEFORE if step.verdict is None else step.verdict.value] += 1
        if step.problem:
            self.problems.append(step)

    def __str__(self) -> str:
        order = [*(verdict.value for verdict in Verdict), AS_BEFORE]
        return ", ".join(f"{self.counts[name]} {name}" for name in order if self.counts[name])


class _Rate(ProgressColumn):
    """Submissions a second."""

    def render(self, task: Task) -> Text:
        """The rate in words."""
        return Text(f"{task.speed:.1f}/s" if task.speed else "–/s", style="dim")


class Show:
    """Shows ``tally`` as it grows towards ``total``; a context manager."""

    def __init__(self, total: int, tally: Tally, *, console: Console) -> None:
        self._total, self._tally, self._console = total, tally, console
        self._started = self._said = time.monotonic()
        self._tenth = 0
        self._bar: Progress | None = None
        if console.is_terminal:
            columns = (
                BarColumn(),
                MofNCompleteColumn(),
                _Rate(),
                TimeRemainingColumn(),
                TextColumn("{task.fields[now]}"),
            )
            self._bar = Progress(*columns, console=console, transient=True, speed_estimate_period=60)
            self._task = self._bar.add_task("grading", total=total, now="")

    def __enter__(self) -> Show:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self) -> None:
        """Show how far it has come."""
        if self._bar is not None:
            self._bar.update(self._task, completed=self._tally.done, now=str(self._tally))
            return
        now, tenth = time.monotonic(), LINES * self._tally.done // max(self._total, 1)
        if tenth > self._tenth or now - self._said > LINE_EVERY_S:
            self._tenth, self._said = tenth, now
            self._console.print(_line(self._tally, self._total, now - self._started), soft_wrap=True)


def _line(tally: Tally, total: int, spent_s: float) -> Text:
    rate = tally.done / max(spent_s, 1e-3)
    left_s = (total - tally.done) / rate if rate else 0.0
    return Text(f"{tally.done}/{total} · {rate:.1f}/s · {left_s:.0f} s left · {tally}")
