"""The gradebook: append-only, careful about files that are not its own, and honest about what counts."""

from __future__ import annotations

import datetime
import hashlib
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.classroom.gradebook import Facts, Gradebook
from grader.classroom.gradebook_file import HEADER
from grader.classroom.migrations import APPLICATION_ID, MIGRATIONS
from grader.errors import UsageError

ODD_NAME = '="Zoë", Jr.'
FACTS = Facts(
    lesson="transformers-01",
    student="s001",
    name=ODD_NAME,
    file="s001/main.py",
    sha256="a" * 64,
    content="c" * 64,
    received_at=datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC),
    late=True,
    attempt=2,
    identity={"user id": "1001", "login": "student-001"},
    source="class.zip",
)


def report(score: int | None, *, digest: str = "d1", version: str = "1.0", max_score: int = 10) -> dict:
    """The parts of a report that the gradebook looks at, and some that it only keeps."""
    return {
        "lesson_digest": digest,
        "grader_version": version,
        "seed": 7,
        "verdict": "internal" if score is None else "pass" if score == max_score else "fail",
        "score": score,
        "max_score": max_score,
        "outcomes": [{"message": "größer als 1 ≠ 2\0", "largest_error": "nan"}],
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gradebook.sqlite"


@pytest.fixture
def gradebook(path: Path):
    with Gradebook.open(path) as opened:
        yield opened


def graded(gradebook: Gradebook, content: str = FACTS.content, **keys: str) -> bool:
    wanted = {"lesson": FACTS.lesson, "lesson_digest": "d1", "grader_version": "1.0", **keys}
    return gradebook.is_graded(content, FACTS.student, **wanted)


def test_a_grading_comes_back_as_it_was_added(gradebook):
    gradebook.add(FACTS, report(4), stages={"run_s": 0.5})
    (one,) = gradebook.latest()
    assert (one.student, one.name, one.file, one.sha256) == ("s001", ODD_NAME, "s001/main.py", "a" * 64)
    assert (one.received_at, one.late, one.attempt, one.identity) == (
        FACTS.received_at,
        True,
        2,
        FACTS.identity,
    )
    assert (one.report, one.score, one.max_score) == (report(4), 4, 10)
    assert one.graded_at.utcoffset() == datetime.timedelta(0)
    assert list(gradebook.timings(FACTS.lesson)) == [("s001", {"run_s": 0.5})]


def test_a_failed_regrade_is_kept_but_never_replaces_a_score(gradebook):
    gradebook.add(FACTS, report(4))
    gradebook.add(FACTS, report(None))
    assert [one.score for one in gradebook.latest()] == [4]
    assert [one.score for one in gradebook.best()] == [4]
    assert [one.score for one in gradebook.attempts("s001")] == [4, None]


def test_a_student_whose_grading_failed_is_listed_without_a_score_until_there_is_one(gradebook):
    gradebook.add(FACTS, report(None))
    assert [one.score for one in gradebook.latest()] == [None]
    assert not graded(gradebook)
    gradebook.add(FACTS, report(0))
    assert [one.score for one in gradebook.latest()] == [0]
    assert graded(gradebook)


def test_best_weighs_points_against_what_there_was_to_get(gradebook):
    gradebook.add(FACTS, report(10, max_score=10))
    gradebook.add(FACTS, report(12, max_score=20))
    assert [one.score for one in gradebook.best()] == [10]
    assert [one.score for one in gradebook.latest()] == [12]


@pytest.mark.parametrize(
    "other", [{"content": "e" * 64}, {"lesson_digest": "d2"}, {"grader_version": "1.1"}, {"lesson": "transformers-02"}]
)
def test_only_the_same_content_lesson_and_version_count_as_graded(gradebook, other):
    gradebook.add(FACTS, report(4))
    assert graded(gradebook)
    assert not graded(gradebook, **other)


def test_a_submission_that_comes_back_after_another_counts_without_being_graded_again(gradebook):
    second = replace(FACTS, content="e" * 64)
    gradebook.add(FACTS, report(4))
    gradebook.add(second, report(9))
    assert gradebook.keep(FACTS, lesson_digest="d1", grader_version="1.0")
    assert [one.score for one in gradebook.latest()] == [4]
    assert gradebook.keep(FACTS, lesson_digest="d1", grader_version="1.0")
    assert len(list(gradebook.attempts("s001"))) == 3


def test_what_is_newly_known_of_a_graded_submission_is_noted(gradebook):
    gradebook.add(FACTS, report(4))
    assert gradebook.keep(replace(FACTS, late=False), lesson_digest="d1", grader_version="1.0")
    (one,) = gradebook.latest()
    assert (one.late, one.score) == (False, 4)


def test_a_transaction_that_fails_leaves_nothing(gradebook):
    with pytest.raises(ZeroDivisionError), gradebook.transaction():
        gradebook.add(FACTS, report(4))
        raise ZeroDivisionError
    assert list(gradebook.attempts()) == []


def test_the_seed_of_a_lesson_is_drawn_once(path):
    with Gradebook.open(path) as first:
        assert (first.seed("a", 5), first.seed("b", 6)) == (5, 6)
    with Gradebook.open(path) as again:
        assert (again.seed("a", 7), again.seed("b", 8)) == (5, 6)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE gradings SET score = 10",
        "DELETE FROM gradings",
        "INSERT OR REPLACE INTO gradings SELECT 1, submission, lesson_digest, grader_version, graded_at, seed, "
        "verdict, 10, max_score, stages, report FROM gradings",
        "UPDATE submissions SET student = 's002'",
        "DELETE FROM submissions",
        "UPDATE seeds SET seed = 1",
        "INSERT OR REPLACE INTO seeds VALUES ('transformers-01', 1, '')",
    ],
)
def test_any_program_is_refused_that_changes_a_row(gradebook, path, statement):
    gradebook.add(FACTS, report(4))
    gradebook.seed(FACTS.lesson, 5)
    with (
        closing(sqlite3.connect(path)) as other,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        other.execute(statement)


def test_a_grading_of_no_submission_is_refused(gradebook):
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        gradebook._connection.execute("INSERT INTO gradings VALUES (1, 99, '', '', '', 0, '', 0, 0, '', x'')")


def test_readers_read_while_a_writer_writes(gradebook, path):
    gradebook.add(FACTS, report(4))
    with Gradebook.read(path) as reader, gradebook.transaction():
        gradebook.add(FACTS, report(5))
        assert [one.score for one in reader.latest()] == [4]


def test_reading_names_the_command_that_makes_a_gradebook_and_makes_none(tmp_path):
    with pytest.raises(UsageError, match="no gradebook; name the folder that grade batch wrote"):
        Gradebook.read(tmp_path)
    assert list(tmp_path.iterdir()) == []


def of_newer_version(path: Path) -> None:
    with Gradebook.open(path):
        pass
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        other.execute("PRAGMA journal_mode = DELETE")


def of_other_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")


def no_database(path: Path) -> None:
    path.write_bytes(b"name,score\ns001,4\n" * 100)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (of_newer_version, "written by a newer Headwork"),
        (of_other_program, "a database of another program"),
        (no_database, "not even a database"),
    ],
)
def test_a_file_that_is_not_ours_to_write_is_refused_and_untouched(path, make, message):
    make(path)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(UsageError, match=message):
        Gradebook.open(path)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_gradebook_of_every_older_version_is_brought_up_to_date(tmp_path):
    for version in range(1, len(MIGRATIONS)):
        path = tmp_path / f"{version}.sqlite"
        with closing(sqlite3.connect(path, isolation_level=None)) as old:
            for statement in (each for step in MIGRATIONS[:version] for each in step):
                old.execute(statement)
            old.execute(f"PRAGMA user_version = {version}")
            old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        with Gradebook.open(path) as gradebook:
            gradebook.add(FACTS, report(4))
            assert [one.score for one in gradebook.latest()] == [4]


def test_an_empty_file_becomes_a_gradebook_that_says_what_it_is(path):
    path.touch()
    with Gradebook.open(path):
        pass
    _, version, application = HEADER.unpack(path.read_bytes()[: HEADER.size])
    assert (version, application) == (len(MIGRATIONS), APPLICATION_ID)


@given(content=st.binary(min_size=1, max_size=300))
@settings(max_examples=50, deadline=None)
def test_whatever_lies_there_is_refused_with_a_sentence(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("odd") / "gradebook.sqlite"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="nothing was changed"):
        Gradebook.open(path)
    assert path.read_bytes() == content


def test_a_damaged_gradebook_is_refused_with_a_sentence(path):
    with Gradebook.open(path):
        pass
    raw = path.read_bytes()
    path.write_bytes(raw[:100] + b"\xff" * (len(raw) - 100))
    with pytest.raises(UsageError, match="restore a copy"):
        Gradebook.open(path)


WRITER = """
import sys
from pathlib import Path
from tests.classroom.test_gradebook import FACTS, report
from grader.classroom.gradebook import Gradebook
with Gradebook.open(Path(sys.argv[1])) as gradebook:
    for score in range(10_000):
        gradebook.add(FACTS, report(score, max_score=10_000))
        print(score, flush=True)
"""


def test_what_was_said_to_be_written_survives_a_kill(path):
    root = Path(__file__).parent.parent.parent
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], cwd=root, stdout=subprocess.PIPE, encoding="utf-8"
    )
    assert writer.stdout is not None
    with writer:
        said = [int(next(writer.stdout)) for _ in range(50)]
        writer.send_signal(signal.SIGKILL)
        said += [int(line) for line in writer.stdout if line.endswith("\n")]
    with Gradebook.open(path) as gradebook:
        scores = [one.score for one in gradebook.attempts()]
    assert scores[: len(said)] == said
    assert len(scores) <= len(said) + 1
