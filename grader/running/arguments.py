"""The arguments of a call on their way to the worker: a layout as JSON and the arrays in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

# In a layout: an array is "array", a dict of arrays {"dict": [names]}, a Python number or None stands for itself.
ARRAY = "array"


def lay_out(args: Sequence[Any]) -> tuple[list[Any], list[np.ndarray]]:
    """``args`` (arrays, dicts of arrays, Python numbers, None) as a layout and the arrays that it speaks of."""
    layout: list[Any] = []
    arrays: list[np.ndarray] = []
    for arg in args:
        if isinstance(arg, np.ndarray):
            layout.append(ARRAY)
            arrays.append(arg)
        elif isinstance(arg, Mapping):
            layout.append({"dict": list(arg)})
            arrays.extend(arg.values())
        else:
            layout.append(arg)
    return layout, arrays


def restore(layout: Sequence[Any], arrays: Sequence[np.ndarray], convert: Callable[[np.ndarray], Any]) -> list[Any]:
    """The arguments again, every array as ``convert`` makes it."""
    left: Iterator[np.ndarray] = iter(arrays)

    def one(part: Any) -> Any:
        if part == ARRAY:
            return convert(next(left))
        if isinstance(part, dict):
            return {name: convert(next(left)) for name in part["dict"]}
        return part

    return [one(part) for part in layout]


def over_arrays(function: Callable[..., Any], args: Sequence[Any]) -> tuple[Callable[..., Any], list[Any]]:
    """``function`` of its arrays and dicts alone, the other arguments held fixed; with those arrays and dicts.

    A transformation traces what it is given, and a number of heads must stay a Python number.
    """
    places = [place for place, arg in enumerate(args) if arg is not None and not isinstance(arg, int | float)]

    def of_arrays(*traced: Any) -> Any:
        filled = list(args)
        for place, value in zip(places, traced, strict=True):
            filled[place] = value
        return function(*filled)

    return of_arrays, [args[place] for place in places]
