"""Commands of an instructor: batch, compare, inspect."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.cli import class_text
from grader.cli.console import console
from grader.cli.getting_ready import prepared
from grader.errors import UsageError

if TYPE_CHECKING:  # only a batch pays for NumPy
    from grader.classroom.jobs import Pool
    from grader.classroom.workplace import Workplace
    from grader.model import Lesson

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the gradebook, reports and pages.")]


def batch(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="A folder or a zip, as the system gave it to you.")],
    lesson_id: Annotated[str, typer.Option("--lesson", metavar="ID", help="The lesson, such as transformers-01.")],
    out: Out,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Gradings at the same time; without it, one per core.", show_default=False)
    ] = None,
    roster: Annotated[Path | None, typer.Option(metavar="CSV", help="Who takes the course: id, name, email.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The inputs' seed; without it, one drawn once per lesson and kept in DIR.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what was recognised; grade nothing.")] = False,
    regrade: Annotated[bool, typer.Option("--regrade", help="Grade again what has a score; old scores stay.")] = False,
    allow_weak_sandbox: Annotated[
        bool, typer.Option("--allow-weak-sandbox", help="Grade even where student code cannot be confined.")
    ] = False,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, or `local` for one started here.")
    ] = None,
    deadline: Annotated[float, typer.Option(min=1.0, metavar="S", help="Seconds for one submission.")] = 300.0,
    site: Annotated[
        str, typer.Option(metavar="URL", help="Where the pages of grade site stand; reports link to them.")
    ] = "",
) -> None:
    """Grade a class. Exit 0: all graded; 1: some could not be; 2: nothing was graded; 3: the grader failed."""
    from grader import lesson as lessons
    from grader.classroom.batch import Course, run_batch
    from grader.classroom.gradebook import Gradebook
    from grader.classroom.intake import take_in
    from grader.classroom.outputs import write_outputs
    from grader.classroom.roster import missing, not_enrolled, read_roster
    from grader.classroom.workplace import Stopping, Workplace
    from grader.cli.progress import Show, Tally
    from grader.grading import new_seed

    if site and not site.startswith(("http://", "https://")):
        raise UsageError(f"--site {site}: no address that students can open; it begins with https://")
    lesson = lessons.load_lesson(lesson_id)
    enrolled = read_roster(roster) if roster else ()
    if dry_run:
        class_text.dry_run(source, lesson, enrolled=enrolled)
        return
    screen, progress = console(), console(stderr=True)
    with Workplace(out) as place, Gradebook.open(out / "gradebook.sqlite") as gradebook:
        workspace = place.temporary / "source"
        workspace.mkdir()
        intake = take_in(source, workspace=workspace, lesson_id=lesson.id)
        class_text.say_intake(intake, screen)
        absent = [str(one) for one in missing(enrolled, intake.received)]
        strangers = [str(one.student) for one in not_enrolled(enrolled, intake.received)] if roster else []
        kept = gradebook.seed(lesson.id, new_seed() if seed is None else seed)
        if seed is not None and kept != seed:
            raise UsageError(
                f"--seed {seed}: the gradings in {out} have another seed; leave it out or name another --out"
            )
        course = Course(
            lesson,
            seed=kept,
            source=source.name,
            regrade=regrade,
        )
        tally = Tally()
        with (
            Stopping() as stopped,
            _pool(
                place,
                course_of=(lesson, course.seed),
                jobs=jobs,
                strict=not allow_weak_sandbox,
                cluster=cluster,
                deadline_s=deadline,
                progress=progress,
            ) as pool,
            Show(len(intake.received), tally, console=progress) as show,
        ):
            for step in run_batch(intake.received, course, gradebook=gradebook, pool=pool, stopped=stopped):
                tally.add(step)
                show.update()
        interrupted = stopped() and tally.done < len(intake.received)
        if gradebook.count(lesson.id):
            write_outputs(out, gradebook, lesson=lesson, left_out=intake.left_out, missing=absent, site=site)
        lists = {"missing": absent, "not on the roster": strangers}
        class_text.summary(tally, intake, gradebook, lesson=lesson, out=out, screen=screen, lists=lists)
    if interrupted:
        again = shlex.join(["grade", *sys.argv[1:]])
        screen.print(Text(f"\nstopped; what is graded is kept. To go on: {again}", style="bold"), soft_wrap=True)
        raise typer.Exit(130)
    raise typer.Exit(1 if tally.problems else 0)


@contextlib.contextmanager
def _pool(
    place: Workplace,
    *,
    course_of: tuple[Lesson, int],
    jobs: int | None,
    strict: bool,
    cluster: str | None,
    deadline_s: float,
    progress: Console,
) -> Iterator[Pool]:
    """What grades: processes here, or a cluster."""
    from grader.classroom.grading_process import Setup
    from grader.classroom.pool import ProcessPool

    lesson, seed = course_of
    setup = Setup(lesson.id, lesson.digest, seed, strict)
    count = jobs or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else jobs or os.cpu_count() or 1
    if cluster is not None:
        from grader.classroom.cluster import ClusterPool

        with ClusterPool(setup, cluster, count=count, deadline_s=deadline_s, temporary=place.temporary) as many:
            yield many
        return
    prepared(lesson.folder, progress)
    with ProcessPool(setup, count, deadline_s=deadline_s, temporary=place.temporary) as pool:
        yield pool


def inspect(
    student: Annotated[str, typer.Argument(metavar="STUDENT", help="The student's id, or their name.")],
    out: Out,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show every check, hint and line of output.")
    ] = False,
) -> None:
    """Show one student's attempts and feedback."""
    import difflib

    from grader import lesson as lessons
    from grader.classroom.gradebook import Gradebook
    from grader.reporting.report import from_dict
    from grader.reporting.text import print_report

    screen = console()
    with Gradebook.read(out) as gradebook:
        known = {one.student: one.name for one in gradebook.latest()}
        found = [key for key, name in known.items() if student in (key, name)]
        if student in known:
            found = [student]
        if len(found) != 1:
            close = difflib.get_close_matches(student, [*known, *known.values()], n=3, cutoff=0.5)
            why = f"{len(found)} students have this name: {', '.join(found)}" if found else "nobody in this gradebook"
            raise UsageError(
                f"{student}: {why}" + (f"; did you mean {', '.join(close)}?" if close and not found else "")
            )
        table = Table("graded", "file", "late", "points", "verdict", "lesson", "headwork")
        for one in gradebook.attempts(found[0]):
            report = one.report
            points = "no score" if one.score is None else f"{one.score}/{one.max_score}"
            cells = (f"{one.graded_at:%Y-%m-%d %H:%M} UTC", one.file, "late" if one.late else "", points)
            rest = (report["verdict"], f"{report['lesson']} {report['lesson_digest'][:6]}", report["grader_version"])
            table.add_row(*(Text(cell) for cell in (*cells, *rest)))
        screen.print(Text(f"{found[0]} · {known[found[0]]}", style="bold"))
        screen.print(table)
        for one in gradebook.latest():
            if one.student == found[0]:
                report_ = from_dict(one.report)
                lesson = lessons.load_lesson(report_.lesson)
                command = f"grade lesson {report_.lesson} MAIN"
                print_report(report_, lesson, screen, command=command, verbose=verbose)


def compare(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A folder that grade batch wrote, or its gradebook.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Another one.")],
) -> None:
    """Show whose score changed, and by which check. Exit 0: nobody's; 1: somebody's."""
    from grader.classroom.compare import compare as changes_between
    from grader.classroom.gradebook import Gradebook

    screen = console()
    with Gradebook.read(old) as before, Gradebook.read(new) as after:
        changes = changes_between(before.latest(), after.latest())
    for change in changes:
        screen.print(Text(f"{change.student} · {change.name}: {change.scores}", style="bold"))
        for check in change.checks:
            screen.print(Text(f"  {check}"))
    screen.print(Text(f"{len(changes)} changed" if changes else "no score changed"))
    raise typer.Exit(1 if changes else 0)
