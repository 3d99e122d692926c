"""Turning what student code returns into plain arrays, or a description of what it is instead."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.running import protocol

UNPACK_LIMIT = 16
STILL_OPEN = "is still `...`"


class Refused(Exception):
    """An object that is not an array, a number or a list of them."""


class Unfilled(Exception):
    """Something that is still to be written: ``...`` or NotImplementedError."""


class Arrays:
    """Judges by exact type, so that no object can play an array.

    ``jax_array`` is the concrete class of JAX arrays, which its tracers do not have.
    """

    def __init__(self, jax_array: type) -> None:
        self._jax_array = jax_array

    def unpack(self, value: Any, outputs: int) -> tuple[np.ndarray, ...]:
        """``value`` as ``outputs`` arrays; anything that unpacks is right, except an array, a dict or a string.

        Raises Refused with a description, Unfilled where something is still ``...``.
        """
        if value is ...:
            raise Unfilled(STILL_OPEN)
        if type(value) is dict:
            raise Refused(f"a dict with {', '.join(repr(key) for key in list(value)[:UNPACK_LIMIT])}")
        if self.is_array(value):
            raise Refused(f"one array of shape {np.shape(value)}" if np.ndim(value) else "a number")
        if value is None or isinstance(value, str | bytes):
            raise Refused(kind_of(value))
        try:
            parts = [part for part, _ in zip(value, range(UNPACK_LIMIT + 1), strict=False)]
        except TypeError as error:
            raise Refused(kind_of(value)) from error
        if len(parts) > UNPACK_LIMIT:
            raise Refused(f"more than {UNPACK_LIMIT} values")
        if len(parts) != outputs:
            raise Refused(f"{len(parts)} value" + "s" * (len(parts) != 1))
        return tuple(self.to_array(part) for part in parts)

    def to_array(self, value: Any) -> np.ndarray:
        """A number, an array or nested lists of them as one NumPy array; raises as ``unpack`` does."""
        if value is ...:
            raise Unfilled(STILL_OPEN)
        if type(value) in (list, tuple):
            items = [self.to_array(item) for item in value]
            if type(value) is tuple and len(items) == 2 and items[0].shape != items[1].shape:
                raise Refused("a pair, as a function returns it; keep one part, as in `output, _ = attend(…)`")
            if len({item.shape for item in items}) > 1:
                raise Refused(f"a {type(value).__name__} whose rows have different lengths")
            return np.stack(items) if items else np.zeros((0,))
        if not self.is_array(value):
            raise Refused(kind_of(value))
        array = np.asarray(value)
        if array.dtype.kind == "V" and array.dtype.fields is None:  # bfloat16 and the like have no .npy form
            array = array.astype(np.float32)
        if array.ndim > protocol.AXES_LIMIT:
            raise Refused(f"an array with {array.ndim} axes")
        if array.dtype.kind not in protocol.KINDS_OF_DTYPE:
            raise Refused(f"an array of dtype {array.dtype}")
        return array

    def is_array(self, value: Any) -> bool:
        """Whether ``value`` is exactly a number, a NumPy array or a JAX array."""
        kind = type(value)
        numbers = kind in (np.ndarray, int, float, bool) or (
            kind.__module__ == "numpy" and issubclass(kind, np.generic)
        )
        return numbers or kind is self._jax_array


def kind_of(value: Any) -> str:
    """What ``value`` is, for a message: "None", "a dict", "a JAX tracer …"."""
    if value is None:
        return "None"
    kind = type(value)
    if "Tracer" in kind.__name__:
        return "a JAX tracer, kept from inside jit, vmap or grad"
    if "PRNGKey" in kind.__name__:
        return "a JAX random key"
    if kind.__module__ == "builtins":
        return f"a {kind.__name__}"
    return (
        f"an object of type {kind.__name__ if kind.__module__ == '__main__' else f'{kind.__module__}.{kind.__name__}'}"
    )
