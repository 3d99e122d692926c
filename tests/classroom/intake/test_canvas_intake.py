"""The Canvas download."""

from __future__ import annotations

import pytest
from builders import MAIN, WHEN, canvas_name, notebook, of, reasons, spread, students, taken, zip_bytes, zipped
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.intake.canvas import agreed, readings
from grader.errors import UsageError


def test_each_student_is_found_by_user_id(tmp_path):
    names = [canvas_name(1, "main.py"), canvas_name(2, "main.py", late=True), canvas_name(3, "main.ipynb")]
    content = dict(zip(names, (MAIN, b"x = 2\n", notebook("x = 3")), strict=True))
    intake = taken(zipped(tmp_path / "submissions.zip", content), tmp_path)
    assert intake.shape == "Canvas download: 3 students"
    assert intake.left_out == ()
    first, second, third = intake.received
    assert (first.student, first.name, first.file, first.late) == ("101", "001student", names[0], False)
    assert (second.student, second.name, second.late) == ("102", "002student", True)
    assert first.identity == {"user id": "101"}
    assert first.received_at == WHEN
    assert [each.read().path for each in intake.received] == names
    assert [each.read().source for each in (first, second)] == [MAIN, b"x = 2\n"]
    assert b"x = 3" in third.read().source


def test_the_unpacked_download_is_recognised_too(tmp_path):
    folder = spread(tmp_path / "submissions", {canvas_name(n, "main.py"): MAIN for n in (1, 2)})
    assert taken(folder, tmp_path).shape == "Canvas download: 2 students"


def test_a_folder_holds_only_the_students_own_files(tmp_path):
    entries = {
        canvas_name(1, "main.py", attachment=1): MAIN,
        canvas_name(1, "helper.py", attachment=2): b"one = 1\n",
        canvas_name(2, "main.py", attachment=3): MAIN,
        canvas_name(2, "secret.py", attachment=4): b"two = 2\n",
    }
    intake = taken(zipped(tmp_path / "c.zip", entries), tmp_path)
    folder = of(intake, "101").read().folder
    assert sorted(path.name for path in folder.iterdir()) == ["helper.py", "main.py"]


@pytest.mark.parametrize(
    ("name", "user", "attachment", "file", "late"),
    [
        ("student001_101_5001_main.py", "101", "5001", "main.py", False),
        ("van_der_student_101_5001_main.py", "101", "5001", "main.py", False),
        ("student001_LATE_101_5001_main.py", "101", "5001", "main.py", True),
        ("student-7-8_101_5001_main_2_3.py", "101", "5001", "main_2_3.py", False),
        ("anon_aB3xY_5001_main.py", "aB3xY", "5001", "main.py", False),
        ("anon_aB3xY_LATE_5001_main.py", "aB3xY", "5001", "main.py", True),
        ("student001_101_text.html", "101", "", "text.html", False),
    ],
)
def test_a_name_is_read_from_the_pair_of_ids(name, user, attachment, file, late):
    (label,) = readings(name)[:1]
    assert (label.user, label.attachment, label.file, label.late) == (user, attachment, file, late)


def test_numbers_in_a_name_are_told_from_ids_by_the_rest_of_the_download(tmp_path):
    odd, file = "student_2_101_5001_main.py", "student002_102_5002_3_4_main.py"
    entries = {odd: MAIN, file: MAIN, canvas_name(3, "main.py"): MAIN}
    intake = taken(zipped(tmp_path / "c.zip", entries), tmp_path)
    assert students(intake) == ["101", "102", "103"]
    assert of(intake, "101").name == "student_2"
    assert "several pairs of numbers" in of(intake, "101").notes[0]


@given(
    name=st.from_regex(r"[a-z]([a-z_-]*[a-z])?", fullmatch=True), file=st.from_regex(r"[a-z_ ()-]+\.py", fullmatch=True)
)
def test_any_name_and_any_file_come_back(name, file):
    full = f"{name}_1234_567890_{file}"
    label = agreed({full: readings(full)})[full]
    late = name.endswith("_late")
    assert (label.name, label.user, label.attachment, label.file) == (
        name[:-5] if late else name,
        "1234",
        "567890",
        file,
    )


def test_the_newest_of_several_resubmissions_is_taken_and_named(tmp_path):
    entries = {
        canvas_name(1, "main.py", attachment=10): b"v = 0\n",
        canvas_name(1, "main-1.py", attachment=11): b"v = 1\n",
        canvas_name(1, "main-2.py", attachment=12): b"v = 2\n",
        canvas_name(1, "helper.py", attachment=9): b"",
    }
    (one,) = taken(zipped(tmp_path / "c.zip", entries), tmp_path).received
    assert one.file == canvas_name(1, "main-2.py", attachment=12)
    assert one.attempt == 3
    assert one.notes[0].startswith(f"3 attempts; took the newest: {one.file}, not ")
    assert one.read().source == b"v = 2\n"
    assert (one.read().folder / "helper.py").exists()


def test_an_empty_newest_file_gives_way_to_the_last_complete_one(tmp_path):
    entries = {canvas_name(1, "main.py", attachment=10): b"v = 0\n", canvas_name(1, "main-1.py", attachment=11): b""}
    (one,) = taken(zipped(tmp_path / "c.zip", entries), tmp_path).received
    assert one.read().source == b"v = 0\n"
    assert "the newest that is complete" in one.notes[0]


def test_a_lesson_file_keeps_its_own_number(tmp_path):
    name = canvas_name(1, "transformers-01.py")
    (one,) = taken(zipped(tmp_path / "c.zip", {name: MAIN}), tmp_path).received
    assert (one.attempt, one.file) == (1, name)
    assert one.read().source == MAIN


def test_a_lesson_file_is_no_newer_version_of_its_neighbour(tmp_path):
    entries = {canvas_name(1, "transformers.py"): b"", canvas_name(1, "transformers-01.py", attachment=7000): MAIN}
    (one,) = taken(zipped(tmp_path / "c.zip", entries), tmp_path).received
    assert (one.attempt, one.read().source) == (1, MAIN)
    assert (one.read().folder / "transformers.py").exists()


def test_a_students_zip_is_opened(tmp_path):
    name = canvas_name(1, "homework.zip")
    entries = {name: zip_bytes({"hw/main.py": MAIN, "__MACOSX/hw/._main.py": b"junk"}), canvas_name(2, "main.py"): MAIN}
    one = of(taken(zipped(tmp_path / "c.zip", entries), tmp_path), "101")
    assert one.file == f"{name}/hw/main.py"
    assert one.read().source == MAIN


@pytest.mark.parametrize("content", [b"no zip", zip_bytes({"main.py": MAIN})[:-30], b""])
def test_a_broken_zip_of_one_student_is_that_students_report(tmp_path, content):
    entries = {canvas_name(1, "homework.zip"): content, canvas_name(2, "main.py"): MAIN}
    intake = taken(zipped(tmp_path / "c.zip", entries), tmp_path)
    assert of(intake, "102").read().source == MAIN
    with pytest.raises(UsageError, match="a broken zip"):
        of(intake, "101").read()
    assert "a broken zip" in reasons(intake)[canvas_name(1, "homework.zip")]


def test_a_text_entry_is_no_file(tmp_path):
    entries = {"student001_101_text.html": b"<p>my answer</p>", canvas_name(2, "main.py"): MAIN}
    intake = taken(zipped(tmp_path / "c.zip", entries), tmp_path)
    with pytest.raises(UsageError, match=r"holds neither a Python file nor a notebook: text\.html"):
        of(intake, "101").read()


def test_what_bears_no_name_of_canvas_is_listed(tmp_path):
    entries = {canvas_name(1, "main.py"): MAIN, "grades.csv": b"a,b"}
    intake = taken(zipped(tmp_path / "c.zip", entries), tmp_path)
    assert students(intake) == ["101"]
    assert "not one of Canvas's" in reasons(intake)["grades.csv"]


def test_two_students_of_one_name_are_told_apart_by_id(tmp_path):
    entries = {canvas_name(n, "main.py", name="student"): b"n = %d\n" % n for n in (1, 2)}
    intake = taken(zipped(tmp_path / "c.zip", entries), tmp_path)
    assert [(each.student, each.read().source) for each in intake.received] == [
        ("101", b"n = 1\n"),
        ("102", b"n = 2\n"),
    ]


def test_anonymous_students_keep_their_id(tmp_path):
    intake = taken(
        zipped(tmp_path / "c.zip", {"anon_aB3xY_5001_main.py": MAIN, "anon_Zz9_5002_main.py": MAIN}), tmp_path
    )
    assert students(intake) == ["anon_Zz9", "anon_aB3xY"]
    assert intake.received[1].identity == {"anonymous id": "aB3xY"}
