"""The frozen nouns of a course: what was received, what was left out, what was graded."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.model import Submission


@dataclass(frozen=True)
class Received:
    """One student's submission, found in a source and not read yet.

    ``student`` is the key that stays the same from run to run: an id of the learning-management system where
    there is one, else a folder or login; never the name of a file. ``file`` is the path inside the source, as an
    instructor sees it there. ``identity`` holds what an export needs to find the row again, by the names that the
    system uses ("user id", "participant id", "submission id", "email", "login"). ``read`` gives the submission, whose
    folder is this student's alone, or raises UsageError when the file cannot be graded.
    """

    student: str
    name: str
    file: str
    read: Callable[[], Submission]
    received_at: datetime.datetime | None = None
    late: bool = False
    attempt: int = 1
    identity: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LeftOut:
    """A file or folder of the source that is nobody's submission, and why."""

    file: str
    reason: str


@dataclass(frozen=True)
class Intake:
    """What a source holds: its shape in words, one submission per student, and the rest."""

    shape: str
    received: tuple[Received, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Graded:
    """A grading with the submission it belongs to, as the gradebook gives it back.

    ``report`` is the report's JSON form (report.schema.json); ``score`` is None when the grader failed.
    """

    student: str
    name: str
    file: str
    sha256: str
    received_at: datetime.datetime | None
    late: bool
    attempt: int
    identity: Mapping[str, str]
    graded_at: datetime.datetime
    report: Mapping[str, Any]
    score: int | None
    max_score: int
