"""Students made of NumPy functions, in this process: every misconception graded in milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from grader.checking.misconception import evaluate
from grader.model import Argument, Lesson, Misconception, Reply


class NumpyProgram:
    """A Program that answers from NumPy functions and arrays, in float32 as JAX would."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]], variables: Mapping[str, Any]) -> None:
        self._functions = functions
        self._variables = variables

    def call(self, name: str, args: Sequence[Argument], *, outputs: int, transform: str | None = None) -> Reply:
        """Call a function; transforms are JAX's and count as an error, which only advice sees."""
        values = None if transform else evaluate(self._functions[name], args)
        if values is None:
            return Reply("error", message="ValueError: raised by NumPy")
        if len(values) != outputs:
            return Reply("refused", message=f"{len(values)} values")
        return Reply(
            "values", tuple(value if value.dtype.kind == "b" else value.astype(np.float32) for value in values)
        )

    def read(self, name: str) -> Reply:
        """Read a variable."""
        if name not in self._variables:
            return Reply("error", message="ValueError: raised by NumPy")
        return Reply("values", (np.asarray(self._variables[name]),))


def student_with(lesson: Lesson, one: Misconception | None = None, *more: Misconception) -> NumpyProgram:
    """A student whose file is right but for the given misconceptions, all in one function."""
    switches: dict[str, Any] = {}
    for misconception in (one, *more) if one else ():
        switches |= misconception.switches
    functions = {
        name: lesson.families[name].variant(**(switches if one and one.function == name else {}))
        for name in lesson.functions
    }
    reference = {name: lesson.families[name].variant() for name in lesson.functions}
    try:
        with np.errstate(all="ignore"):
            variables = dict(lesson.answers(**functions))
    except (ValueError, IndexError):
        variables = {}
    if one and one.function not in functions:
        right = dict(lesson.answers(**reference))
        given = [right[name] for name in lesson.families[one.function].given]
        variables[one.function] = lesson.families[one.function].variant(**switches)(*given)
    return NumpyProgram(functions, variables)
