"""The decorators that turn a function of a lesson into a check."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from grader.errors import LessonError
from grader.model import Check


def check(
    *, exercise: str, points: int, proves: str = "", needs: Sequence[Check] = (), leans_on: Sequence[Check] = ()
) -> Callable[[Callable[..., str | None]], Check]:
    """Make ``function(student, probe)`` a check; its docstring is the title that students read.

    It runs when every check of ``needs`` has passed; if it fails while one of ``leans_on`` has not passed, it
    waits for that one. ``proves`` says, as a phrase, what is known once it passes; a function that returns a phrase
    says that one. Raises LessonError for a
    check without a title or with negative points.
    """

    def decorate(function: Callable[..., str | None]) -> Check:
        name = getattr(function, "__name__", "check")
        title = inspect.getdoc(function)
        if not title:
            raise LessonError(f"checks.py: {name} has no docstring; write its title, a sentence that students read")
        if points < 0:
            raise LessonError(f"checks.py: {name} has {points} points; use 0 for advice")
        first, second = (tuple(other.name for other in others) for others in (needs, leans_on))
        return Check(name, title, exercise, points, first, second, proves, function)

    return decorate


def advice(*, exercise: str, needs: Sequence[Check] = (), **more: Any) -> Callable[[Callable[..., str | None]], Check]:
    """A check that is shown but worth nothing and without effect on the verdict."""
    return check(exercise=exercise, points=0, needs=needs, **more)
