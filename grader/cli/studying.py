"""Commands around a lesson: what to do next, list, start, reset, read, walk."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from grader import lesson as lessons
from grader.cli.asking import Ended, ask_line
from grader.cli.console import console
from grader.cli.lesson_ids import LessonId, LessonIdOrHere, here_or_last
from grader.cli.paging import paged
from grader.errors import UsageError
from grader.study.progress.record import Progress, now, read_progress, update
from grader.study.workspace import next_step, scaffolding
from grader.study.workspace.places import current_lesson, place_of, target_folder, this_folder
from grader.study.workspace.standing import Standing, all_standings, solved_names, standing, unmet

WIDE = 100  # columns that hold a lesson in one line
SITE = "HEADWORK_SITE"


def what_next() -> None:
    """Show where you are and what to do next, in three lines."""
    progress, here = read_progress(), this_folder()
    standings = all_standings(progress)
    place = place_of(None, progress, here=here) if current_lesson(progress, here=here) else None
    first, *others = next_step.what_next(standings, place, progress, here=here, today=date.today())
    screen = console()
    screen.print(Text.assemble((first.label, "bold"), f" · {first.text}"))
    screen.print(_steps((line.label, line.command, line.text) for line in others))


def _steps(steps: Iterable[tuple[str, str, str]]) -> Table:
    """What each step is for, its command in one piece, what it does."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(style="green", no_wrap=True, overflow="fold")
    for step in steps:
        table.add_row(*map(Text, step))
    return table


def list_lessons() -> None:
    """Show the lessons in order: how far you are, points, minutes, what they build on."""
    progress, screen = read_progress(), console()
    for phase, group in groupby(all_standings(progress), key=lambda one: one.phase):
        screen.print(Text(phase, style="bold"))
        table = Table.grid(padding=(0, 2))
        for one in group:
            style = {"done": "green", "not started": "dim"}.get(one.state, "yellow")
            words = (Text(f"{one.minutes} min"), Text(f"{one.points} points"), Text(one.state, style=style))
            facts = [*words, _needs(one, progress)]
            if screen.width >= WIDE:
                table.add_row(one.lesson_id, one.title, *facts)
            else:
                table.add_row(Text.assemble((one.lesson_id, "bold"), f" {one.title}"))
                table.add_row(Text("   ") + Text(" · ").join(fact for fact in facts if fact))
        screen.print(table)
    screen.print("\nnext: grade start ID · where you are: grade", style="bold")


def _needs(one: Standing, progress: Progress) -> Text:
    if not one.requires:
        return Text()
    text = f"after {', '.join(one.requires)}"
    return Text(text) if unmet(one, progress) else Text(f"{text} ✓", style="green")


def start(
    lesson_id: LessonId,
    notebook: Annotated[bool, typer.Option("--notebook", help="Lay out a main.ipynb beside the main.py.")] = False,
) -> None:
    """Lay out the lesson's main.py in a folder of its own; never overwrites."""
    here, progress = this_folder(), read_progress()
    folder = Path(os.path.relpath(target_folder(lesson_id, here=here), here))
    names = ["main.py", "main.ipynb"] if notebook else ["main.py"]
    if notebook and (folder / "main.py").exists():
        remedy = f"a notebook of it: grade notebook {lesson_id} main.py"
    else:
        remedy = f"go on with: grade lesson {lesson_id}"
    if not notebook and (folder / "main.ipynb").exists():
        raise UsageError(f"{folder / 'main.ipynb'}: already there and left as it is; {remedy}")
    scaffolding.lay_out(folder, _scaffolds(lesson_id, names), remedy=remedy)
    screen = console()
    for name in names:
        screen.print(f"{folder / name} is yours.", soft_wrap=True)
    begin(lesson_id, folder)
    if missing := unmet(standing(lesson_id, progress), progress):
        screen.print(f"It builds on {', '.join(missing)}, not done yet; start here all the same if you like.")
    once = f"grade lesson {lesson_id}" + (f" {shlex.quote(str(folder / 'main.ipynb'))}" if notebook else "")
    steps = [
        ("read", f"grade read {lesson_id}", "here in the terminal"),
        ("predict", f"grade predict {lesson_id}", "before you see an answer"),
        ("write", f"grade watch {lesson_id}", "fill in the TODOs; every save is graded"),
        ("or", once, "grades once"),
    ]
    screen.print(_steps(steps))
    screen.print(f"The page is also {lessons.find_lesson(lesson_id) / 'lesson.md'}", soft_wrap=True)


def begin(lesson_id: str, folder: Path) -> None:
    """Keep in progress that the lesson is worked on in ``folder``; a note on stderr when that is impossible."""
    try:
        update(lesson_id, lambda kept: replace(kept, folder=str(folder.absolute()), last_at=now()))
    except UsageError as error:
        print(f"grade: this start is not in your progress: {error}", file=sys.stderr)


def reset(
    lesson_id: LessonIdOrHere = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Put the scaffold back, after keeping what you wrote under a dated name."""
    place, screen = here_or_last(lesson_id), console()
    folder = place.main.parent
    files = _scaffolds(place.lesson_id, [name for name in ("main.py", "main.ipynb") if os.path.lexists(folder / name)])
    if not yes and not agreed(f"Put the scaffold back into {folder.name}? What is there is kept beside it. [y/N] "):
        screen.print("Nothing was reset.")
        return
    kept = scaffolding.put_back(folder, files, now=datetime.now().astimezone())
    for path in kept:
        screen.print(f"kept: {path}", soft_wrap=True)
    names = " and ".join(files)
    screen.print(
        f"{names} in {folder}: the scaffold again." if kept else f"{names}: the scaffold already.", soft_wrap=True
    )


def read(
    lesson_id: LessonIdOrHere = None,
    section: Annotated[
        list[str] | None, typer.Argument(metavar="SECTION", help="A heading, or its beginning: exercise 1.")
    ] = None,
    answers: Annotated[
        bool, typer.Option("--answers", help="Open hints and answers that ask for no prediction.")
    ] = False,
    reveal: Annotated[bool, typer.Option("--reveal", help="Open reference solutions too.")] = False,
    web: Annotated[bool, typer.Option("--web", help=f"Open the page in a browser; {SITE} names the site.")] = False,
) -> None:
    """Read the lesson in the terminal; answers stay folded until you have predicted."""
    place = here_or_last(lesson_id)
    if web:
        _open_page(place.lesson_id, " ".join(section or []))
        return
    from grader.cli.page_text import PageText  # only reading pays for it
    from grader.study.reading.page import Reader, for_terminal, section_of, why_hidden

    folder, kept = lessons.find_lesson(place.lesson_id), read_progress().lesson(place.lesson_id)
    reader = Reader(
        place.lesson_id,
        frozenset(kept.predictions),
        solved_names(folder, kept),
        answers=answers or reveal,
        reveal=reveal,
    )
    text = (folder / "lesson.md").read_text(encoding="utf-8")
    text = section_of(text, " ".join(section)) if section else text
    shown = for_terminal(text, folder, hidden=lambda fold: why_hidden(fold, reader))
    with paged(console()) as screen:
        screen.print(PageText(shown, hyperlinks=False), crop=False)


def _open_page(lesson_id: str, section: str) -> None:
    import webbrowser

    from grader.reporting.site_links import lesson_link
    from grader.study.reading.page import anchor, section_of
    from grader.study.reading.site_page import site_address

    site = site_address(os.environ.get(SITE, ""), lesson_id)
    text = (lessons.find_lesson(lesson_id) / "lesson.md").read_text(encoding="utf-8")
    title = section_of(text, section).partition("\n")[0].lstrip("# ") if section else ""
    address = lesson_link(site, lesson_id, anchor(title))
    console().print(address, soft_wrap=True)
    if not webbrowser.open(address):
        raise UsageError("no browser could be opened here; the address is above")


def walk(
    lesson_id: LessonIdOrHere = None,
    step: Annotated[int | None, typer.Argument(metavar="STEP", min=1, help="Begin with this step.")] = None,
) -> None:
    """Walk through the lesson: short steps, everything computed as it is told."""
    from grader.study.material import walk as steps_of
    from grader.study.reading.telling import walked

    place, screen = here_or_last(lesson_id), console()
    steps = steps_of(lessons.find_lesson(place.lesson_id))
    number = step or 1
    if number > len(steps):
        raise UsageError(f"{number}: no such step; {place.lesson_id} has {len(steps)}")
    keys = sys.stdin.isatty() and screen.is_terminal and not screen.is_dumb_terminal
    while number <= len(steps):
        for part in walked(steps[number - 1], number=number, count=len(steps)):
            screen.print(part)
        move = _key_pressed(last=number == len(steps)) if keys else 1
        if move is None:
            return
        number = max(number + move, 1)


def _key_pressed(*, last: bool) -> int | None:
    """How many steps to go on, or None to end."""
    print(f"[Enter] {'end' if last else 'next'} · b back · q quit ", end="", flush=True)
    try:
        while (key := typer.getchar()) not in ("\r", "\n", " ", "n", "b", "q", "\x04", "\x1b"):
            pass
    except (EOFError, KeyboardInterrupt):
        key = "q"
    print("\n")
    return {"b": -1, "q": None, "\x04": None, "\x1b": None}.get(key, 1)


def _scaffolds(lesson_id: str, names: list[str]) -> dict[str, bytes]:
    """The files of the scaffold by name; the notebook is made of main.py."""
    main = lessons.find_lesson(lesson_id).parent.parent / "scaffolds" / lesson_id / "main.py"
    files = {}
    for name in names:
        if name == "main.py":
            files[name] = main.read_bytes()
        else:
            from grader.study.notebooks.scaffold_notebook import scaffold_notebook  # brings jupytext

            files[name] = scaffold_notebook(main).encode()
    return files


def agreed(question: str) -> bool:
    """Whether a person says yes."""
    try:
        return ask_line(question, console()).casefold() in ("y", "yes")
    except Ended:
        return False
