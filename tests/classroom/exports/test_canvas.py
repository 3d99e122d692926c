"""Canvas: its export comes back with one column filled and every other byte the same."""

from __future__ import annotations

import csv
import io

import pytest

from grader.classroom.exports.canvas import canvas
from grader.classroom.exports.points import Points, parse_points
from grader.errors import UsageError
from grader.model import Verdict

TITLES = ("transformers-01", "Attention from small pieces")
HEADER = [
    "Student",
    "ID",
    "SIS User ID",
    "SIS Login ID",
    "Section",
    "Essay (11)",
    "transformers-01 (12)",
    "Final Score",
]
ABOVE = [
    ["", "", "", "", "", "Manual Posting", "", ""],
    ["    Points Possible", "", "", "", "", "10.00", "28.00", "(read only)"],
]
TEST_STUDENT = ["Student, Test", "99", "", "0a1b", "Section A", "", "", ""]


def people(*rows, header=HEADER, delimiter=",", ending="\n", encoding="utf-8", quoting=csv.QUOTE_MINIMAL):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=ending, quoting=quoting)
    writer.writerows([header, *ABOVE, *rows, TEST_STUDENT])
    return stream.getvalue().encode(encoding)


def person(name, number, score="", sis="", login=""):
    return [name, number, sis, login, "Section A", "8.5", score, "85.0"]


def texts(raw, delimiter=","):
    return list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), delimiter=delimiter))


def run(graded, raw, *, column=None, points=None, titles=TITLES):
    return canvas(graded, raw, name="grades.csv", column=column, points=points or Points(), titles=titles)


@pytest.mark.parametrize("delimiter", [",", ";"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_one_column_is_filled_and_every_other_byte_is_the_same(make_graded, delimiter, ending, encoding, quoting):
    name = '="Zoë", Jr.'
    facts = {"delimiter": delimiter, "ending": ending, "encoding": encoding, "quoting": quoting}
    graded = [make_graded("s001", name, passed=3, identity={"user id": "501"}), make_graded("502", "Student 002")]
    made = run(graded, people(person(name, "501"), person("002, Student", "502"), **facts))
    score = str(graded[0].score)
    assert made.files["canvas.csv"] == people(person(name, "501", score), person("002, Student", "502", "0"), **facts)
    assert made.left == ()


def test_latin_names_of_an_excel_file_keep_their_bytes(make_graded):
    raw = people(person("Zoë, S", "501"), encoding="cp1252")
    made = run([make_graded("501", passed=1)], raw)
    assert made.files["canvas.csv"].decode("cp1252") != raw.decode("cp1252")
    assert b"Zo\xeb" in made.files["canvas.csv"]


def test_students_are_found_by_each_id_and_at_last_by_a_name_that_is_unique(make_graded):
    rows = [
        person("One, Student", "1"),
        person("Two, Student", "2", sis="A-2"),
        person("Three, Student", "3", login="student-003"),
        person("Four, Student", "4", login="student-004"),
        person("Five, Student", "5"),
        person("Six, Student", "6"),
    ]
    graded = [
        make_graded("x1", "", passed=1, identity={"user id": "1"}),
        make_graded("x2", "", passed=1, identity={"sis user id": "a-2"}),
        make_graded("x3", "", passed=1, identity={"login": "student-003"}),
        make_graded("student-004", "", passed=1),
        make_graded("x5", "Student Five", passed=1),
        make_graded("x6", "sixstudent", passed=1),  # as Canvas writes it in file names
    ]
    made = run(graded, people(*rows))
    score = str(graded[0].score)
    assert [row[6] for row in texts(made.files["canvas.csv"])[3:9]] == [score] * 6
    assert [line.endswith("(found by name)") for line in made.changes] == [False] * 4 + [True] * 2


def test_two_students_of_one_name_stop_their_rows_and_no_other(make_graded):
    raw = people(person("Doe, Student", "1"), person("Doe, Student", "2"), person("003, Student", "3"))
    made = run([make_graded("a", "Student Doe"), make_graded("b", "Student Doe"), make_graded("3", passed=1)], raw)
    filled = [row[6] for row in texts(made.files["canvas.csv"])[3:]]
    assert filled[:2] == ["", ""]
    assert filled[2] != ""
    assert made.left[0] == (
        "Student Doe (a): 2 students are called Student Doe and nothing else tells them apart; "
        "enter it by hand, or give a roster with ids"
    )
    assert "Doe, Student (row 4): no submission was graded" in made.left


def test_two_students_of_one_name_with_ids_are_told_apart(make_graded):
    raw = people(person("Doe, Student", "1"), person("Doe, Student", "2"))
    made = run([make_graded("1", "Student Doe", passed=1), make_graded("2", "Student Doe")], raw)
    assert [row[6] for row in texts(made.files["canvas.csv"])[3:5]] == [made.changes[0].split(": ")[1], "0"]


def test_an_id_that_is_not_in_the_file_is_not_replaced_by_a_name(make_graded):
    made = run([make_graded("x", "Student One", identity={"user id": "7"})], people(person("One, Student", "1")))
    assert made.files["canvas.csv"] == people(person("One, Student", "1"))
    assert made.left[0] == "Student One (x): no row has 7 as ID"


def test_the_number_that_gradescope_or_nbgrader_call_user_id_is_looked_for_in_every_id_column(make_graded):
    raw = people(person("One, Student", "1", sis="9001"), person("Two, Student", "2", login="student-002"))
    graded = [
        make_graded("9001", "", identity={"user id": "9001", "submission id": "5"}),
        make_graded("student-002", "", identity={"user id": "student-002"}),
    ]
    made = run(graded, raw)
    assert made.left == ()
    unknown = make_graded("9003", "Student One", identity={"user id": "9003", "submission id": "6"})
    assert run([unknown], raw).changes == ("Student One (9003): 0 (found by name)",)


def test_a_row_that_two_claim_goes_to_neither(make_graded):
    raw = people(person("One, Student", "1", login="student-001"))
    made = run([make_graded("1"), make_graded("student-001")], raw)
    assert made.files["canvas.csv"] == raw
    assert "the row is claimed by 1 and student-001" in made.left[0]


def test_a_score_that_is_there_already_is_named_when_it_differs_and_kept_when_not(make_graded):
    graded = [make_graded("1"), make_graded("2")]
    made = run(graded, people(person("One, S", "1", "3.5"), person("Two, S", "2", "0.00")))
    assert made.changes == ("Student 001 (1): 0 instead of 3.5", "Student 001 (2): 0.00, there already")
    assert made.files["canvas.csv"] == people(person("One, S", "1", "0"), person("Two, S", "2", "0.00"))


def test_the_excused_the_unassigned_and_the_ungraded_stay_as_they_are(make_graded):
    raw = people(person("One, S", "1", "EX"), person("Two, S", "2", "N/A"), person("Three, S", "3", "5"))
    graded = [make_graded("1"), make_graded("2"), make_graded("3", verdict=Verdict.INTERNAL)]
    made = run(graded, raw)
    assert made.files["canvas.csv"] == raw
    assert [line.partition(": ")[2] for line in made.left] == [
        "excused in Canvas (EX); its row stays as it is",
        "not assigned to them in Canvas (N/A); its row stays as it is",
        "could not be graded; its row stays as it is",
    ]


def test_points_are_scaled_and_written_with_the_decimal_sign_of_the_file(make_graded, lesson):
    graded = make_graded("1", passed=1)
    share = graded.score / lesson.max_score
    made = run([graded], people(person("One, S", "1")), points=parse_points("10"))
    assert float(texts(made.files["canvas.csv"])[3][6]) == pytest.approx(10 * share, abs=0.005)
    comma = (
        people(person("One, S", "1"), delimiter=";")
        .replace(b".00", b",00")
        .replace(b".5", b",5")
        .replace(b".0;", b",0;")
    )
    comma = comma.replace(b"85.0", b"85,0")
    made = run([graded], comma, points=parse_points("10"))
    assert float(texts(made.files["canvas.csv"], ";")[3][6].replace(",", ".")) == pytest.approx(10 * share, abs=0.005)
    assert b"." not in made.files["canvas.csv"]


def test_other_points_than_canvas_expects_are_named(make_graded, lesson):
    made = run([make_graded("1")], people(person("One, S", "1")).replace(b"28.00", b"7.50"))
    assert made.notes[1] == (
        f"Points Possible is 7.5 and full marks come to {lesson.max_score}; --points 7.5 makes them the same"
    )


@pytest.mark.parametrize("column", ["transformers-01 (12)", "(12)", "12", "TRANSFORMERS-01", None])
def test_a_column_is_named_by_header_id_or_title(make_graded, column):
    made = run([make_graded("1", passed=1)], people(person("One, S", "1")), column=column)
    assert made.notes[0] == "column: transformers-01 (12)"
    assert texts(made.files["canvas.csv"])[3][6] != ""


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("Quiz", "no column fits Quiz: Essay (11), transformers-01 (12); name one with --column"),
        ("ID", "no column fits ID: Essay"),
        ("Final Score", "Final Score is computed by Canvas; name another with --column"),
    ],
)
def test_a_column_that_cannot_be_filled_is_refused(make_graded, column, message):
    with pytest.raises(UsageError) as caught:
        run([make_graded("1")], people(person("One, S", "1")), column=column)
    assert message in str(caught.value)


def test_two_assignments_of_one_title_are_listed(make_graded):
    header = [*HEADER[:5], "transformers-01 (11)", *HEADER[6:]]
    with pytest.raises(UsageError) as caught:
        run([make_graded("1")], people(person("One, S", "1"), header=header))
    assert "several columns fit" in str(caught.value)
    assert "transformers-01 (11), transformers-01 (12)" in str(caught.value)


def test_another_csv_is_not_taken_for_a_gradebook(make_graded):
    with pytest.raises(UsageError, match=r"grades\.csv: not a Canvas gradebook export"):
        run([make_graded()], b"name,grade\nx,1\n")


def test_first_and_last_name_in_two_columns_are_one_name(make_graded):
    raw = b"LastName,FirstName,ID,Section,transformers-01 (12)\n,,,,28\nOne,Student,1,A,\n"
    made = run([make_graded("x", "Student One")], raw)
    assert made.files["canvas.csv"] == raw[:-1] + b"0\n"


@pytest.mark.parametrize(
    "raw", [b"LastName,ID,transformers-01 (12)\nOne,1,\n", b"ID,Student,transformers-01 (12)\n1\n"]
)
def test_rows_and_headers_that_end_early_are_no_reason_to_stop(make_graded, raw):
    made = run([make_graded("1")], raw)
    assert len([*made.changes, *made.left]) == 1
