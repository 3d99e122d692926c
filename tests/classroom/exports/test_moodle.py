"""Moodle: the worksheet filled, the feedback under Moodle's own folder names."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest

from grader.classroom.exports.moodle import moodle
from grader.classroom.exports.points import Points
from grader.errors import UsageError
from grader.model import Verdict

HEADER = [
    "Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed",
    "Last modified (submission)", "Last modified (grade)", "Feedback comments",
]  # fmt: skip


def person(number, name, grade="", *, most="100.00", can="Yes", comment=""):
    mail = f"student-{number}@example.org"
    modified = "Monday, 2 March 2026, 12:00 PM"
    return [f"Participant {number}", name, mail, "Submitted", grade, most, can, modified, "-", comment]


def worksheet(*rows, header=HEADER):
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows([header, *rows])
    return stream.getvalue().encode("utf-8-sig")


def run(graded, raw, *, column=None, page=lambda one: None):
    return moodle(graded, raw, name="Grades.csv", column=column, points=Points(), page=page)


def rows_of(made):
    text = made.files["moodle.csv"].decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_grade_and_comment_are_filled_and_every_other_cell_is_the_same(make_graded):
    rows = [person(41, '="Zoë", Jr.'), person(42, "Student 002")]
    graded = [make_graded("41", passed=2, identity={"participant id": "41"}), make_graded("x", "Student 002")]
    made = run(graded, worksheet(*rows))
    comment = rows_of(made)[0]["Feedback comments"]
    assert comment.startswith(f"<p>Headwork: transformers-01: {graded[0].score} of ")
    rows[0][4], rows[1][4] = str(graded[0].score), "0"
    rows[0][-1], rows[1][-1] = comment, rows_of(made)[1]["Feedback comments"]
    assert made.files["moodle.csv"] == worksheet(*rows)


def test_a_students_text_is_no_markup_in_a_comment(make_graded):
    made = run([make_graded("41", message="<script>alert(1)</script>\x1b[2J")], worksheet(person(41, "S")))
    comment = rows_of(made)[0]["Feedback comments"]
    assert "&lt;script&gt;" in comment
    assert "<script>" not in comment
    assert "\x1b" not in comment


def test_a_comment_of_a_person_is_kept_and_one_of_ours_is_replaced(make_graded):
    rows = [person(41, "A", comment="Well done"), person(42, "B", comment="<p>Headwork: old</p>")]
    made = run([make_graded("41"), make_graded("42")], worksheet(*rows))
    first, second = (row["Feedback comments"] for row in rows_of(made))
    assert first == "Well done"
    assert "old" not in second
    assert "1 feedback comments of someone else stay as they are" in made.notes


def test_a_second_export_changes_nothing(make_graded):
    graded = [make_graded("41", passed=2)]
    once = run(graded, worksheet(person(41, "A"))).files["moodle.csv"]
    assert run(graded, once).files["moodle.csv"] == once


def test_locked_grades_and_a_lower_maximum_stay_as_they_are(make_graded):
    raw = worksheet(person(41, "A", can="No"), person(42, "B", most="5.00"))
    made = run([make_graded("41"), make_graded("42")], raw)
    assert made.files["moodle.csv"] == raw
    assert "locked in Moodle" in made.left[0]
    assert made.left[1].endswith("Moodle's maximum is 5; use --points 5.00")


def test_a_grading_that_failed_gives_no_grade(make_graded):
    raw = worksheet(person(41, "A", "7.00"))
    made = run([make_graded("41", verdict=Verdict.INTERNAL)], raw)
    assert made.files["moodle.csv"] == raw
    assert made.left == ("Student 001 (41): could not be graded; its row stays as it is",)


def test_feedback_lies_in_the_folders_that_moodle_gives_out(make_graded):
    graded = [
        make_graded("41", file="Zoë S_41_assignsubmission_file/main.py"),
        make_graded("42"),
        make_graded("43"),
    ]
    raw = worksheet(person(41, "Zoë S"), person(42, "../a_b:c\n"), person(43, "C"))
    made = run(graded, raw, page=lambda one: None if one.student == "43" else f"page of {one.student}".encode())
    with zipfile.ZipFile(io.BytesIO(made.files["feedback.zip"])) as archive:
        assert archive.namelist() == [
            "Zoë S_41_assignsubmission_file/feedback.html",
            "a bc_42_assignsubmission_file_/feedback.html",
        ]
        assert archive.read(archive.namelist()[1]) == b"page of 42"
    assert "1 students have no page in reports/ and so none in feedback.zip" in made.notes


def test_a_worksheet_in_another_language_is_filled_by_naming_its_column(make_graded):
    raw = b"ID,Name,Bewertung,Zuletzt\nTeilnehmer/in41,A,,-\n"
    with pytest.raises(UsageError, match="no column fits Grade: Name, Bewertung, Zuletzt"):
        run([make_graded("41")], raw)
    made = run([make_graded("41")], raw, column="Bewertung")
    assert made.files["moodle.csv"] == raw.replace(b"A,,", b"A,0,")


def test_another_csv_is_not_taken_for_a_worksheet(make_graded):
    with pytest.raises(UsageError, match=r"Grades\.csv: not a grading worksheet"):
        run([make_graded()], b"a,b,c\nx,y,z\n")
