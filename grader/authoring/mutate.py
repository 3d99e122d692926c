"""Mutants of a solution: one small change of its syntax tree each."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from grader.cells import names_set

BINARY = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
}
COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
CALLED = {
    "max": "min",
    "min": "max",
    "sum": "mean",
    "mean": "sum",
    "zeros": "ones",
    "ones": "zeros",
    "sin": "cos",
    "cos": "sin",
    "sqrt": "square",
    "square": "sqrt",
    "exp": "expm1",
    "log": "log1p",
    "repeat": "tile",
    "tile": "repeat",
    "tril": "triu",
    "triu": "tril",
}


@dataclass(frozen=True)
class Mutant:
    """A changed program; ``change`` says what became what, in source form."""

    change: str
    line: int
    source: str


def mutants(source: str, graded: Collection[str]) -> list[Mutant]:
    """All mutants of the statements on which the names of ``graded`` depend, each change once."""
    tree = ast.parse(source)
    found: dict[str, Mutant] = {}
    for index in _statements_behind(tree, graded):
        for path, node in _nodes(tree.body[index]):
            for replacement in _changes(node):
                mutated = copy.deepcopy(tree)
                mutated.body[index] = _replaced(mutated.body[index], path, replacement)
                text = ast.unparse(ast.fix_missing_locations(mutated))
                around = _around(tree.body[index], path)
                before, after = (
                    ast.unparse(_at(tree.body[index], around)),
                    ast.unparse(_at(mutated.body[index], around)),
                )
                change = f"{_where(tree.body[index])}: {before} → {after}"
                found.setdefault(text, Mutant(change, getattr(node, "lineno", 0), text))
    found.pop(ast.unparse(tree), None)
    return list(found.values())


def _where(statement: ast.stmt) -> str:
    names = sorted(set(names_set(statement)))
    return ", ".join(names)


def _statements_behind(tree: ast.Module, graded: Collection[str]) -> list[int]:
    """Indices of the statements that set a graded name or something that one is computed from."""
    wanted, chosen = set(graded), set[int]()
    while True:
        more = {
            index
            for index, statement in enumerate(tree.body)
            if index not in chosen
            and not isinstance(statement, ast.Import | ast.ImportFrom)
            and wanted & {name for name in names_set(statement) if name != "_"}
        }
        if not more:
            return sorted(chosen)
        chosen |= more
        for index in more:
            wanted |= {node.id for node in ast.walk(tree.body[index]) if isinstance(node, ast.Name)}


Path = tuple[tuple[str, int | None], ...]


def _nodes(statement: ast.stmt) -> Iterator[tuple[Path, ast.AST]]:
    """Every node of a statement with the way to it, without docstrings and annotations."""
    todo: list[tuple[Path, ast.AST]] = [((), statement)]
    while todo:
        path, node = todo.pop()
        yield path, node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "ctx"):
                continue
            if isinstance(value, ast.AST):
                todo.append(((*path, (name, None)), value))
            elif isinstance(value, list):
                todo.extend(((*path, (name, i)), item) for i, item in enumerate(value) if isinstance(item, ast.AST))


def _at(statement: ast.stmt, path: Path) -> ast.AST:
    node: ast.AST = statement
    for name, index in path:
        child = getattr(node, name)
        node = child if index is None else child[index]
    return node


def _around(statement: ast.stmt, path: Path) -> Path:
    """The way to the smallest expression around a node that says where it is: a constant alone does not."""
    while path and not isinstance(_at(statement, path), ast.BinOp | ast.Call | ast.Subscript | ast.stmt):
        path = path[:-1]
    return path


def _replaced(statement: ast.stmt, path: Path, replacement: ast.AST) -> ast.stmt:
    if not path:
        assert isinstance(replacement, ast.stmt)
        return replacement
    node = _at(statement, path[:-1])
    name, index = path[-1]
    if index is None:
        setattr(node, name, copy.deepcopy(replacement))
    else:
        getattr(node, name)[index] = copy.deepcopy(replacement)
    return statement


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(left, operator, right):
            if (other := BINARY.get(type(operator))) is not None:
                yield ast.BinOp(left, other(), right)
            if not isinstance(operator, ast.Add | ast.Mult):
                yield ast.BinOp(right, operator, left)
            yield left
            yield right
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            yield ast.Constant(-value + 1)
            yield ast.Constant(value)
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield ast.Constant(value + 1)
            if value:
                yield ast.Constant(0 if isinstance(value, int) else 0.0)
        case ast.Compare(left, [operator], comparators) if type(operator) in COMPARED:
            yield ast.Compare(left, [COMPARED[type(operator)]()], comparators)
        case ast.Call(function, args, keywords):
            if args:
                yield args[0]
            elif isinstance(function, ast.Attribute):
                yield function.value
            for index in range(len(keywords)):
                yield ast.Call(function, args, keywords[:index] + keywords[index + 1 :])
            for index in range(len(args) - 1):
                yield ast.Call(function, [*args[:index], args[index + 1], args[index], *args[index + 2 :]], keywords)
            if isinstance(function, ast.Attribute) and function.attr in CALLED:
                yield ast.Call(ast.Attribute(function.value, CALLED[function.attr], ast.Load()), args, keywords)
        case ast.Attribute(value, "T" | "mT"):
            yield value
        case ast.Subscript(value, _, ast.Load()):
            yield value
        case ast.Return(ast.Tuple([first, second, *rest])):
            yield ast.Return(ast.Tuple([second, first, *rest], ast.Load()))
