"""What can be known about a student's file from its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator


def bound_names(node: ast.AST) -> Iterator[str]:
    """Names that a statement sets in its own scope."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    for child in ast.iter_child_nodes(node):
        yield from bound_names(child)


def used_names(statement: ast.stmt) -> set[str]:
    """Names that a top-level statement reads when it runs; a definition runs nothing yet."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return set()
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def functions_used(tree: ast.Module, statements: Collection[int]) -> frozenset[str]:
    """Functions of the file that the top-level statements with these indices use."""
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    used = (used_names(node) for index, node in enumerate(tree.body) if index in statements)
    return frozenset(defined.intersection(set().union(*used)))


def imports_jax(tree: ast.Module) -> bool:
    """Whether the file imports anything of JAX, at any depth."""
    for node in ast.walk(tree):
        modules = (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        if any(module.partition(".")[0] == "jax" for module in modules):
            return True
    return False


def is_stub(tree: ast.Module, name: str | None) -> bool:
    """Whether the function ``name`` consists of a docstring, ``pass`` and ``...`` alone."""
    for node in reversed(tree.body):  # the last definition counts
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return all(
                isinstance(part, ast.Pass) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
                for part in node.body
            )
    return False


def set_inside(tree: ast.Module, name: str) -> tuple[str, int] | None:
    """The function or class inside which ``name`` is set, and its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and any(
            name in bound_names(part) for part in node.body
        ):
            return node.name, node.lineno
    return None
