"""Commands that hand a graded class, or this grader, to other systems: export, package."""

from __future__ import annotations

import datetime
import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grader.cli.console import console
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.classroom.exports.export import Export
    from grader.classroom.nouns import Graded

INTO_LIMIT = 64 * 1024 * 1024


class Format(StrEnum):
    """Where grades can go."""

    CANVAS = "canvas"
    MOODLE = "moodle"
    GRADESCOPE = "gradescope"
    JUNIT = "junit"
    GITHUB = "github"
    LTI = "lti"


class System(StrEnum):
    """Where this grader can go."""

    GRADESCOPE = "gradescope"
    GITHUB = "github"


FILLED = (Format.CANVAS, Format.MOODLE)
SCALED = (*FILLED, Format.LTI)


def export(
    kind: Annotated[Format, typer.Argument(metavar="FORMAT", help="canvas, moodle, gradescope, junit, github or lti.")],
    out: Annotated[Path | None, typer.Option("--out", help="The folder that grade batch wrote.")] = None,
    into: Annotated[
        Path | None, typer.Option("--into", help="The file of your system to fill: its export (canvas, moodle).")
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="The column to fill, by header, title or id (canvas, moodle).")
    ] = None,
    points: Annotated[
        str, typer.Option("--points", help="What full marks are worth: max (as in the lesson), 100, 7.5 …")
    ] = "max",
    lesson: Annotated[str | None, typer.Option("--lesson", help="Which lesson, where the folder has several.")] = None,
    latest: Annotated[bool, typer.Option("--latest/--best", help="Each student's newest or best grading.")] = True,
    to: Annotated[Path | None, typer.Option("--to", help="The folder to write into; else OUT/exports.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say all of it and write nothing.")] = False,
    report: Annotated[
        Path | None, typer.Option("--report", help="One report.json instead of a folder; prints (gradescope, github).")
    ] = None,
) -> None:
    """Write the grades in the form that another system reads. Your own file is never changed: a copy is."""
    from grader.classroom.exports.export import write

    if report is not None:
        typer.echo(_of_report(kind, report))
        return
    if out is None:
        raise UsageError("grade export: no folder; name the one that grade batch wrote with --out")
    if (into is None) == (kind in FILLED):
        wanted = "fills a file of yours; name it with --into" if into is None else "fills no file; leave out --into"
        raise UsageError(f"grade export {kind}: {wanted}")
    if points != "max" and kind not in SCALED:
        raise UsageError(f"grade export {kind}: carries points of its own; leave out --points")
    made = _made(kind, _graded(out, lesson, latest=latest), out, into=into, column=column, points=points)
    target = to or out / "exports"
    if into is not None and any(_same(into, target / name) for name in made.files):
        raise UsageError(f"{into}: would be overwritten by the copy; name another folder with --to")
    if not dry_run:
        write(made, target)
    _say(made, target, dry_run=dry_run)


def package(
    system: Annotated[System, typer.Argument(metavar="SYSTEM", help="gradescope or github.")],
    lesson_id: Annotated[str, typer.Argument(metavar="ID", help="The lesson, such as transformers-01.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The zip to write, or the template's folder (github).")],
    install: Annotated[
        str | None, typer.Option("--install", help="What pip installs Headwork from (github); else this version.")
    ] = None,
    require_sandbox: Annotated[
        bool,
        typer.Option(
            "--require-sandbox/--allow-weak-sandbox",
            help="Where student code cannot be confined: give no points, or run it with limits only.",
        ),
    ] = True,
) -> None:
    """Make what another system needs to run this grader itself."""
    from grader.classroom.packages import github, gradescope

    if system is System.GRADESCOPE:
        if install is not None:
            raise UsageError("grade package gradescope: has the grader inside; leave out --install")
        gradescope.build(lesson_id, out, allow_weak_sandbox=not require_sandbox)
        written, then = out, "In Gradescope: Configure Autograder, upload this zip"
    else:
        from grader import __version__

        source = install or f"headwork=={__version__}"
        written = github.build(lesson_id, out, install=source, allow_weak_sandbox=not require_sandbox)
        then = "Commit it to the template repository of the assignment"
    screen = console()
    screen.print(f"{written} is written.", soft_wrap=True, markup=False)
    screen.print(f"{then}.", markup=False)


def _graded(out: Path, lesson: str | None, *, latest: bool) -> list[Graded]:
    from grader.classroom.gradebook import Gradebook

    with Gradebook.read(out) as gradebook:
        graded = list(gradebook.latest(lesson) if latest else gradebook.best(lesson))
    lessons = sorted({str(one.report["lesson"]) for one in graded})
    if not graded:
        raise UsageError(f"{out}: no gradings{f' of {lesson}' if lesson else ''}; grade something first: grade batch")
    if len(lessons) > 1:
        raise UsageError(f"{out}: gradings of {', '.join(lessons)}; choose one with --lesson")
    return graded


def _made(
    kind: Format, graded: list[Graded], out: Path, *, into: Path | None, column: str | None, points: str
) -> Export:
    from grader import lesson as lessons
    from grader.classroom.exports import canvas, github, gradescope, junit, lti, moodle
    from grader.classroom.exports.points import parse_points
    from grader.classroom.names import slug
    from grader.submission import read_regular_file

    scale = parse_points(points)
    if into is not None:
        raw = read_regular_file(into, limit=INTO_LIMIT)
        if kind is Format.MOODLE:

            def page(one: Graded) -> bytes | None:
                path = out / "reports" / f"{slug(one.student)}.html"
                return path.read_bytes() if path.is_file() else None

            return moodle.moodle(graded, raw, name=into.name, column=column, points=scale, page=page)
        lesson_id = str(graded[0].report["lesson"])
        titles = [lesson_id]
        if lesson_id in lessons.lesson_ids():
            titles.append(str(lessons.read_facts(lessons.find_lesson(lesson_id))["title"]))
        return canvas.canvas(graded, raw, name=into.name, column=column, points=scale, titles=titles)
    if kind is Format.LTI:
        return lti.lti(graded, points=scale)
    return {Format.GRADESCOPE: gradescope.gradescope, Format.JUNIT: junit.junit, Format.GITHUB: github.github}[kind](
        graded
    )


def _of_report(kind: Format, path: Path) -> str:
    """What a system wants of the one report in ``path``, as ``grade lesson --json`` printed it."""
    from grader.classroom.exports import github, gradescope
    from grader.classroom.nouns import Graded
    from grader.submission import read_regular_file

    if kind not in (Format.GRADESCOPE, Format.GITHUB):
        raise UsageError(f"grade export {kind}: not made of a single report; name a folder with --out")
    raw = read_regular_file(path, limit=INTO_LIMIT)
    try:
        found: dict[str, Any] = json.loads(raw)
        graded = Graded(
            student="",
            name="",
            file=str(found["submission"]["path"]),
            sha256=str(found["submission"]["sha256"]),
            received_at=None,
            late=False,
            attempt=1,
            identity={},
            graded_at=datetime.datetime.now(datetime.UTC),
            report=found,
            score=found["score"],
            max_score=found["max_score"],
        )
        if kind is Format.GITHUB:
            return github.output_line(graded)
        if graded.score is None:
            raise UsageError(f"{path}: the grader failed there; grade it again, Gradescope has no form for that")
        return gradescope.written(graded).decode("ascii")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{path}: not a report; make one with: grade lesson ID --json > {path.name}") from error


def _same(one: Path, other: Path) -> bool:
    return other.exists() and one.samefile(other)


def _say(made: Export, target: Path, *, dry_run: bool) -> None:
    """What an export did, or with ``dry_run`` what it would do: the same lines but for the last ones."""
    screen = console()

    def lines(title: str, texts: tuple[str, ...]) -> None:
        if texts:
            screen.print(title, style="bold")
        for text in texts:
            screen.print(f"  {text}", markup=False, soft_wrap=True)

    lines("about the file", made.notes)
    lines(f"{len(made.changes)} grades", made.changes)
    lines(f"{len(made.left)} left as they are", made.left)
    lines("would write" if dry_run else "written", tuple(str(target / name) for name in list(made.files)[:5]))
    if len(made.files) > 5:
        screen.print(f"  … and {len(made.files) - 5} more")
