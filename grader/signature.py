"""What a lesson says of its functions: reading a signature, holding arguments and answers to it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from grader.errors import LessonError
from grader.model import Argument, Array, Signature, Value, ValueKind

# Times between factors of an axis, as in (T, H·d).
TIMES = "·"
AXIS = rf"\w+(?:{TIMES}\w+)*"
ARRAY = re.compile(
    rf"(?P<name>\w+) \((?P<axes>{AXIS}(?:, {AXIS})*)?,?\)(?: (?P<kind>bool|int))?(?P<optional> or None)?"
)
SIZE = re.compile(r"(?P<name>\w+) = (?P<axis>\w+)")
NUMBER = re.compile(r"(?P<name>\w+) number")
DICT = re.compile(r"(?P<name>\w+) \{(?P<parts>.*)\}")
AS_SENT = {"float": np.float32, "bool": np.bool_, "int": np.int32}
FORMS = '"q (Tq, Dk)", "mask (T, T) bool or None", "n_heads = H", "eps number" or "params {wq (D, H·d), …}"'


def parse_value(text: str, where: str) -> Value:
    """One part of a signature as lesson.toml writes it. Raises LessonError, at ``where``, for any other text."""
    if match := ARRAY.fullmatch(text):
        axes = tuple(match["axes"].split(", ")) if match["axes"] else ()
        kind: ValueKind = "bool" if match["kind"] == "bool" else "int" if match["kind"] == "int" else "float"
        return Value(match["name"], axes, kind, bool(match["optional"]))
    if match := SIZE.fullmatch(text):
        return Value(match["name"], (match["axis"],), "size")
    if match := NUMBER.fullmatch(text):
        return Value(match["name"], (), "number")
    if match := DICT.fullmatch(text):
        parts = re.findall(r"\w+ \([^)]*\)", match["parts"])
        if parts and ", ".join(parts) == match["parts"]:
            return Value(match["name"], (), "dict", parts=tuple(parse_value(part, where) for part in parts))
    raise LessonError(f"{where}: {text!r}; write it as {FORMS}")


def as_sent(signature: Signature, args: Sequence[Any]) -> tuple[Argument, ...]:
    """The arguments as a submission gets them: float32, bool and int32 arrays, Python numbers, dicts of arrays."""

    def one(value: Value, arg: Any) -> Argument:
        if arg is None:
            return None
        if value.kind == "dict":
            return {part.name: np.asarray(arg[part.name], dtype=np.float32) for part in value.parts}
        if value.kind == "size":
            return int(arg)
        return float(arg) if value.kind == "number" else np.asarray(arg, dtype=AS_SENT[value.kind])

    return tuple(one(value, arg) for value, arg in zip(signature.takes, args, strict=True))


def as_computed(arg: Argument) -> Argument:
    """An argument for the NumPy reference: what is float32 for a submission is float64 here."""
    if isinstance(arg, np.ndarray):
        return arg.astype(np.float64) if arg.dtype.kind == "f" else arg
    if isinstance(arg, Mapping):
        return {name: np.asarray(part, dtype=np.float64) for name, part in arg.items()}
    return arg


def arrays_in(args: Sequence[Argument]) -> list[Array]:
    """All arrays among the arguments, those inside dicts too."""
    found: list[Array] = []
    for arg in args:
        if isinstance(arg, np.ndarray):
            found.append(arg)
        elif isinstance(arg, Mapping):
            found.extend(arg.values())
    return found


def bind_axes(signature: Signature, args: Sequence[Argument]) -> dict[str, int]:
    """The size of every axis name for these arguments; in H·d the factor that is known gives the other."""
    sizes: dict[str, int] = {}
    products: list[tuple[list[str], int]] = []
    for value, arg in _flat(signature.takes, args):
        if isinstance(arg, int) and value.kind == "size":
            sizes[value.axes[0]] = arg
        elif isinstance(arg, np.ndarray):
            for axis, size in zip(value.axes, arg.shape, strict=True):
                factors = axis.split(TIMES)
                if len(factors) == 1:
                    sizes[axis] = size
                else:
                    products.append((factors, size))
    for factors, size in products:
        unknown = [factor for factor in factors if factor not in sizes]
        if len(unknown) == 1:
            sizes[unknown[0]] = size // math.prod(sizes[factor] for factor in factors if factor in sizes)
    return sizes


def size_of(axis: str, sizes: Mapping[str, int]) -> int:
    """The size of an axis, or of a product of axes, or of an axis that is written as a number."""
    return math.prod(int(factor) if factor.isdigit() else sizes[factor] for factor in axis.split(TIMES))


def described(signature: Signature, args: Sequence[Argument]) -> str:
    """The arguments in words: "q (3, 4), n_heads 2, mask None"."""
    words = []
    for value, arg in _flat(signature.takes, args):
        words.append(f"{value.name} {arg.shape}" if isinstance(arg, np.ndarray) else f"{value.name} {arg}")
    return ", ".join(words)


def named_inputs(signature: Signature, args: Sequence[Argument]) -> dict[str, Array]:
    """The arguments by name, for a witness; parts of a dict as params["wq"]."""
    named: dict[str, Array] = {}
    for value, arg in zip(signature.takes, args, strict=True):
        if isinstance(arg, Mapping):
            named |= {f'{value.name}["{name}"]': part for name, part in arg.items()}
        elif arg is not None:
            named[value.name] = np.asarray(arg)
    return named


def _flat(values: Sequence[Value], args: Sequence[Argument]) -> list[tuple[Value, Argument]]:
    pairs: list[tuple[Value, Argument]] = []
    for value, arg in zip(values, args, strict=True):
        if isinstance(arg, Mapping):
            pairs.extend((part, arg[part.name]) for part in value.parts)
        else:
            pairs.append((value, arg))
    return pairs
