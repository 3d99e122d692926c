"""The submission as a check sees it: functions to call, variables to read, a log of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from grader.errors import Failure
from grader.model import Argument, Array, Program, Reply, Signature, Value, Verdict
from grader.place import in_words
from grader.signature import arrays_in, as_sent, bind_axes, described, size_of


@dataclass(frozen=True)
class Observation:
    """A question that was asked and its answer."""

    name: str
    args: tuple[Argument, ...]
    reply: Reply


class Student:
    """Answers of one program, held to the signatures of the lesson.

    ``student.attend(q, k, v)`` sends the arguments by position, arrays as float32, and gives float64 (or bool) arrays
    back, after their number, shapes and dtype kind were found right; raises Failure otherwise. The same question is
    sent once, except through ``ask_again``.
    """

    def __init__(self, program: Program, signatures: Mapping[str, Signature]) -> None:
        self._program = program
        self._signatures = signatures
        self._memory: dict[tuple[Any, ...], Observation] = {}
        self.asked: list[Observation] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self._signatures:
            raise AttributeError(f"the lesson declares no function {name}; it has {', '.join(self._signatures)}")
        return lambda *args: self._checked(self.observe(name, *args))

    def ask_again(self, name: str, *args: Any) -> Any:
        """Call ``name`` even if the same question was asked before."""
        return self._checked(self.observe(name, *args, remember=False))

    def observe(self, name: str, *args: Any, remember: bool = True) -> Observation:
        """Call ``name`` and record the answer, right or wrong in form; never raises Failure."""
        signature = self._signatures[name]
        sent = as_sent(signature, args)
        numbers = tuple(arg for arg in sent if arg is None or isinstance(arg, int | float))
        key = (name, numbers, *((array.shape, array.tobytes()) for array in arrays_in(sent)))
        if not remember or key not in self._memory:
            reply = self._program.call(name, sent, outputs=len(signature.gives))
            observation = Observation(name, sent, reply)
            if not remember:
                self.asked.append(observation)
                return observation
            self._memory[key] = observation
        self.asked.append(self._memory[key])
        return self._memory[key]

    def transformed(self, transform: str, name: str, *args: Any) -> tuple[Array, ...]:
        """``name`` under "jit", "vmap" (over the first argument) or "grad" (by every floating-point array).

        What is differentiated is the output if it is one number, else the sum of squares of the first output.
        """
        signature = self._signatures[name]
        sent = as_sent(signature, args)
        outputs = len(signature.gives)
        if transform == "grad":
            outputs = sum(isinstance(arg, np.ndarray) and arg.dtype.kind == "f" for arg in sent)
        reply = self._program.call(name, sent, outputs=outputs, transform=transform)
        return _values(reply, f"{name} under {transform}")

    def variable(self, name: str, *, shape: tuple[int, ...] | None = None, given: Sequence[ArrayLike] = ()) -> Array:
        """The variable ``name`` as float64, of ``shape``; ``given`` is what it was computed from."""
        reply = self._program.read(name)
        self.asked.append(Observation(name, tuple(np.asarray(part, dtype=np.float64) for part in given), reply))
        (value,) = _values(reply, name)
        if shape is not None and value.shape != shape:
            raise Failure(f"{name} has shape {value.shape} where {shape} is right.")
        return value

    def observations(self, name: str) -> list[Observation]:
        """All that was asked of ``name``, once each."""
        seen: dict[int, Observation] = {id(one): one for one in self.asked if one.name == name}
        return list(seen.values())

    def is_unfilled(self, name: str) -> bool:
        """Whether ``name`` is still to be written."""
        if name in self._signatures:
            return False  # only a call can tell
        return self._program.read(name).kind in ("unfilled", "absent")

    def _checked(self, observation: Observation) -> Any:
        signature = self._signatures[observation.name]
        given = described(signature, observation.args)
        try:
            outputs = _values(observation.reply, signature.name, signature.gives)
        except Failure as failure:
            if observation.reply.kind == "error":
                failure.message = f"{failure.message.rstrip('.')}. It was called with {given}."
            raise
        sizes = bind_axes(signature, observation.args)
        expected = [tuple(size_of(axis, sizes) for axis in value.axes) for value in signature.gives]
        if [output.shape for output in outputs] == expected[::-1] != expected:
            raise Failure(
                f"{signature.name} returns its values in the other order: "
                f"end with `return {', '.join(value.name for value in signature.gives)}`."
            )
        for value, output, shape in zip(signature.gives, outputs, expected, strict=True):
            if output.shape != shape:
                raise Failure(
                    f"{signature.name}: {value.name} has shape {output.shape} where "
                    f"{_as_axes(value, shape)} is right, for {given}."
                )
        return outputs if len(outputs) > 1 else outputs[0]


def _as_axes(value: Value, shape: tuple[int, ...]) -> str:
    """ "(Tq, Tk) = (2, 3)", or "() (one number)"."""
    return f"({', '.join(value.axes)}) = {shape}" if value.axes else "(), one number,"


def _values(reply: Reply, name: str, gives: Sequence[Value] = ()) -> tuple[Array, ...]:
    """The arrays of ``reply``, floats as float64, or the Failure that it amounts to."""
    where = f"{in_words(reply.line, reply.cell)}: " if reply.line else ""
    match reply.kind:
        case "values":
            kinds = [value.kind for value in gives] or ["float"] * len(reply.values)
            return tuple(_of_kind(array, kind, name) for array, kind in zip(reply.values, kinds, strict=True))
        case "refused" if len(gives) > 1:
            wanted = ", ".join(value.name for value in gives)
            raise Failure(f"{name} returned {reply.message} in place of ({wanted}); end with `return {wanted}`.")
        case "refused":
            raise Failure(f"{name} is {reply.message}; an array of numbers is right.")
        case "unfilled":
            raise Failure(f"{name} {reply.message}.", verdict=Verdict.TODO)
        case "absent":
            raise Failure(f"{name} {reply.message}.", verdict=Verdict.TODO)
        case "timeout":
            raise Failure(
                f"{name}: {where}{reply.message}; look for a loop that does not end.", verdict=Verdict.TIMEOUT
            )
        case "died":
            raise Failure(f"{name}: {where}{reply.message}.", verdict=Verdict.ERROR)
        case "error":
            raise Failure(f"{name}: {where}{reply.message}", verdict=Verdict.ERROR)


def _of_kind(array: Array, kind: str, name: str) -> Array:
    """``array`` as bool where those are right, else as float64; Failure for the other kind of dtype."""
    if kind == "bool":
        if array.dtype.kind != "b":
            raise Failure(
                f"{name} gives numbers ({array.dtype}) where True and False are right: compare, as in `a <= b`."
            )
        return array
    if array.dtype.kind == "b":
        raise Failure(f"{name} gives True and False where numbers are right.")
    return np.asarray(array, dtype=np.float64)
