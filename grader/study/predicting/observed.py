"""What a learner's own run shows: a variable of main.py, with indices, such as "w_new[0, 1]"."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from grader.errors import LessonError
from grader.model import Array, Program


def parse(expression: str) -> tuple[str, tuple[int, ...]]:
    """The variable and the indices of an expression; LessonError for anything else. Nothing is evaluated."""
    try:
        node: ast.expr = ast.parse(expression, mode="eval").body
        indices: tuple[int, ...] = ()
        while isinstance(node, ast.Subscript):
            literal = ast.literal_eval(node.slice)
            indices = (*(literal if isinstance(literal, tuple) else (literal,)), *indices)
            node = node.value
    except (SyntaxError, ValueError):
        node = ast.Constant(None)
    if not isinstance(node, ast.Name) or any(type(index) is not int for index in indices):
        raise LessonError(
            f'observed = "{expression}": a variable with whole numbers as indices is right, as in "w[0, 1]"'
        )
    return node.id, indices


def read(program: Program, expressions: Iterable[str]) -> dict[str, Array]:
    """Expression -> its value in the run of ``program``, for those that have one."""
    found: dict[str, Array] = {}
    values: Mapping[str, Array | None] = {}
    for expression in expressions:
        name, indices = parse(expression)
        if name not in values:
            reply = program.read(name)
            values = {**values, name: reply.values[0] if reply.kind == "values" else None}
        array = values[name]
        if array is not None and _inside(array, indices):
            found[expression] = array[indices]
    return found


def _inside(array: Array, indices: tuple[int, ...]) -> bool:
    return len(indices) <= array.ndim and all(
        -size <= index < size for index, size in zip(indices, array.shape, strict=False)
    )
