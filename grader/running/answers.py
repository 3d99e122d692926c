"""Answering questions about a namespace: its names looked up, its functions called."""

from __future__ import annotations

import contextlib
import difflib
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.place import all_in_words
from grader.running import arguments, protocol, source
from grader.running.listing import Listing
from grader.running.values import STILL_OPEN, Arrays, Refused, Unfilled


class Absent(Exception):
    """A name that the file does not define."""


class Answers:
    """The namespace ``names`` with the ``listing`` of the code that made it.

    ``to_jax`` makes a JAX array; ``transforms`` are the function transformations that a call can name. In a live
    kernel cells are run ``anew`` all the time: that a name is set twice says nothing there.
    """

    def __init__(
        self,
        names: Mapping[str, Any],
        listing: Listing,
        *,
        arrays: Arrays,
        to_jax: Callable[[np.ndarray], Any],
        transforms: Mapping[str, Callable[[Any], Any]],
        anew: bool = False,
    ) -> None:
        self.names = names
        self.listing = listing
        self._arrays = arrays
        self._to_jax = to_jax
        self._transforms = transforms
        self._anew = anew

    def answer(self, frame: protocol.Frame) -> bytes:
        """The reply to a ``call`` or ``read`` frame."""
        try:
            value = self._lookup(frame.fields["name"])
            if frame.kind == "read":
                arrays: tuple[np.ndarray, ...] = (self._arrays.to_array(value),)
            else:
                result, outputs = self._call(value, frame), frame.fields["outputs"]
                one = outputs == 1 and frame.fields["transform"] != "grad"  # gradients come in a tuple
                arrays = (self._arrays.to_array(result),) if one else self._arrays.unpack(result, outputs)
            return protocol.encode("values", arrays, note=self._set_more_than_once(frame))
        except Unfilled as error:
            returned = frame.kind == "call" and str(error) == STILL_OPEN
            message = "still returns `...`: a TODO in it is open" if returned else str(error)
            return protocol.encode("unfilled", message=cut(message))
        except Refused as error:
            return protocol.encode("refused", message=cut(str(error)))
        except protocol.ProtocolError as error:
            return protocol.encode("refused", message=cut(f"an answer that is too large: {error}"))
        except Absent as error:
            return protocol.encode("absent", message=cut(str(error)))
        except NotImplementedError:
            return protocol.encode("unfilled", message="raises NotImplementedError")
        except BaseException as error:
            return protocol.encode(
                "error", message=cut(self.listing.describe(error)), line=self.listing.line_of(error) or 0
            )
        finally:
            flush()

    def _set_more_than_once(self, frame: protocol.Frame) -> str:
        """A note on a variable that several statements set, for when its last value is not the right one."""
        name = frame.fields["name"]
        lines = [node.lineno for node in self.listing.tree.body if name in source.bound_names(node)]
        if self._anew or len(lines) < 2:
            return ""
        return f"{name} is set in {all_in_words([self.listing.place(line) for line in lines])}; the last counts."

    def _lookup(self, name: str) -> Any:
        if name not in self.names:
            raise Absent(self._where_is(name))
        if self.names[name] is ...:
            raise Unfilled("is not written yet: it is still `...`")
        return self.names[name]

    def _where_is(self, name: str) -> str:
        """A sentence on what is there in place of ``name``."""
        if inside := source.set_inside(self.listing.tree, name):
            return (
                f"is set inside `{inside[0]}` ({self.listing.in_words(inside[1])}), where nothing outside can see it; "
                "move it to the top level of the file"
            )
        mine = [
            key
            for key, value in self.names.items()
            if not key.startswith("__") and not isinstance(value, types.ModuleType)
        ]
        folded = {key.casefold().replace("_", ""): key for key in mine}
        close = difflib.get_close_matches(name, mine, n=1, cutoff=0.7) or [
            key for fold, key in folded.items() if fold == name.casefold().replace("_", "")
        ]
        return f"is not there; did you mean to rename `{close[0]}`" if close else "is not there"

    def _call(self, function: Any, frame: protocol.Frame) -> Any:
        if not callable(function):
            raise Refused("not a function")
        if source.is_stub(self.listing.tree, getattr(function, "__name__", None)):
            raise Unfilled("has no body yet")
        # JAX arrays for a file that uses JAX, NumPy arrays for one that does not.
        convert = self._to_jax if source.imports_jax(self.listing.tree) or _holds_jax(self.names) else np.copy
        args = arguments.restore(frame.fields["layout"], frame.arrays, convert)
        if not frame.fields["transform"]:
            return function(*args)
        of_arrays, traced = arguments.over_arrays(function, args)
        return self._transforms[frame.fields["transform"]](of_arrays)(*traced)


def _holds_jax(names: Mapping[str, Any]) -> bool:
    """Whether one of the names is a module of JAX, wherever it was imported."""
    modules = [value.__name__ for value in names.values() if type(value) is types.ModuleType]
    return any(module.partition(".")[0] == "jax" for module in modules)


def flush() -> None:
    """Hand over what the student printed so far."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a student may have closed or replaced it: that costs only the output
            stream.flush()


def cut(text: str) -> str:
    """``text`` short enough for a header even when every character is escaped."""
    return text if len(text) <= protocol.TEXT_LIMIT else text[: protocol.TEXT_LIMIT] + " …"
