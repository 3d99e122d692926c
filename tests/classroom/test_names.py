"""File names for students: safe anywhere, never shared."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.classroom.names import DEVICES, slug

KEYS = st.text() | st.text(alphabet="aA.-_0é ", max_size=8) | st.from_regex(r"[a-z]{1,3}-[0-9a-f]{10}", fullmatch=True)


@given(st.lists(KEYS, unique=True, min_size=2, max_size=20))
@example(["Ann", "ann", "ANN"])
@example(["é", "e\u0301"])
def test_two_students_never_share_a_file_even_where_case_is_ignored(students):
    assert len({slug(student).casefold() for student in students}) == len(students)


@given(KEYS | st.sampled_from(sorted(DEVICES)) | st.text(min_size=200))
@example("")
@example("../../etc/passwd")
@example("con.main")
@example("a.")
@example(".hidden")
@example("\udcff")
def test_a_name_is_safe_on_every_system(student):
    name = slug(student)
    assert re.fullmatch(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_-])?", name)
    assert len(name) <= 59
    assert name.partition(".")[0] not in DEVICES


@given(KEYS)
def test_a_name_is_the_same_each_time(student):
    assert slug(student) == slug(student)


@given(KEYS)
def test_a_name_stays_as_it_is_or_is_no_students_key_that_stays(student):
    name = slug(student)
    assert name == student or slug(name) != name


@pytest.mark.parametrize("student", ["s001", "student-001", "1001", "first.last", "a_b"])
def test_an_ordinary_key_stays(student):
    assert slug(student) == student


def test_an_odd_key_stays_readable():
    assert re.fullmatch(r"zoe-jr-[0-9a-f]{10}", slug('="Zoë", Jr.'))
    assert re.fullmatch(r"student-[0-9a-f]{10}", slug("学生"))
    assert re.fullmatch(r"con-[0-9a-f]{10}", slug("con"))
