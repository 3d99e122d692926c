"""The command that says what this machine has and lacks."""

from __future__ import annotations

import textwrap
from typing import Annotated, Any

import typer
from rich.text import Text

from grader.cli.console import console

# Paths and options stay whole, to be copied.
WRAP: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Show what this machine has and lacks, with remedies. Exit 0: grading works; 1: something prevents it."""
    from grader.study.machine.facts import gather
    from grader.study.machine.findings import Level, findings, grading_works

    with console(stderr=True).status("looking around, and starting a worker …"):
        found = findings(gather())
    works = grading_works(found)
    if as_json:
        import json

        typer.echo(json.dumps({"works": works, "findings": list(map(vars, found))}, ensure_ascii=False, indent=2))
        raise typer.Exit(0 if works else 1)
    # Colour only repeats what the signs say.
    signs = {Level.GOOD: ("✓", "green"), Level.WARNING: ("!", "yellow"), Level.OBSTACLE: ("✗", "red")}
    screen, remedies = console(), {""}
    for finding in found:
        sign, style = signs[finding.level]
        body = textwrap.fill(finding.what, screen.width, initial_indent="  ", subsequent_indent="  ", **WRAP)
        screen.print(Text.assemble((sign, style), body[1:]), soft_wrap=True)
        if finding.remedy not in remedies:  # what helps against several is said once
            remedies.add(finding.remedy)
            body = textwrap.fill(finding.remedy, screen.width, initial_indent="  → ", subsequent_indent="    ", **WRAP)
            screen.print(Text(body, style="yellow"), soft_wrap=True)
    raise typer.Exit(0 if works else 1)
