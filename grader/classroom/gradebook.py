"""The gradebook: an append-only SQLite file of submissions with their gradings."""

from __future__ import annotations

import contextlib
import datetime
import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.classroom.gradebook_file import open_file
from grader.classroom.nouns import Graded
from grader.errors import UsageError

FACTS = "lesson, student, name, file, sha256, content, received_at, late, attempt, identity"


@dataclass(frozen=True)
class Facts:
    """What is known of a submission apart from its grading.

    ``sha256`` is that of the graded file, ``content`` covers its neighbours too, ``source`` names the download.
    """

    lesson: str
    student: str
    name: str
    file: str
    sha256: str
    content: str
    received_at: datetime.datetime | None = None
    late: bool = False
    attempt: int = 1
    identity: Mapping[str, str] = field(default_factory=dict)
    source: str = ""


class Gradebook:
    """An open gradebook; a context manager. One process writes, any number read meanwhile."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self.path = connection, path

    @classmethod
    def open(cls, path: Path) -> Gradebook:
        """The gradebook at ``path``, made when nothing is there, brought up to this version when it is older.

        Raises UsageError, with the file untouched, for a newer version, another program's file or no database.
        """
        return cls(open_file(path), path)

    @classmethod
    def read(cls, path: Path) -> Gradebook:
        """The gradebook at ``path`` or in the folder ``path``. Raises UsageError when there is none, as ``open``."""
        file = path / "gradebook.sqlite" if path.is_dir() else path
        if not file.exists():
            raise UsageError(f"{file}: no gradebook; name the folder that grade batch wrote with --out")
        return cls.open(file)

    def __enter__(self) -> Gradebook:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is added inside is on disk at its end, or nothing of it is."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def add(self, facts: Facts, report: Mapping[str, Any], *, stages: Mapping[str, float] | None = None) -> None:
        """Append a grading; ``report`` is its JSON form, ``stages`` are seconds by name. On disk when this returns,
        or at the end of the ``transaction`` around it.
        """
        packed = zlib.compress(json.dumps(report, ensure_ascii=False, separators=(",", ":")).encode())
        with contextlib.nullcontext() if self._connection.in_transaction else self.transaction():
            self._connection.execute(
                "INSERT INTO gradings (submission, lesson_digest, grader_version, graded_at, seed, verdict, score, "
                "max_score, stages, report) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._submission(facts),
                    report["lesson_digest"],
                    report["grader_version"],
                    datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
                    report["seed"],
                    report["verdict"],
                    report["score"],
                    report["max_score"],
                    json.dumps(dict(stages or {})),
                    packed,
                ),
            )

    def is_graded(self, content: str, student: str, *, lesson: str, lesson_digest: str, grader_version: str) -> bool:
        """Whether this content of this student has a score already, whatever the seed was."""
        return self._scored(lesson, student, content, lesson_digest, grader_version) is not None

    def keep(self, facts: Facts, *, lesson_digest: str, grader_version: str) -> bool:
        """Whether ``facts`` need no grading, because the same content has a score.

        When what is known of the submission has changed, or it comes back after another one, the grading is
        appended again under the new facts, so that the views follow what was received last.
        """
        found = self._scored(facts.lesson, facts.student, facts.content, lesson_digest, grader_version)
        if found is None:
            return False
        newest = self._connection.execute(
            "SELECT gradings.id FROM gradings JOIN submissions ON submissions.id = gradings.submission "
            "WHERE lesson = ? AND student = ? ORDER BY score IS NULL, gradings.id DESC LIMIT 1",
            (facts.lesson, facts.student),
        ).fetchone()
        if newest[0] != found or self._known(facts) is None:
            with self.transaction():
                self._connection.execute(
                    "INSERT INTO gradings SELECT NULL, ?, lesson_digest, grader_version, graded_at, seed, verdict, "
                    "score, max_score, stages, report FROM gradings WHERE id = ?",
                    (self._submission(facts), found),
                )
        return True

    def seed(self, lesson: str, fresh: int) -> int:
        """The seed of all gradings of ``lesson`` in this gradebook: the first ``fresh`` that was offered."""
        with self.transaction():
            row = self._connection.execute("SELECT seed FROM seeds WHERE lesson = ?", (lesson,)).fetchone()
            if row is None:
                drawn_at = datetime.datetime.now(datetime.UTC).isoformat()
                self._connection.execute("INSERT INTO seeds VALUES (?, ?, ?)", (lesson, fresh, drawn_at))
        return fresh if row is None else int(row[0])

    def latest(self, lesson: str | None = None) -> Iterator[Graded]:
        """The newest grading with a score of each student, or the newest where none has one; by student."""
        return self._graded("SELECT * FROM latest WHERE ?1 IS NULL OR lesson = ?1 ORDER BY lesson, student", lesson)

    def best(self, lesson: str | None = None) -> Iterator[Graded]:
        """The grading with the most points of each student, the newest of equal ones; by student."""
        return self._graded("SELECT * FROM best WHERE ?1 IS NULL OR lesson = ?1 ORDER BY lesson, student", lesson)

    def attempts(self, student: str | None = None) -> Iterator[Graded]:
        """Every grading of ``student``, or of all, oldest first; those without a score too."""
        return self._graded("SELECT * FROM attempts WHERE ?1 IS NULL OR student = ?1 ORDER BY grading", student)

    def timings(self, lesson: str) -> Iterator[tuple[str, dict[str, float]]]:
        """Student and seconds by stage of the latest gradings."""
        for row in self._connection.execute(
            "SELECT student, stages FROM latest WHERE lesson = ? ORDER BY student", (lesson,)
        ):
            yield row["student"], json.loads(row["stages"])

    def count(self, lesson: str) -> int:
        """How many students of ``lesson`` have a grading."""
        row = self._connection.execute("SELECT COUNT(DISTINCT student) FROM attempts WHERE lesson = ?", (lesson,))
        return int(row.fetchone()[0])

    def _graded(self, query: str, *values: str | None) -> Iterator[Graded]:
        for row in self._connection.execute(query, values):
            yield Graded(
                student=row["student"],
                name=row["name"],
                file=row["file"],
                sha256=row["sha256"],
                received_at=datetime.datetime.fromisoformat(row["received_at"]) if row["received_at"] else None,
                late=bool(row["late"]),
                attempt=row["attempt"],
                identity=json.loads(row["identity"]),
                graded_at=datetime.datetime.fromisoformat(row["graded_at"]),
                report=json.loads(zlib.decompress(row["report"])),
                score=row["score"],
                max_score=row["max_score"],
            )

    def _scored(self, lesson: str, student: str, content: str, digest: str, version: str) -> int | None:
        row = self._connection.execute(
            "SELECT MAX(gradings.id) FROM gradings JOIN submissions ON submissions.id = gradings.submission "
            "WHERE lesson = ? AND student = ? AND content = ? AND lesson_digest = ? AND grader_version = ? "
            "AND score IS NOT NULL",
            (lesson, student, content, digest, version),
        ).fetchone()
        return None if row[0] is None else int(row[0])

    def _submission(self, facts: Facts) -> int:
        """The row of ``facts``, appended when it is not the student's newest."""
        known = self._known(facts)
        if known is not None:
            return known
        places = ", ".join("?" * 11)
        inserted = self._connection.execute(
            f"INSERT INTO submissions ({FACTS}, source) VALUES ({places})",  # noqa: S608 - names of ours
            (*_row(facts), facts.source),
        )
        assert inserted.lastrowid is not None
        return inserted.lastrowid

    def _known(self, facts: Facts) -> int | None:
        row = self._connection.execute(
            f"SELECT id, {FACTS} FROM submissions WHERE lesson = ? AND student = ? ORDER BY id DESC LIMIT 1",  # noqa: S608
            (facts.lesson, facts.student),
        ).fetchone()
        return int(row[0]) if row is not None and tuple(row)[1:] == _row(facts) else None


def _row(facts: Facts) -> tuple[str | int | None, ...]:
    received_at = None if facts.received_at is None else facts.received_at.astimezone(datetime.UTC).isoformat()
    identity = json.dumps(dict(facts.identity), ensure_ascii=False, sort_keys=True)
    named = (facts.lesson, facts.student, facts.name, facts.file, facts.sha256, facts.content)
    return (*named, received_at, int(facts.late), facts.attempt, identity)
