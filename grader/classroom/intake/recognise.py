"""Recognising a source by its shape, so that an instructor never writes a pattern."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from grader.classroom.intake import blackboard, canvas, github, gradescope, moodle, nbgrader, plain
from grader.classroom.intake.attempts import Sorted, by_student, newest_complete
from grader.classroom.intake.source import open_source
from grader.classroom.intake.staging import Plan, read_staged
from grader.classroom.intake.tree import Folder
from grader.classroom.nouns import Intake, LeftOut, Received
from grader.errors import UsageError

# From the shape that leaves least to chance to the one that any folder has.
SHAPES = (
    gradescope.attempts,
    moodle.attempts,
    blackboard.attempts,
    nbgrader.attempts,
    canvas.attempts,
    github.attempts,
)
TOP_FOLDERS = 4  # extra ones that are looked through


def take_in(source: Path, *, workspace: Path, lesson_id: str) -> Intake:
    """One submission per student of ``source``, a folder or a zip, and what in it is nobody's.

    ``workspace`` is an empty folder that lives as long as the Intake is used: zips are unpacked there, and each
    ``Received.read()`` stages that student's files there. No submission is read before. Students are in the order of
    their keys. Raises UsageError when ``source`` cannot be opened or holds no submission.
    """
    workspace.mkdir(parents=True, exist_ok=True)
    workspace = Path(tempfile.mkdtemp(prefix="intake-", dir=workspace))  # whatever an earlier intake left there
    root, left_out = open_source(source, workspace=workspace)
    try:
        found = _sorted(root, lesson_id=lesson_id)
    except UsageError as error:
        raise UsageError(f"{source}: {error}") from error
    received = tuple(_received(found, workspace=workspace, lesson_id=lesson_id))
    everything = tuple(sorted({*left_out, *found.left_out}, key=lambda each: (each.file, each.reason)))
    if not received:
        raise UsageError(f"{source}: holds no submission{_reasons(everything)}; name the download of your class")
    count = len(received)
    return Intake(f"{found.label}: {count} student{'' if count == 1 else 's'}", received, everything)


def _sorted(root: Folder, *, lesson_id: str) -> Sorted:
    for view in _views(root):
        for shape in SHAPES:
            found = shape(view, lesson_id=lesson_id)
            if found is not None:
                return found
    return plain.attempts(root, lesson_id=lesson_id)


def _views(root: Folder) -> Iterator[Folder]:
    """The tree, and the trees below it as long as there is nothing but one folder."""
    view = root
    for _ in range(TOP_FOLDERS):
        yield view
        if len(view.folders) != 1 or view.files:
            return
        view = view.folders[0]


def _received(found: Sorted, *, workspace: Path, lesson_id: str) -> Iterator[Received]:
    for number, (student, attempts) in enumerate(by_student(found.attempts).items(), start=1):
        taken = newest_complete(attempts, lesson_id=lesson_id)
        attempt, choice = taken.attempt, taken.choice
        shown = choice.main[1].path if choice.main else attempt.place
        plan = Plan(
            folder=workspace / "staged" / f"{number:06}",
            shown=shown,
            main=choice.main,
            reason=choice.reason,
            files=attempt.files,
            notes=choice.notes,
        )
        yield Received(
            student=student,
            name=attempt.name,
            file=shown,
            read=partial(read_staged, plan),
            received_at=attempt.received_at,
            late=attempt.late,
            attempt=taken.number,
            identity=attempt.identity,
            notes=taken.notes,
        )


def _reasons(left_out: tuple[LeftOut, ...]) -> str:
    shown = "; ".join(f"{each.file}: {each.reason}" for each in left_out[:3])
    more = f" and {len(left_out) - 3} more" if len(left_out) > 3 else ""
    return f" ({shown}{more})" if shown else ""
