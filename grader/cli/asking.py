"""Asking a person at the terminal, or the lines of a pipe in their place."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Sequence

import typer
from rich.console import Console
from rich.text import Text


class Ended(Exception):
    """There are no more answers: Ctrl-D, Ctrl-C or the end of the pipe."""


def ask_line(prompt: str, screen: Console) -> str:
    """A line, without spaces around it. Raises Ended."""
    with contextlib.suppress(ImportError):  # arrow keys and a history while typing; Windows has its own
        import readline  # noqa: F401
    with contextlib.suppress(AttributeError, io.UnsupportedOperation):  # done before, or no stream of the system
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr] # bytes that are no text end no command
    try:
        line = input(prompt)
    except (EOFError, KeyboardInterrupt) as error:
        screen.print()
        raise Ended from error
    if not sys.stdin.isatty():  # nobody else has shown it
        screen.print(Text(line), soft_wrap=True)
    return line.strip()


def ask_option(count: int, screen: Console) -> int | None:
    """One of ``count`` options by its number, from 0: a key alone, or a line where there are no keys. None skips.

    Raises Ended.
    """
    prompt = f"1 to {count}, Enter skips: "
    keys = sys.stdin.isatty() and sys.stdout.isatty() and count < 10
    while True:
        typed = _key(prompt, screen) if keys else ask_line(prompt, screen)
        if not typed:
            return None
        if typed in _numbers(count):
            return int(typed) - 1
        shown = typed if typed.isprintable() else "that key"
        screen.print(Text(f"{shown} is none of them: answer with its number here.", style="yellow"))


def _key(prompt: str, screen: Console) -> str:
    screen.print(Text(prompt), end="")
    try:
        key = typer.getchar()
    except (EOFError, KeyboardInterrupt) as error:
        screen.print()
        raise Ended from error
    screen.print(Text(key if key.isprintable() else ""))
    if key in ("q", "\x04"):
        raise Ended
    return key.strip()


def _numbers(count: int) -> Sequence[str]:
    return [str(number) for number in range(1, count + 1)]
