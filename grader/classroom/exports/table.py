"""grades.csv: a row per student, a column per check.

It starts with a byte order mark: without one Excel reads UTF-8 as the machine's old encoding and spoils every name
that is not ASCII; pandas, R, LibreOffice and Python's "utf-8-sig" take it in their stride.
"""

from __future__ import annotations

import csv
import datetime
import os
from collections.abc import Iterable
from pathlib import Path

from grader.classroom.exports.harmless import cell
from grader.classroom.nouns import Graded
from grader.errors import UsageError
from grader.model import Lesson

FACTS = ("student", "name", "file", "score", "max_score", "verdict", "late", "attempt", "received_at", "graded_at")


def write_grades(path: Path, graded: Iterable[Graded], lesson: Lesson) -> None:
    """Write ``graded`` to ``path``, row by row, whole or not at all.

    Points are numbers, and empty where there are none: a grading that failed, a check that the report lacks. A check
    that is worth nothing shows its verdict. Times are UTC, ISO 8601. Raises UsageError when it cannot be written.
    """
    filling = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with filling.open("w", encoding="utf-8-sig", newline="") as stream:
            table = csv.writer(stream)
            table.writerow([*FACTS, *(cell(check.name) for check in lesson.checks)])
            for one in graded:
                table.writerow(_row(one, lesson))
        filling.replace(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); close it where it is open") from error
    finally:
        filling.unlink(missing_ok=True)


def _row(graded: Graded, lesson: Lesson) -> list[str | int]:
    outcomes = {outcome["check"]: outcome for outcome in graded.report["outcomes"]}
    points: list[str | int] = []
    for check in lesson.checks:
        outcome = outcomes.get(check.name)
        if outcome is None or outcome["verdict"] == "internal":
            points.append("")
        else:
            points.append(cell(outcome["verdict"]) if check.advice else int(outcome["points"]))
    return [
        cell(graded.student),
        cell(graded.name),
        cell(graded.file),
        "" if graded.score is None else graded.score,
        graded.max_score,
        cell(graded.report["verdict"]),
        "late" if graded.late else "",
        graded.attempt,
        _time(graded.received_at),
        _time(graded.graded_at),
        *points,
    ]


def _time(at: datetime.datetime | None) -> str:
    return "" if at is None else at.astimezone(datetime.UTC).isoformat(timespec="seconds")
