"""Plain folders of students."""

from __future__ import annotations

import unicodedata

import pytest
from builders import MAIN, WHEN, of, reasons, spread, students, taken, zip_bytes, zipped

from grader.errors import UsageError

CLASS = {"s001/main.py": b"n = 1\n", "s002/main.py": b"n = 2\n", "s003/main.py": b"n = 3\n"}


def test_a_folder_per_student(tmp_path):
    intake = taken(spread(tmp_path / "class", CLASS), tmp_path)
    assert intake.shape == "plain folder: 3 students"
    assert [(one.student, one.name, one.file) for one in intake.received] == [
        (f"s00{n}", f"s00{n}", f"s00{n}/main.py") for n in (1, 2, 3)
    ]
    assert [one.read().source for one in intake.received] == list(CLASS.values())
    assert intake.received[0].received_at == WHEN
    assert intake.left_out == ()


def test_a_file_per_student(tmp_path):
    entries = {"s001.py": MAIN, "s002.py": MAIN, "s002.ipynb": b"{", "s003.zip": zip_bytes({"main.py": MAIN})}
    intake = taken(spread(tmp_path / "class", entries), tmp_path)
    assert students(intake) == ["s001", "s002", "s003"]
    assert [one.file for one in intake.received] == ["s001.py", "s002.py", "s003.zip/main.py"]
    folders = [one.read().folder for one in intake.received]
    assert [[path.name for path in folder.iterdir() if path.suffix == ".py"] for folder in folders] == [["main.py"]] * 3


@pytest.mark.parametrize("top", ["", "class/", "class/week 1/", "class/class/"])
@pytest.mark.parametrize(
    "entries", [CLASS, {"s001.py": MAIN, "s002.py": MAIN, "s003.py": MAIN}], ids=["folders", "files"]
)
def test_extra_top_folders_do_not_count(tmp_path, top, entries):
    source = zipped(tmp_path / "class.zip", {top + name: content for name, content in entries.items()})
    assert students(taken(source, tmp_path)) == ["s001", "s002", "s003"]


def test_a_zip_of_a_zip_gives_the_same(tmp_path):
    zipped(tmp_path / "outer.zip", {"class.zip": zip_bytes(CLASS)})
    intake = taken(tmp_path / "outer.zip", tmp_path)
    assert students(intake) == ["s001", "s002", "s003"]
    assert intake.received[0].file == "class.zip/s001/main.py"


def test_files_some_folders_deeper_belong_to_the_student_on_top(tmp_path):
    entries = {"s001/hw/src/main.py": MAIN, "s002/main.py": MAIN, "s003/transformers-01/main.py": MAIN}
    intake = taken(spread(tmp_path / "class", entries), tmp_path)
    assert {one.student: one.file for one in intake.received} == {name.split("/")[0]: name for name in entries}


def test_one_student_deep_in_the_folders_is_not_lost(tmp_path):
    for name, student in (("s001/main.py", "s001"), ("top/s001/main.py", "s001"), ("top/s001/src/main.py", "s001")):
        (one,) = taken(zipped(tmp_path / "c.zip", {name: MAIN, f"{name[:-7]}data.csv": b""}), tmp_path).received
        assert one.student == student


def test_sections_hold_students_and_equal_names_are_kept_apart_and_said(tmp_path):
    entries = {f"section {n}/{who}/main.py": who.encode() + b"=%d" % n for n in (1, 2) for who in ("s001", f"t00{n}")}
    intake = taken(spread(tmp_path / "class", entries | {"section 3/u001/main.py": MAIN}), tmp_path)
    assert students(intake) == ["section 1_s001", "section 2_s001", "t001", "t002", "u001"]
    assert of(intake, "section 2_s001").file == "section 2/s001/main.py"
    assert of(intake, "section 2_s001").notes == ("2 submissions bear the name s001; this one is section 2_s001",)
    assert of(intake, "section 1_s001").read().source == b"s001=1"


def test_the_keys_of_namesakes_do_not_depend_on_who_else_is_there(tmp_path):
    sections = {f"section {n}/s001/main.py": b"a = %d\n" % n for n in (1, 2, 3)}
    all_three = taken(spread(tmp_path / "all", sections | {"section 1/t001/main.py": MAIN}), tmp_path)
    later = {path: text for path, text in sections.items() if "2" not in path}
    two = taken(spread(tmp_path / "two", later | {"section 1/t001/main.py": MAIN}), tmp_path)
    shared = {one.student: one.read().source for one in two.received}
    assert shared.items() <= {one.student: one.read().source for one in all_three.received}.items()


def test_a_file_and_a_folder_of_one_name_are_kept_apart(tmp_path):
    intake = taken(spread(tmp_path / "class", {"s001/main.py": b"a = 1\n", "s001.py": b"a = 2\n"}), tmp_path)
    assert [(one.student, one.read().source) for one in intake.received] == [
        ("s001", b"a = 1\n"),
        ("s001 (files)", b"a = 2\n"),
    ]


@pytest.mark.parametrize("names", [("S001", "s001"), tuple(unicodedata.normalize(f, "Zoë") for f in ("NFC", "NFD"))])
def test_names_that_only_differ_in_spelling_are_kept_apart(tmp_path, names):
    source = spread(tmp_path / "class", {f"{name}/main.py": b"n = %d\n" % n for n, name in enumerate(names)})
    for place in (source, zipped(tmp_path / "c.zip", {f"{name}/main.py": b"%d\n" % n for n, name in enumerate(names)})):
        intake = taken(place, tmp_path)
        assert len({one.student.casefold() for one in intake.received}) == 2
        assert len({one.read().source for one in intake.received}) == 2
        assert all("bear the name" in one.notes[0] for one in intake.received)


def test_names_with_commas_quotes_signs_and_other_scripts_come_through(tmp_path):
    names = ['="Zoë", Jr.', "学生 001", "student with  spaces", "+s001", "s'001"]
    intake = taken(spread(tmp_path / "class", {f"{name}/main.py": MAIN for name in names}), tmp_path)
    assert sorted(one.name for one in intake.received) == sorted(names)
    assert all(one.read().source == MAIN for one in intake.received)


@pytest.mark.parametrize("name", ["CON", "nul", "aux.txt"])
def test_no_student_gets_a_name_that_windows_reserves(tmp_path, name):
    (one,) = taken(spread(tmp_path / "class", {f"{name}/main.py": MAIN}), tmp_path).received
    assert (one.student, one.name) == (f"{name}_", name)


def test_an_empty_folder_is_a_student_who_handed_in_nothing(tmp_path):
    intake = taken(spread(tmp_path / "class", {**CLASS, "s004/": b"", "s005/inner/": b"", "s006/a.pdf": b""}), tmp_path)
    assert students(intake) == [f"s00{n}" for n in range(1, 7)]
    for student, why in (("s004", "nothing was handed in"), ("s005", "nothing"), ("s006", "neither a Python file nor")):
        with pytest.raises(UsageError, match=f"^{student}: .*{why}"):
            of(intake, student).read()


def test_folders_called_attempts_are_one_students_and_the_newest_complete_one_counts(tmp_path):
    entries = {"s001/attempt 2/main.py": b"n = 2\n", "s001/attempt 10/main.py": b"n = 10\n", "s001/attempt 11/": b""}
    intake = taken(spread(tmp_path / "class", {**entries, "s002/main.py": MAIN}), tmp_path)
    one = of(intake, "s001")
    assert (one.attempt, one.file, one.read().source) == (10, "s001/attempt 10/main.py", b"n = 10\n")
    assert "3 attempts; took the newest that is complete: s001/attempt 10/main.py" in one.notes[0]


def test_a_copy_beside_a_students_file_is_a_later_attempt(tmp_path):
    intake = taken(
        spread(tmp_path / "class", {"s001.py": b"", "s001 (1).py": MAIN, "s-1.py": MAIN, "s-2.py": MAIN}), tmp_path
    )
    assert students(intake) == ["s-1", "s-2", "s001"]
    assert (of(intake, "s001").attempt, of(intake, "s001").file) == (2, "s001 (1).py")


def test_the_folder_of_one_student_is_one_student(tmp_path):
    (one,) = taken(spread(tmp_path / "s001", {"main.py": MAIN, "lib/helper.py": b""}), tmp_path).received
    assert (one.student, one.file) == ("s001", "main.py")
    assert (one.read().folder / "lib" / "helper.py").exists()


def test_what_lies_about_is_listed_with_its_reason(tmp_path):
    stray = {
        "main.py": MAIN,
        "grades.csv": b"",
        "__MACOSX/s001/._main.py": b"",
        ".DS_Store": b"",
        "s001/Thumbs.db": b"",
    }
    intake = taken(spread(tmp_path / "class", {**CLASS, **stray}), tmp_path)
    assert students(intake) == ["s001", "s002", "s003"]
    assert reasons(intake) == {
        "main.py": "in no student's folder, and its name is no student's",
        "grades.csv": "neither a student's folder nor a Python file or notebook",
        "__MACOSX": "made by macOS; holds no submission",
        ".DS_Store": "made by macOS; holds no submission",
        "s001/Thumbs.db": "made by Windows; holds no submission",
    }


def test_results_in_the_class_folder_are_not_graded_again(tmp_path):
    entries = {**CLASS, "out/gradebook.sqlite": b"", "out/reports/s001.html": b"", "out/x.py": b""}
    intake = taken(spread(tmp_path / "class", entries), tmp_path)
    assert students(intake) == ["s001", "s002", "s003"]
    assert reasons(intake) == {"out": "results of an earlier grading, no submissions"}


@pytest.mark.parametrize("name", ["lab_2024_01_s00{}/main.py", "lab_2024_01_s00{}.py", "s_00{}_2/main.py"])
def test_numbers_in_the_names_do_not_make_a_plain_folder_a_canvas_download(tmp_path, name):
    intake = taken(spread(tmp_path / "class", {name.format(n): b"n = %d\n" % n for n in (1, 2, 3)}), tmp_path)
    assert intake.shape == "plain folder: 3 students"
    assert [one.read().source for one in intake.received] == [b"n = 1\n", b"n = 2\n", b"n = 3\n"]


def test_a_prefix_that_all_folders_share_does_not_make_them_repositories(tmp_path):
    intake = taken(spread(tmp_path / "class", {f"student-00{n}/main.py": MAIN for n in (1, 2)}), tmp_path)
    assert students(intake) == ["student-001", "student-002"]
