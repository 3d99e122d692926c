"""The numbered steps that lead from an empty file to the gradebook's tables."""

from __future__ import annotations

import sqlite3

# "HwGB", in the header of every gradebook: a file with another number is another program's.
APPLICATION_ID = 0x48774742


def _append_only(table: str, key: str = "id") -> tuple[str, ...]:
    """Triggers that refuse every change of a row that is there, INSERT OR REPLACE too."""
    refuse = "BEGIN SELECT RAISE(ABORT, 'the gradebook is append-only'); END"
    exists = f"EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key})"  # noqa: S608 - names of ours
    return (
        f"CREATE TRIGGER {table}_update BEFORE UPDATE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_delete BEFORE DELETE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_replace BEFORE INSERT ON {table} WHEN {exists} {refuse}",
    )


def _first_of_each_student(view: str, order: str) -> str:
    """A view with one grading per lesson and student: the first in ``order``; the window sorts numbers only."""
    place = f"ROW_NUMBER() OVER (PARTITION BY submissions.lesson, submissions.student ORDER BY {order}) AS place"
    joined = "gradings JOIN submissions ON submissions.id = gradings.submission"
    ordered = f"(SELECT gradings.id AS id, {place} FROM {joined}) AS ordered"  # noqa: S608 - columns of ours
    chosen = f"attempts JOIN {ordered} ON ordered.id = attempts.grading WHERE ordered.place = 1"
    return f"CREATE VIEW {view} AS SELECT attempts.* FROM {chosen}"  # noqa: S608


MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (  # 1: what was received; content covers the file and its neighbours
        "CREATE TABLE submissions (id INTEGER PRIMARY KEY, lesson TEXT NOT NULL, student TEXT NOT NULL, "
        "name TEXT NOT NULL, file TEXT NOT NULL, sha256 TEXT NOT NULL, content TEXT NOT NULL, received_at TEXT, "
        "late INTEGER NOT NULL, attempt INTEGER NOT NULL, identity TEXT NOT NULL, source TEXT NOT NULL) STRICT",
        "CREATE INDEX submissions_by_student ON submissions (lesson, student)",
    ),
    (  # 2: what came of it; report is JSON in zlib, stages are seconds
        "CREATE TABLE gradings (id INTEGER PRIMARY KEY, submission INTEGER NOT NULL REFERENCES submissions (id), "
        "lesson_digest TEXT NOT NULL, grader_version TEXT NOT NULL, graded_at TEXT NOT NULL, seed INTEGER NOT NULL, "
        "verdict TEXT NOT NULL, score INTEGER, max_score INTEGER NOT NULL, stages TEXT NOT NULL, "
        "report BLOB NOT NULL) STRICT",
        "CREATE INDEX gradings_by_submission ON gradings (submission)",
    ),
    (  # 3: the seed of a lesson, drawn once
        "CREATE TABLE seeds (lesson TEXT PRIMARY KEY, seed INTEGER NOT NULL, drawn_at TEXT NOT NULL) STRICT",
    ),
    (*_append_only("submissions"), *_append_only("gradings"), *_append_only("seeds", "lesson")),  # 4
    (  # 5: a grading without a score never stands before one with a score
        "CREATE VIEW attempts AS SELECT gradings.id AS grading, lesson, student, name, file, sha256, content, "
        "received_at, late, attempt, identity, source, lesson_digest, grader_version, graded_at, seed, verdict, "
        "score, max_score, stages, report FROM gradings JOIN submissions ON submissions.id = gradings.submission",
        _first_of_each_student("latest", "gradings.score IS NULL, gradings.id DESC"),
        _first_of_each_student(
            "best",
            "gradings.score IS NULL, CAST(gradings.score AS REAL) / MAX(gradings.max_score, 1) DESC, gradings.id DESC",
        ),
    ),
)


def migrate(connection: sqlite3.Connection) -> None:
    """Apply the steps that the file lacks, each in a transaction of its own that also counts it."""
    for number in range(version_of(connection), len(MIGRATIONS)):
        connection.execute("BEGIN IMMEDIATE")
        try:
            if version_of(connection) == number:  # no other process was faster
                for statement in MIGRATIONS[number]:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {number + 1}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def version_of(connection: sqlite3.Connection) -> int:
    """How many steps the file has had."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
