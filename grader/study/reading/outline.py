"""The checks of a lesson as its files declare them, read without running any of its code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.errors import LessonError
from grader.lesson import DECIDING

DECORATORS = frozenset({"check", "advice"})


@dataclass(frozen=True)
class Declared:
    """A check by name: its exercise, its points and what is known once it passes."""

    name: str
    exercise: str
    points: int
    proves: str


def declared_checks(folder: Path) -> tuple[Declared, ...]:
    """The checks of the lesson in ``folder``, in order. NumPy and the lesson's own imports are not paid for."""
    checks: list[Declared] = []
    for path in (folder / name for name in DECIDING if (folder / name).exists()):
        try:
            module = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, OSError) as error:
            raise LessonError(f"{path}: cannot be read ({error}); correct the file") from error
        checks += [one for one in map(_declared, module.body) if one is not None]
    return tuple(checks)


def _declared(statement: ast.stmt) -> Declared | None:
    if not isinstance(statement, ast.FunctionDef):
        return None
    for decorator in statement.decorator_list:
        match decorator:
            case ast.Call(func=ast.Name(id=kind), keywords=keywords) if kind in DECORATORS:
                given = dict(_literals(keywords))
                return Declared(
                    statement.name, given.get("exercise", ""), given.get("points", 0), given.get("proves", "")
                )
    return None


def _literals(keywords: list[ast.keyword]) -> Iterator[tuple[str, Any]]:
    for keyword in keywords:
        if keyword.arg is not None and isinstance(keyword.value, ast.Constant):
            yield keyword.arg, keyword.value.value
