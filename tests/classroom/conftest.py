"""Fixtures of the classroom: the example class, graded once for all tests of a run."""

from __future__ import annotations

import pytest
from graded_examples import grade_class

from grader.classroom.nouns import Graded
from grader.model import Lesson


@pytest.fixture(scope="session")
def example_class(lesson: Lesson) -> dict[str, Graded]:
    """The gradings of examples/class by student."""
    return {one.student: one for one in grade_class(lesson)}
