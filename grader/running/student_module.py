"""One submission inside the worker: its statements run, its names looked up, its functions called."""

from __future__ import annotations

import ast
import contextlib
import difflib
import linecache
import os
import sys
import traceback
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.running import arguments, protocol, source
from grader.running.values import STILL_OPEN, Arrays, Refused, Unfilled

Write = Callable[[bytes], None]


class Absent(Exception):
    """A name that the file does not define."""


class StudentModule:
    """A submission as a module named ``__main__``.

    ``to_jax`` makes a JAX array; ``transforms`` are the function transformations that a call can name.
    """

    def __init__(
        self,
        frame: protocol.Frame,
        write: Write,
        *,
        arrays: Arrays,
        to_jax: Callable[[np.ndarray], Any],
        transforms: Mapping[str, Callable[[Any], Any]],
    ) -> None:
        self._source = frame.arrays[0].tobytes()
        self._path: str = frame.fields["path"]
        self._skip = frozenset(frame.fields["skip"])
        self._write = write
        self._arrays = arrays
        self._to_jax = to_jax
        self._transforms = transforms
        self._tree = ast.Module([], [])
        self._module = types.ModuleType("__main__")
        self._module.__file__ = self._path
        sys.modules["__main__"] = self._module
        sys.argv = [self._path]
        if folder := frame.fields["folder"]:
            os.chdir(folder)
            # At the end: a neighbour called random.py must not replace the library.
            sys.path.append(folder)

    @property
    def _names(self) -> dict[str, Any]:
        return self._module.__dict__

    # ---- running the file -------------------------------------------------------

    def run(self) -> None:
        """Run the top-level statements in order; report those that raise and go on."""
        try:
            self._tree = ast.parse(self._source, self._path)
            flags = compile(self._tree, self._path, "exec", dont_inherit=True).co_flags & _FUTURE_FLAGS
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self._event("unreadable", getattr(error, "lineno", None), "", describe(error))
            return
        text = self._source.decode("utf-8", "replace")
        linecache.cache[self._path] = (len(text), None, text.splitlines(keepends=True), self._path)
        self._names["__doc__"] = ast.get_docstring(self._tree, clean=False)
        suspects = source.functions_used(self._tree, self._skip)
        for index, statement in enumerate(self._tree.body):
            if index in self._skip:
                continue
            bound = " ".join(sorted(set(source.bound_names(statement))))[: protocol.TEXT_LIMIT]
            if used := sorted(suspects & source.used_names(statement)):
                self._event("unrun", statement.lineno, bound, f"was not run, since it uses {used[0]} too")
                continue
            self._write(protocol.encode("statement", index=index, line=statement.lineno, names=bound))
            try:
                code = compile(ast.Module([statement], []), self._path, "exec", flags, dont_inherit=True)
                exec(code, self._names)  # noqa: S102 - running it is what this process is for
            except SystemExit as error:
                self._event(
                    "exit",
                    self._line(error) or statement.lineno,
                    bound,
                    "sys.exit()" if error.code is None else f"sys.exit({error.code!r})",
                )
            except BaseException as error:
                self._event("raised", self._line(error) or statement.lineno, bound, self._describe(error))
            flush()

    def _event(self, event: str, line: int | None, names: str, message: str) -> None:
        self._write(protocol.encode("event", event=event, line=line or 0, names=names, message=cut(message)))

    def _describe(self, error: BaseException) -> str:
        """The interpreter's words; for an error that says nothing, such as a bare assert, the line it is in."""
        said = describe(error)
        line = self._line(error)
        text = linecache.getline(self._path, line).strip() if line else ""
        return f"{said}: {text}" if said == type(error).__name__ and text else said

    def _line(self, error: BaseException) -> int | None:
        """The last line of the student's own file that the error passed through."""
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == self._path]
        return lines[-1] if lines else None

    # ---- answering --------------------------------------------------------------

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
            return protocol.encode("error", message=cut(self._describe(error)), line=self._line(error) or 0)
        finally:
            flush()

    def _set_more_than_once(self, frame: protocol.Frame) -> str:
        """A note on a variable that several statements set, for when its last value is not the right one."""
        name = frame.fields["name"]
        lines = [str(node.lineno) for node in self._tree.body if name in source.bound_names(node)]
        return f"{name} is set in lines {', '.join(lines)}; the last counts." if len(lines) > 1 else ""

    def _lookup(self, name: str) -> Any:
        if name not in self._names:
            raise Absent(self._where_is(name))
        if self._names[name] is ...:
            raise Unfilled("is not written yet: it is still `...`")
        return self._names[name]

    def _where_is(self, name: str) -> str:
        """A sentence on what main.py has in place of ``name``."""
        if inside := source.set_inside(self._tree, name):
            return (
                f"is set inside `{inside[0]}` (line {inside[1]}), where nothing outside can see it; "
                "move it to the top level of the file"
            )
        mine = [
            key
            for key, value in self._names.items()
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
        if source.is_stub(self._tree, getattr(function, "__name__", None)):
            raise Unfilled("has no body yet")
        # JAX arrays for a file that uses JAX, NumPy arrays for one that does not.
        convert = self._to_jax if source.imports_jax(self._tree) else np.copy
        args = arguments.restore(frame.fields["layout"], frame.arrays, convert)
        if not frame.fields["transform"]:
            return function(*args)
        of_arrays, traced = arguments.over_arrays(function, args)
        return self._transforms[frame.fields["transform"]](of_arrays)(*traced)


_FUTURE_FLAGS = 0
for _feature in __import__("__future__").all_feature_names:
    _FUTURE_FLAGS |= getattr(__import__("__future__"), _feature).compiler_flag


def flush() -> None:
    """Hand over what the student printed so far."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a student may have closed or replaced it: that costs only the output
            stream.flush()


def cut(text: str) -> str:
    """``text`` short enough for a header even when every character is escaped."""
    return text if len(text) <= protocol.TEXT_LIMIT else text[: protocol.TEXT_LIMIT] + " …"


def describe(error: BaseException) -> str:
    """The interpreter's own words about ``error`` in one line; never raises."""
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        first = next((line.strip() for line in str(text).splitlines() if line.strip()), "")
        return f"{type(error).__name__}: {first}" if first else type(error).__name__
    except BaseException:
        return type(error).__name__
