"""grades.csv, as a spreadsheet and as a program read it."""

from __future__ import annotations

import csv

import pytest

from grader.classroom.exports.table import write_grades
from grader.errors import UsageError
from grader.model import Verdict


def read(path):
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_row_per_student_and_a_column_per_check(tmp_path, lesson, make_graded):
    write_grades(tmp_path / "grades.csv", iter([make_graded(passed=3), make_graded("s002")]), lesson)
    first, second = read(tmp_path / "grades.csv")
    checks = [check.name for check in lesson.checks]
    assert list(first)[-len(checks) :] == checks
    assert [first[name] for name in checks[:4]] == [*(str(check.points) for check in lesson.checks[:3]), "0"]
    assert int(first["score"]) == sum(check.points for check in lesson.checks[:3])
    assert (first["max_score"], second["student"], second["score"]) == (str(lesson.max_score), "s002", "0")
    assert first["graded_at"] == "2026-03-02T12:00:00+00:00"


def test_names_survive_and_formulas_do_not(tmp_path, lesson, make_graded):
    odd = ['="Zoë", Jr.', "@x", "a,b;c\nd", "\t=1"]
    write_grades(tmp_path / "grades.csv", [make_graded(f"s{n}", name) for n, name in enumerate(odd)], lesson)
    assert [row["name"] for row in read(tmp_path / "grades.csv")] == ['\'="Zoë", Jr.', "'@x", "a,b;c d", "'=1"]
    assert (tmp_path / "grades.csv").read_bytes().startswith(b"\xef\xbb\xbfstudent,")


def test_a_grading_that_failed_is_empty_and_never_zero(tmp_path, lesson, make_graded):
    write_grades(tmp_path / "grades.csv", [make_graded(passed=1, verdict=Verdict.INTERNAL, late=True)], lesson)
    (row,) = read(tmp_path / "grades.csv")
    assert (row["score"], row[lesson.checks[1].name], row["late"]) == ("", "", "late")
    assert row[lesson.checks[0].name] == str(lesson.checks[0].points)


def test_what_breaks_off_leaves_the_old_file_whole(tmp_path, lesson, make_graded):
    path = tmp_path / "grades.csv"
    write_grades(path, [make_graded()], lesson)
    before = path.read_bytes()

    def broken():
        yield make_graded(passed=2)
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        write_grades(path, broken(), lesson)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_named(tmp_path, lesson):
    with pytest.raises(UsageError, match=r"grades\.csv: cannot be written"):
        write_grades(tmp_path / "missing" / "grades.csv", [], lesson)
