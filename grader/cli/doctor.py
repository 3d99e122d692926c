"""The command that says what this machine has and lacks."""

from __future__ import annotations

import sys

from rich.text import Text

from grader import __version__
from grader.cli.console import console

# Protection -> what it keeps a submission from.
MEANINGS = {
    "files": "reading solutions, checks, other submissions or your home",
    "sockets": "opening a network connection",
    "processes": "starting a process or staying behind",
    "programs": "running another program",
    "signals": "signalling the grader or another submission",
    "signals by files": "having the kernel signal them",
    "memory": "using more memory than it may",
    "links": "making links out of its folder",
}
REMEDY = (
    "Linux 6.2 or newer on x86-64 or AArch64 confines student code. In a container, allow the system calls "
    "landlock_create_ruleset, landlock_add_rule, landlock_restrict_self and seccomp (recent engines do by default)."
)


def doctor() -> None:
    """Show what this machine has and lacks, each with its remedy. Exit 0: all there; 1: something is missing."""
    import typer

    from grader.errors import WorkerError
    from grader.running.compile_cache import machine_folder
    from grader.running.warm import ForkServer

    screen = console()
    missing = 0

    def say(good: bool, what: str, remedy: str = "") -> None:
        nonlocal missing
        missing += not good
        sign, style = ("✓", "green") if good else ("✗", "red")
        screen.print(Text.assemble((sign, style), f" {what}"))
        if not good and remedy:
            screen.print(Text(f"    {remedy}", style="yellow"))

    say(True, f"headwork {__version__}, Python {sys.version.split()[0]}")
    if sys.platform != "linux":
        say(False, f"no confinement on {sys.platform}: submissions run in a separate process with limits", REMEDY)
        raise typer.Exit(1)
    try:
        with ForkServer() as server:
            weakness, protections = server.weakness(), server.protections
    except WorkerError as error:
        say(False, str(error), "Install the package again: pip install -e .")
        raise typer.Exit(1) from error
    say(True, "jax imports")
    if not protections:
        say(False, f"student code cannot be confined: {weakness}", REMEDY)
    for name, holds in protections.items():
        say(holds, f"confined against {MEANINGS[name]}", REMEDY)
    folder = machine_folder()
    prepared = sorted(path.name for path in folder.glob("*/manifest.json")) if folder.is_dir() else []
    say(True, f"compiled programs in {folder}: {len(prepared)} lesson states")
    raise typer.Exit(1 if missing else 0)
