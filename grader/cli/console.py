"""The console that all commands print to."""

from __future__ import annotations

from rich.console import Console

WIDTH_WITHOUT_TERMINAL = 100


def console(*, stderr: bool = False) -> Console:
    """A console that fits the terminal, or wraps at a readable width when there is none."""
    found = PlainConsole(highlight=False, stderr=stderr)
    return found if found.is_terminal else PlainConsole(highlight=False, stderr=stderr, width=WIDTH_WITHOUT_TERMINAL)


class PlainConsole(Console):
    """rich's console, but a reader that has seen enough is for the caller to deal with."""

    def on_broken_pipe(self) -> None:
        """Let BrokenPipeError through."""
        raise BrokenPipeError
