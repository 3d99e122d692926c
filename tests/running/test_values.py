"""Values of a submission as they arrive: what counts as numbers, what is refused and in which words."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from grader.model import Reply, Submission
from grader.running.program import WorkerProgram

# Bodies of functions of x, and expressions; a test has its body for a name.
# fmt: off
PAIRS = (
    "return x, x", "return [x, x]", "return collections.namedtuple('Pair', 'output weights')(x, x)", "yield x; yield x",
    "return map(lambda part: part, (x, x))", "return Both(x)", "return x.tolist(), x.tolist()",
    "return list(x), tuple(x)", "return [[y for y in row] for row in x], x", "return np.asarray(x), np.array(x, 'f8')",
    "return [[np.float32(y) for y in row] for row in x], x", "return np.asarray(x), x",
    "return np.asfortranarray(x), np.asarray(x)[::-1][::-1]", "return x.astype(jnp.float16), np.asarray(x, np.float16)",
    "return x.astype(jnp.bfloat16), x", "return x.astype(int), np.asarray(x, np.int64)",
)
UNFILLED = (
    "return ...", "return x, ...", "return [[..., 1.0]], x", "raise NotImplementedError",
    "raise NotImplementedError('TODO')", "pass", "'''TODO'''", "...",
)
NOT_PAIRS = {
    "return x": r"one array of shape \(2, 3\)", "return np.asarray(x)": r"one array of shape \(2, 3\)",
    "return jnp.stack([x, x])": r"one array of shape \(2, 2, 3\)", "return (x,)": "^1 value$", "return ()": "^0 value",
    "return x, x, x": "^3 values$", "return itertools.repeat(x)": "more than 16 values", "x + x": "^None$",
    "return {'output': x, 'weights': x}": "a dict with 'output', 'weights'", "return 'output, weights'": "a str",
    "return 'ow'": "a str", "return 1.0": "a number", "return x.sum()": "array of shape|a number",
    "return np.float32(1.0)": "a number", "return lambda: x": "function", "return Both": "a type",
}
NOT_NUMBERS = {
    "None": "None", "'1.0'": "a str", "np.array(['1', '2'])": "dtype <U1", "10**30": "dtype object", "{1.0}": "a set",
    "np.array([x, 1], dtype=object)": "dtype object", "x.astype(jnp.complex64)": "dtype complex64", "1j": "a complex",
    "Claims()": "Claims", "Equal()": "Equal", "np.asarray(x).view(Sub)": "Sub", "np.ma.masked_array(x)": "MaskedArray",
    "np.matrix(np.asarray(x))": "numpy.matrix", "Number(1.0)": "Number", "Rows(x.tolist())": "Rows", "np": "a module",
    "[[1.0, 2.0], [3.0]]": "a list whose rows have different lengths", "[[1.0, None]]": "None", "[{'a': 1}]": "a dict",
    "kept[0]": "tracer, kept from inside jit", "jax.random.key(0)": "JAX random key", "float": "a type",
    "np.array(['2020-01-01'], 'M8[D]')": "dtype datetime64",
}
VARIABLES = {
    "3": np.int64(3), "True": np.bool_(True), "np.float32(0.5)": np.float32(0.5), "jnp.float32(0.5)": np.float32(0.5),
    "[[1, 2], [3, 4]]": np.array([[1, 2], [3, 4]]), "[]": np.zeros(0), "jnp.zeros((0, 3))": np.zeros((0, 3), "f4"),
    "jnp.ones((2, 1))": np.ones((2, 1), np.float32), "[float('nan'), -float('inf')]": np.array([np.nan, -np.inf]),
    "np.arange(3, dtype='>u2')": np.arange(3, dtype=np.uint16), "jax.random.PRNGKey(0)": np.zeros(2, np.uint32),
    "jnp.full(2, 0.5, jnp.bfloat16)": np.full(2, 0.5, np.float32),
}
# fmt: on
BODIES = (*PAIRS, *UNFILLED, *NOT_PAIRS, *(f"return {value}, x" for value in NOT_NUMBERS))
EXPRESSIONS = (*NOT_NUMBERS, *VARIABLES)
HEAD = """
import collections, functools, itertools, sys
import jax, jax.numpy as jnp, numpy as np

class Both:
    def __init__(self, x): self.x = x
    def __iter__(self): return iter((self.x, self.x))
class Claims:
    __class__ = np.ndarray
    shape, dtype = (2, 3), np.dtype("f4")
    def __array__(self, *args, **named): return np.ones((2, 3), np.float32)
class Equal:
    def __eq__(self, other): return True
    def __float__(self): return 1.0
class Sub(np.ndarray): pass
class Number(float): pass
class Rows(list): pass
kept = []
jax.jit(lambda x: kept.append(x))(1.0)
x = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
todo = ...
atend_ = lambda x: (x, x)
def main(): hidden = 1
class Holder:
    inside = 1
    def defined_twice(self): pass
def defined_twice(x): pass
def defined_twice(x): return x, x
def raises(x):
    raise ValueError("first line\\nsecond line")
def raises_in_a_library(x): return jnp.dot(x, x), x
def exits(x): sys.exit(0)
class Unspeakable(Exception):
    def __str__(self): raise RuntimeError
def raises_without_words(x): raise Unspeakable
def recurses(x): return recurses(x)
def nests(x):
    return functools.reduce(lambda deep, _: [deep], range(100_000), []), x
def many_axes(x): return np.ones((1,) * 40), x
def is_jax(x): return isinstance(x, jax.Array) and not isinstance(x, jax.core.Tracer)
def is_tracer(x): return isinstance(x, jax.core.Tracer)
def twice(x, y=0.0): return 2 * x, x + y
def too_large(x): return np.zeros((1000, 10_000)), x
"""


LINES = [
    *HEAD.split("\n"),
    *(line for n, body in enumerate(BODIES) for line in (f"def f{n}(x):", f"    {body}")),
    *(f"v{n} = {value}" for n, value in enumerate(EXPRESSIONS)),
]


@pytest.fixture(scope="module")
def program() -> Iterator[WorkerProgram]:
    with WorkerProgram(Submission("main.py", "\n".join(LINES).encode(), "0" * 64)) as opened:
        yield opened


ARGUMENT = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


def pair(program: WorkerProgram, name: str) -> Reply:
    return program.call(name, (ARGUMENT,), outputs=2)


def result(program: WorkerProgram, body: str) -> Reply:
    return pair(program, f"f{BODIES.index(body)}")


@pytest.mark.parametrize("body", PAIRS)
def test_is_a_pair(program: WorkerProgram, body: str) -> None:
    reply = result(program, body)
    assert reply.kind == "values", reply.message
    for value in reply.values:
        assert value.dtype.kind in "iuf"
        np.testing.assert_array_equal(value, ARGUMENT)


@pytest.mark.parametrize("body", NOT_PAIRS)
def test_is_no_pair(program: WorkerProgram, body: str) -> None:
    reply = result(program, body)
    assert reply.kind == "refused"
    assert re.search(NOT_PAIRS[body], reply.message)


@pytest.mark.parametrize("value", NOT_NUMBERS)
def test_is_no_array_of_numbers(program: WorkerProgram, value: str) -> None:
    for reply in (result(program, f"return {value}, x"), program.read(f"v{EXPRESSIONS.index(value)}")):
        assert reply.kind == "refused"
        assert re.search(NOT_NUMBERS[value], reply.message)


@pytest.mark.parametrize("value", VARIABLES)
def test_variable_is_read(program: WorkerProgram, value: str) -> None:
    reply = program.read(f"v{EXPRESSIONS.index(value)}")
    assert reply.kind == "values", reply.message
    wanted = np.asarray(VARIABLES[value])
    assert (reply.values[0].shape, reply.values[0].dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(reply.values[0], wanted)


@pytest.mark.parametrize("body", UNFILLED)
def test_is_still_to_be_written(program: WorkerProgram, body: str) -> None:
    assert result(program, body).kind == "unfilled"
    assert program.read("todo").kind == "unfilled"


def test_a_file_of_odd_values_runs_to_its_end_without_events(program: WorkerProgram) -> None:
    assert program.events == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere", "is not there$"),
        ("atend", "did you mean to rename `atend_`"),
        ("HOLDER_", "did you mean to rename `Holder`"),
        ("hidden", r"is set inside `main` \(line \d+\).*top level"),
        ("inside", r"is set inside `Holder`"),
    ],
)
def test_a_missing_name_says_where_something_like_it_is(program: WorkerProgram, name: str, words: str) -> None:
    for reply in (program.read(name), pair(program, name)):
        assert reply.kind == "absent"
        assert re.search(words, reply.message)


def test_a_function_is_no_variable_and_a_variable_no_function(program: WorkerProgram) -> None:
    assert program.read("main").kind == "refused"
    reply = pair(program, "x")
    assert (reply.kind, reply.message[-14:]) == ("refused", "not a function")


def test_a_function_that_is_defined_again_below_its_stub_counts(program: WorkerProgram) -> None:
    assert pair(program, "defined_twice").kind == "values"


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("raises", "error", "^ValueError: first line$"),
        ("raises_in_a_library", "error", "TypeError.*inner sizes of a product have to agree"),
        ("exits", "error", "SystemExit"),
        ("raises_without_words", "error", "^Unspeakable: def raises_without_words"),
        ("recurses", "error", "RecursionError.*calls itself without coming to an end"),
        ("nests", "error", "RecursionError"),
        ("many_axes", "refused", "40|axes|dimensions"),
        ("too_large", "refused", "too large"),
    ],
)
def test_a_call_without_a_result_costs_that_call_alone(
    program: WorkerProgram, name: str, kind: str, words: str
) -> None:
    reply = pair(program, name)
    assert reply.kind == kind, reply.message
    assert re.search(words, reply.message)
    assert result(program, "return x, x").kind == "values"


def test_an_error_has_the_last_line_of_the_file_it_passed_through(program: WorkerProgram) -> None:
    for name, text in (("raises", "    raise ValueError"), ("raises_in_a_library", "def raises_in")):
        line = pair(program, name).line
        assert line is not None and LINES[line - 1].startswith(text)


NUMPY = """
import numpy as np
def f(x):
    return type(x) is np.ndarray and x.flags.writeable
def g(x):
    x += 1.0
    return x
"""


def test_a_file_without_jax_gets_arrays_of_numpy_that_it_may_change(program: WorkerProgram) -> None:
    with WorkerProgram(Submission("main.py", NUMPY.encode(), "0" * 64)) as numpy_program:
        np.testing.assert_array_equal(numpy_program.call("f", (ARGUMENT,), outputs=1).values[0], True)
        for _ in range(2):
            np.testing.assert_array_equal(numpy_program.call("g", (ARGUMENT,), outputs=1).values[0], ARGUMENT + 1)


def test_a_file_with_jax_gets_arrays_of_jax(program: WorkerProgram) -> None:
    np.testing.assert_array_equal(program.call("is_jax", (ARGUMENT,), outputs=1).values[0], True)


def test_a_transform_is_applied_around_the_function(program: WorkerProgram) -> None:
    (inside_jit,) = program.call("is_tracer", (ARGUMENT,), outputs=1, transform="jit").values
    gradient, other = program.call("twice", (ARGUMENT, ARGUMENT), outputs=2, transform="grad").values
    stacked = program.call("twice", (np.stack([ARGUMENT, -ARGUMENT]),), outputs=2, transform="vmap").values
    np.testing.assert_array_equal(inside_jit, True)
    np.testing.assert_array_equal(gradient, 8 * ARGUMENT)
    np.testing.assert_array_equal(other, 0 * ARGUMENT)
    np.testing.assert_array_equal(stacked[0], np.stack([2 * ARGUMENT, -2 * ARGUMENT]))
