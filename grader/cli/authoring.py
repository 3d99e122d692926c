"""Commands of an author: verify, record, site."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from grader import lesson as lessons
from grader.cli.console import console

OptionalLessonId = Annotated[
    str | None, typer.Argument(metavar="ID", help="The lesson; without it, every lesson.", show_default=False)
]


def verify(
    lesson_id: OptionalLessonId = None,
    table: Annotated[bool, typer.Option("--table", help="Also print which checks catch each misconception.")] = False,
) -> None:
    """Prove that lessons keep their promises. Exit 0: all kept; 1: some are not."""
    from grader.authoring.verify import Killed, promises

    screen = console()
    broken = 0
    for one in [lesson_id] if lesson_id else lessons.lesson_ids():
        lesson = lessons.load_lesson(one)
        screen.print(Text(f"{lesson.id} · {lesson.title}", style="bold"))
        matrix: tuple[Killed, ...] = ()
        for promised in promises(lesson):
            started = time.perf_counter()
            promise = promised()
            matrix = promise.matrix or matrix
            sign, style = ("✗", "red") if promise.problems else ("✓", "green")
            took = f"{time.perf_counter() - started:.1f} s"
            screen.print(Text.assemble("  ", (sign, style), f" {promise.title}: {promise.summary} ", (took, "dim")))
            for problem in promise.problems:
                screen.print(Text(f"      {problem}"))
            broken += bool(promise.problems)
        if table:
            grid = Table("misconception", "first caught by", "caught by", "named")
            for killed in matrix:
                first = killed.killed_by[0] if killed.killed_by else "nothing"
                named = "by its own name" if not killed.problem else killed.problem
                grid.add_row(killed.name, first, f"{len(killed.killed_by)} checks", named)
            screen.print(grid)
    raise typer.Exit(1 if broken else 0)


def record(lesson_id: OptionalLessonId = None) -> None:
    """Run the reference and its mutants: writes recorded.txt, figures/, proved.toml and the quiz on the page."""
    from grader.authoring.record import record

    for one in [lesson_id] if lesson_id else lessons.lesson_ids():
        for path in record(lessons.load_lesson(one)):
            console().print(f"wrote {path}", soft_wrap=True)


def site(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder for the site; an earlier site is replaced.")],
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="ID", help="Only this lesson; repeat for more.")
    ] = None,
) -> None:
    """Build the lessons as a site that opens from disk or can be hosted; stops at a number that is stale."""
    from grader.site.build import build_site

    ids = only or lessons.lesson_ids()
    with console(stderr=True).status(f"building the site of {len(ids)} lessons …"):
        build_site([lessons.load_lesson(one) for one in ids], out)
    console().print(f"wrote {out / 'index.html'}", soft_wrap=True)
