"""The downloads of nbgrader, Gradescope, Blackboard and GitHub Classroom."""

from __future__ import annotations

import datetime

import pytest
from builders import (
    LESSON,
    MAIN,
    WHEN,
    blackboard_names,
    blackboard_text,
    gradescope_metadata,
    of,
    reasons,
    spread,
    students,
    taken,
    zipped,
)

from grader.errors import UsageError


@pytest.mark.parametrize("top", ["submitted/", "", "course/submitted/"])
def test_nbgrader_gives_students_with_the_time_of_their_stamp(tmp_path, top):
    entries = {
        f"{top}s001/{LESSON}/main.ipynb": b'{"cells": [',
        f"{top}s001/{LESSON}/main.py": MAIN,
        f"{top}s001/{LESSON}/timestamp.txt": b"2015-02-02 15:58:23.948203 America/Los_Angeles",
        f"{top}s002/{LESSON}/main.py": MAIN,
        f"{top}s002/{LESSON}/timestamp.txt": b"2015-02-02 15:58:23.948203 UTC",
        f"{top}s003/": b"",
    }
    intake = taken(spread(tmp_path / "nb", entries), tmp_path)
    assert intake.shape == f"nbgrader course, assignment {LESSON}: 3 students"
    one, two, three = intake.received
    assert one.received_at == datetime.datetime(2015, 2, 2, 23, 58, 23, tzinfo=datetime.UTC)
    assert two.received_at == datetime.datetime(2015, 2, 2, 15, 58, 23, tzinfo=datetime.UTC)
    assert one.notes == ("also holds main.ipynb; main.py was taken",)
    assert one.read().source == MAIN
    assert not (one.read().folder / "timestamp.txt").exists()
    with pytest.raises(UsageError, match="nothing was handed in"):
        three.read()


@pytest.mark.parametrize(
    ("stamp", "note"),
    [(b"2015-02-02 15:58:23 Nowhere/Zone", "unknown zone"), (b"yesterday", "holds no time"), (b"\xff\xfe", "no time")],
)
def test_an_odd_stamp_of_nbgrader_is_said(tmp_path, stamp, note):
    entries = {f"submitted/s001/{LESSON}/main.py": MAIN, f"submitted/s001/{LESSON}/timestamp.txt": stamp}
    (one,) = taken(spread(tmp_path / "nb", entries), tmp_path).received
    assert note in one.notes[0]


def test_the_lessons_assignment_is_taken_and_others_are_listed(tmp_path):
    entries = {"submitted/s001/Transformers_01/main.py": MAIN, "submitted/s001/ps2/main.py": b"", "release/x.py": b""}
    intake = taken(spread(tmp_path / "nb", entries), tmp_path)
    assert of(intake, "s001").file == "submitted/s001/Transformers_01/main.py"
    assert set(reasons(intake)) == {"submitted/s001/ps2", "release"}


def test_several_assignments_without_the_lessons_are_a_question(tmp_path):
    entries = {"submitted/s001/ps1/main.py": MAIN, "submitted/s001/ps2/main.py": MAIN}
    with pytest.raises(UsageError, match=r"several assignments \(ps1, ps2\) and none is called transformers-01"):
        taken(spread(tmp_path / "nb", entries), tmp_path)


def gradescope(tmp_path, submissions, files):
    top = "assignment_77_export/"
    entries = {f"{top}submission_metadata.yml": gradescope_metadata(submissions)}
    return zipped(tmp_path / "g.zip", entries | {f"{top}{name}": content for name, content in files.items()})


def test_gradescope_gives_submitters_with_their_ids(tmp_path):
    source = gradescope(tmp_path, {11: [("Student 001", "s001", "s001@example.edu")]}, {"submission_11/main.py": MAIN})
    intake = taken(source, tmp_path)
    assert intake.shape == "Gradescope export: 1 student"
    (one,) = intake.received
    assert (one.student, one.name) == ("s001", "Student 001")
    assert one.identity == {"submission id": "11", "user id": "s001", "email": "s001@example.edu"}
    assert one.received_at == datetime.datetime(2024, 3, 5, 10, 20, 30, 123456, tzinfo=datetime.UTC)
    assert one.file == "assignment_77_export/submission_11/main.py"
    assert one.read().source == MAIN


def test_every_member_of_a_group_gets_the_groups_file(tmp_path):
    people = [(f"Student 00{n}", f"s00{n}", f"s00{n}@example.edu") for n in (1, 2)]
    source = gradescope(tmp_path, {11: people}, {"submission_11/main.py": MAIN})
    one, two = taken(source, tmp_path).received
    assert (one.student, two.student) == ("s001", "s002")
    assert one.file == two.file
    assert one.read().sha256 == two.read().sha256
    assert one.notes == ("group work, handed in with 1 more",)


def test_people_without_or_with_the_same_student_id_are_keyed_by_address(tmp_path):
    told = {
        11: [("Student 001", "s001", "a@example.edu")],
        12: [("Student 002", "s001", "b@example.edu")],
        13: [("Student 003", "", "c@example.edu")],
    }
    source = gradescope(tmp_path, told, {f"submission_{n}/main.py": MAIN for n in told})
    assert students(taken(source, tmp_path)) == ["a@example.edu", "b@example.edu", "c@example.edu"]


def test_a_folder_or_an_entry_without_its_counterpart_is_seen(tmp_path):
    source = gradescope(tmp_path, {11: [("Student 001", "s001", "")]}, {"submission_12/main.py": MAIN})
    intake = taken(source, tmp_path)
    assert "says nothing about it" in of(intake, "submission_12").notes[0]
    with pytest.raises(UsageError, match="submission_11: nothing was handed in"):
        of(intake, "s001").read()


@pytest.mark.parametrize("text", [b"a: [", b"- 1\n", b"\x00", b"submission_1: &a [*a]", b"[" * 5000])
def test_metadata_that_cannot_be_read_is_said_with_its_name(tmp_path, text):
    source = zipped(tmp_path / "g.zip", {"submission_metadata.yml": text, "readme.txt": b""})
    with pytest.raises(UsageError, match=r"submission_metadata.yml|holds no submission|nothing"):
        for one in taken(source, tmp_path).received:
            one.read()


def test_blackboard_takes_the_newest_complete_attempt(tmp_path):
    first, text = blackboard_names("s001", "main.py")
    second, _ = blackboard_names("s001", "main.py", minute=40)
    third, _ = blackboard_names("s001", "main.ipynb", minute=50)
    entries = {
        first: b"n = 1\n",
        text: blackboard_text("s001", "Student 001", "main.py"),
        second: b"n = 2\n",
        third: b'{"cells": [',
        blackboard_names("s002", "main.py")[0]: MAIN,
    }
    intake = taken(zipped(tmp_path / "b.zip", entries), tmp_path)
    assert intake.shape == "Blackboard download: 2 students"
    one = of(intake, "s001")
    assert (one.attempt, one.file, one.identity) == (2, second, {"login": "s001"})
    assert one.received_at == datetime.datetime(2024, 3, 5, 10, 40, 30, tzinfo=datetime.UTC)
    assert f"took the newest that is complete: {second}, not {first}, {third}" in one.notes[0]
    assert one.read().source == b"n = 2\n"


def test_the_text_file_of_blackboard_tells_login_and_name(tmp_path):
    file, text = blackboard_names("under_score", "main.py", assignment="Lab_1")
    entries = {file: MAIN, text: blackboard_text("under_score", '="Zoë", Jr.', "main.py")}
    (one,) = taken(zipped(tmp_path / "b.zip", entries), tmp_path).received
    assert (one.student, one.name) == ("under_score", '="Zoë", Jr.')


def test_without_a_text_file_the_assignment_is_what_all_share(tmp_path):
    entries = {blackboard_names(s, "main.py", assignment="Lab_1")[0]: MAIN for s in ("a_s001", "b_s002")}
    assert students(taken(zipped(tmp_path / "b.zip", entries), tmp_path)) == ["a_s001", "b_s002"]


def test_one_text_file_tells_the_assignment_of_all(tmp_path):
    (first, text), (second, _) = (blackboard_names(f"x_s00{n}", "main.py", assignment="Lab_1") for n in (1, 2))
    entries = {first: MAIN, second: MAIN, text: blackboard_text("x_s001", "Student 001", "main.py")}
    assert students(taken(zipped(tmp_path / "b.zip", entries), tmp_path)) == ["x_s001", "x_s002"]


def test_a_lone_name_of_blackboard_that_reads_in_two_ways_is_said(tmp_path):
    entries = {blackboard_names("s001", "main.py", assignment="Lab_1")[0]: MAIN}
    (one,) = taken(zipped(tmp_path / "b.zip", entries), tmp_path).received
    assert one.student == "s001"
    assert "no text file tells the login" in one.notes[0]


def test_only_a_text_file_is_a_student_who_handed_in_nothing(tmp_path):
    _, text = blackboard_names("s001", "main.py")
    source = zipped(tmp_path / "b.zip", {text: blackboard_text("s001", "Student 001", "x"), "other.pdf": b""})
    intake = taken(source, tmp_path)
    assert "not one of Blackboard's" in reasons(intake)["other.pdf"]
    with pytest.raises(UsageError, match="nothing was handed in"):
        of(intake, "s001").read()


@pytest.mark.parametrize("git", [True, False])
def test_github_classroom_gives_logins(tmp_path, git):
    entries = {}
    for n in (1, 2):
        repository = f"{LESSON}-student-00{n}"
        entries |= {f"{repository}/main.py": MAIN, f"{repository}/README.md": b""}
        if git:
            entries |= {f"{repository}/.git/HEAD": b"ref: x", f"{repository}/.git/hooks/main.py": b"never"}
    intake = taken(spread(tmp_path / "clones", entries), tmp_path)
    assert intake.shape == f"GitHub Classroom, assignment {LESSON}: 2 students"
    assert students(intake) == ["student-001", "student-002"]
    one = of(intake, "student-001")
    assert (one.identity, one.received_at) == ({"login": "student-001"}, WHEN)
    assert sorted(path.name for path in one.read().folder.iterdir()) == ["README.md", "main.py"]


def test_the_folder_of_the_clones_tells_the_assignment(tmp_path):
    entries = {f"attention-student-00{n}/main.py": MAIN for n in (1, 2)}
    intake = taken(spread(tmp_path / "attention-submissions", entries), tmp_path)
    assert students(intake) == ["student-001", "student-002"]


def test_an_assignment_that_only_the_names_share_is_said(tmp_path):
    entries = {f"attention-{who}/{file}": MAIN for who in ("s001", "t002") for file in ("main.py", ".git/HEAD")}
    intake = taken(spread(tmp_path / "clones", entries), tmp_path)
    assert intake.shape.startswith("GitHub Classroom, assignment attention")
    assert "what follows attention-" in of(intake, "s001").notes[0]
