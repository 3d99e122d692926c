"""The roster, as spreadsheets and systems write it."""

from __future__ import annotations

import pytest

from grader.classroom.nouns import Received
from grader.classroom.roster import missing, not_enrolled, read_roster
from grader.errors import UsageError
from grader.model import Submission


def unread() -> Submission:
    raise AssertionError("a roster needs no submission")


def received(student: str, **identity: str) -> Received:
    return Received(student, student, f"{student}/main.py", unread, identity=identity)


@pytest.mark.parametrize(
    ("raw", "name", "ids"),
    [
        (
            b'id,name,email\r\ns001,"=""Zo\xc3\xab"", Jr.",s001@example.org\r\n',
            '="Zoë", Jr.',
            ("s001", "s001@example.org"),
        ),
        (b"\xef\xbb\xbfid,name\ns001,Zo\xc3\xab\n", "Zoë", ("s001",)),
        ("id;name\ns001;Zoë\n".encode("cp1252"), "Zoë", ("s001",)),
        ("id\tname\ns001\tZoë\n".encode("utf-16"), "Zoë", ("s001",)),
        (
            b"Student,ID,SIS User ID,SIS Login ID,Section,Homework (77)\n"
            b"    Points Possible,,,,,31\nStudent 001,1001,S-1,Student-001,A,\n",
            "Student 001",
            ("1001", "s-1", "student-001"),
        ),
        (
            b'Identifier,"Full name","Email address",Status\nParticipant 501,"Student 001",s001@example.org,x\n',
            "Student 001",
            ("501", "s001@example.org"),
        ),
        (b"First Name,Last Name,SID,Email\nStudent,001,1001,a@example.org\n", "Student 001", ("1001", "a@example.org")),
    ],
)
def test_rosters_of_every_origin_are_read(tmp_path, raw, name, ids):
    path = tmp_path / "roster.csv"
    path.write_bytes(raw)
    (one,) = read_roster(path)
    assert (one.name, one.ids) == (name, ids)


@pytest.mark.parametrize("raw", [b"", b"points,grade\n1,2\n", b"\0\0\0"])
def test_a_roster_that_identifies_nobody_is_refused(tmp_path, raw):
    path = tmp_path / "roster.csv"
    path.write_bytes(raw)
    with pytest.raises(UsageError, match="no column called id, login or email"):
        read_roster(path)


def test_who_is_missing_and_who_is_unknown_is_decided_by_any_id(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text("id,name,login\n1001,Student 001,\n1002,Student 002,Student-002\n1003,Student 003,\n", "utf-8")
    class_ = [received("1001"), received("x", login="student-002"), received("y", **{"submission id": "1003"})]
    roster = read_roster(path)
    assert [str(one) for one in missing(roster, class_)] == ["Student 003 (1003)"]
    assert [one.student for one in not_enrolled(roster, class_)] == ["y"]
