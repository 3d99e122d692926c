"""Deciding about answers: checks, comparisons, diagnosis, verdicts. NumPy only."""

from grader.checking.check import advice, check
from grader.checking.compare import expect, expect_close, expect_different
from grader.checking.misconception import family, misconception
from grader.checking.student import Student

__all__ = [
    "Student",
    "advice",
    "check",
    "expect",
    "expect_close",
    "expect_different",
    "family",
    "misconception",
]
