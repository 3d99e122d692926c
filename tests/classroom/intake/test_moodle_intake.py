"""The Moodle download."""

from __future__ import annotations

import pytest
from builders import MAIN, WHEN, moodle_name, of, reasons, spread, students, taken, zip_bytes, zipped

from grader.errors import UsageError


@pytest.mark.parametrize("kind", ["file_", "file"])
def test_folders_give_participants(tmp_path, kind):
    entries = {f"{moodle_name(n, kind=kind)}/main.py": b"n = %d\n" % n for n in (1, 2)}
    intake = taken(zipped(tmp_path / "m.zip", entries), tmp_path)
    assert intake.shape == "Moodle download: 2 students"
    one = of(intake, "9001")
    assert (one.name, one.identity, one.received_at) == ("Student 001", {"participant id": "9001"}, WHEN)
    assert one.file == f"{moodle_name(1, kind=kind)}/main.py"
    assert one.read().source == b"n = 1\n"


def test_the_older_flat_form_gives_participants(tmp_path):
    entries = {
        f"{moodle_name(1)}main.py": MAIN,
        f"{moodle_name(1)}helper.py": b"",
        f"{moodle_name(2)}main (1).py": MAIN,
    }
    intake = taken(zipped(tmp_path / "m.zip", entries), tmp_path)
    assert students(intake) == ["9001", "9002"]
    assert sorted(path.name for path in of(intake, "9001").read().folder.iterdir()) == ["helper.py", "main.py"]
    assert of(intake, "9002").read().source == MAIN


@pytest.mark.parametrize("name", ["Under_score 001", "Student_12_x", '="Zoë", Jr.', "学生 001", "A_1_2"])
def test_a_name_may_hold_anything(tmp_path, name):
    (one,) = taken(spread(tmp_path / "m", {f"{moodle_name(1, name=name)}/main.py": MAIN}), tmp_path).received
    assert (one.student, one.name) == ("9001", name)
    assert one.read().source == MAIN


def test_typed_text_is_said_beside_a_file_and_alone(tmp_path):
    entries = {
        f"{moodle_name(1)}/main.py": MAIN,
        f"{moodle_name(1, kind='onlinetext_')}/onlinetext.html": b"<p>hello</p>",
        f"{moodle_name(2, kind='onlinetext_')}/onlinetext.html": b"<p>hello</p>",
    }
    intake = taken(zipped(tmp_path / "m.zip", entries), tmp_path)
    assert of(intake, "9001").read().source == MAIN
    for student in ("9001", "9002"):
        assert "text typed into Moodle is not graded" in of(intake, student).notes[0]
    with pytest.raises(UsageError, match="nothing was handed in"):
        of(intake, "9002").read()


def test_two_students_of_one_name_are_told_apart_by_id(tmp_path):
    entries = {f"{moodle_name(n, name='Student')}/main.py": b"n = %d\n" % n for n in (1, 2)}
    assert students(taken(zipped(tmp_path / "m.zip", entries), tmp_path)) == ["9001", "9002"]


def test_an_empty_folder_is_a_student_who_handed_in_nothing(tmp_path):
    entries = {f"{moodle_name(1)}/": b"", f"{moodle_name(2)}/main.py": MAIN}
    intake = taken(zipped(tmp_path / "m.zip", entries), tmp_path)
    with pytest.raises(UsageError, match=rf"^{moodle_name(1)}: nothing was handed in"):
        of(intake, "9001").read()


def test_a_zip_and_a_stranger_in_the_download(tmp_path):
    entries = {f"{moodle_name(1)}/hw.zip": zip_bytes({"main.py": MAIN}), "readme.txt": b""}
    intake = taken(zipped(tmp_path / "m.zip", entries), tmp_path)
    assert of(intake, "9001").file == f"{moodle_name(1)}/hw.zip/main.py"
    assert "not one of Moodle's" in reasons(intake)["readme.txt"]
