"""The child process: runs one submission, answers with arrays, decides nothing.

The only module that imports JAX. It holds no oracle, no seed and no lesson; what it
sends is data that the grader does not trust. Started by ``process.py`` with two
descriptors, one for the grader's frames and one for its own.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import linecache
import os
import sys
import time
import traceback
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from grader.running import protocol

UNPACK_LIMIT = 16


class Refused(Exception):
    """An object that is not an array, a number or a list of them."""


class Unfilled(Exception):
    """Something that is still to be written: ``...`` or NotImplementedError."""


def main(requests: int, replies: int) -> None:
    """Serve frames from descriptor ``requests`` until it ends."""
    reader, write = os.fdopen(requests, "rb"), _writer(replies)
    started = time.perf_counter()
    jax = warm_up()
    write(
        protocol.encode(
            "ready",
            python=sys.version.split()[0],
            jax=jax.__version__,
            numpy=np.__version__,
            warmup_s=time.perf_counter() - started,
        )
    )
    student = None
    while (frame := protocol.read_frame(reader.read)) is not None:
        if frame.kind == "run":
            limit_memory(frame.fields["memory_mib"])
            student = Student(frame, write)
            student.run()
            write(protocol.encode("finished"))
        elif student is not None:
            write(student.answer(frame))


def warm_up() -> Any:
    """Import jax and start its CPU backend, so that a student's first line is not charged for it."""
    import jax
    import jax.numpy as jnp

    jnp.zeros((1, 1)).block_until_ready()
    return jax


def limit_memory(memory_mib: int) -> None:
    """Cap the address space where the system can: an allocation without end becomes a MemoryError."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = memory_mib * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _writer(descriptor: int) -> Callable[[bytes], None]:
    def write(data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    return write


class Student:
    """A submission as a module named ``__main__``."""

    def __init__(self, frame: protocol.Frame, write: Callable[[bytes], None]) -> None:
        self.source = frame.arrays[0].tobytes()
        self.path: str = frame.fields["path"]
        self.skip = frozenset(frame.fields["skip"])
        self.write = write
        self.tree = ast.Module([], [])
        self.module = types.ModuleType("__main__")
        self.module.__file__ = self.path
        sys.modules["__main__"] = self.module
        sys.argv = [self.path]
        if folder := frame.fields["folder"]:
            os.chdir(folder)
            # At the end: a neighbour called random.py must not replace the library.
            sys.path.append(folder)

    @property
    def names(self) -> dict[str, Any]:
        """The module's globals."""
        return self.module.__dict__

    # ---- running the file -------------------------------------------------------

    def run(self) -> None:
        """Run the top-level statements in order; report those that raise and go on."""
        try:
            self.tree = ast.parse(self.source, self.path)
            flags = compile(self.tree, self.path, "exec", dont_inherit=True).co_flags & _FUTURE_FLAGS
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self._event("unreadable", getattr(error, "lineno", None), "", describe(error))
            return
        text = self.source.decode("utf-8", "replace")
        linecache.cache[self.path] = (len(text), None, text.splitlines(keepends=True), self.path)
        self.names["__doc__"] = ast.get_docstring(self.tree, clean=False)
        suspects = self._functions_used_by_skipped()
        for index, statement in enumerate(self.tree.body):
            if index in self.skip:
                continue
            bound = " ".join(sorted(set(bound_names(statement))))[: protocol.TEXT_LIMIT]
            if used := sorted(suspects & used_names(statement)):
                self._event("unrun", statement.lineno, bound, f"was not run, since it uses {used[0]} too")
                continue
            self.write(protocol.encode("statement", index=index, line=statement.lineno, names=bound))
            try:
                code = compile(ast.Module([statement], []), self.path, "exec", flags, dont_inherit=True)
                exec(code, self.names)  # noqa: S102 - running it is what this process is for
            except SystemExit as error:
                self._event("exit", self._line(error) or statement.lineno, bound, f"sys.exit({error.code!r})")
            except BaseException as error:
                self._event("raised", self._line(error) or statement.lineno, bound, describe(error))
            flush()

    def _functions_used_by_skipped(self) -> frozenset[str]:
        """Functions of the file that a statement used which hung or killed the process."""
        defined = {node.name for node in self.tree.body if isinstance(node, ast.FunctionDef)}
        skipped = [node for index, node in enumerate(self.tree.body) if index in self.skip]
        return frozenset(defined & set().union(*map(used_names, skipped)))

    def _event(self, event: str, line: int | None, names: str, message: str) -> None:
        self.write(protocol.encode("event", event=event, line=line or 0, names=names, message=cut(message)))

    def _line(self, error: BaseException) -> int | None:
        """The last line of the student's own file that the error passed through."""
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == self.path]
        return lines[-1] if lines else None

    # ---- answering --------------------------------------------------------------

    def answer(self, frame: protocol.Frame) -> bytes:
        """The reply to a ``call`` or ``read`` frame."""
        try:
            value = self._lookup(frame.fields["name"])
            if frame.kind == "read":
                arrays: tuple[np.ndarray, ...] = (to_array(value),)
            else:
                result = self._call(value, frame)
                outputs = frame.fields["outputs"]
                arrays = (to_array(result),) if outputs == 1 else unpack(result, outputs)
            return protocol.encode("values", arrays)
        except Unfilled as error:
            return protocol.encode("unfilled", message=cut(str(error)))
        except Refused as error:
            return protocol.encode("refused", message=cut(str(error)))
        except protocol.ProtocolError as error:
            return protocol.encode("refused", message=cut(f"an answer that is too large: {error}"))
        except Absent as error:
            return protocol.encode("absent", message=cut(str(error)))
        except BaseException as error:
            if isinstance(error, NotImplementedError):
                return protocol.encode("unfilled", message="raises NotImplementedError")
            return protocol.encode("error", message=cut(describe(error)), line=self._line(error) or 0)
        finally:
            flush()

    def _lookup(self, name: str) -> Any:
        if name in self.names:
            value = self.names[name]
            if value is ...:
                raise Unfilled("is still `...`")
            return value
        raise Absent(self._where_is(name))

    def _where_is(self, name: str) -> str:
        """A sentence on what main.py has in place of ``name``."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and any(
                name in bound_names(part) for part in node.body
            ):
                return (
                    f"is set inside `{node.name}` (line {node.lineno}), where nothing outside can see it; "
                    "move it to the top level of the file"
                )
        mine = [
            key for key in self.names if not key.startswith("__") and not isinstance(self.names[key], types.ModuleType)
        ]
        folded = {key.casefold().replace("_", ""): key for key in mine}
        close = difflib.get_close_matches(name, mine, n=1, cutoff=0.7) or [
            key for fold, key in folded.items() if fold == name.casefold().replace("_", "")
        ]
        return f"is not there; did you mean to rename `{close[0]}`?" if close else "is not there"

    def _call(self, function: Any, frame: protocol.Frame) -> Any:
        if not callable(function):
            raise Refused(f"{kind_of(function)}, not a function")
        if self._is_stub(function):
            raise Unfilled("has no body yet")
        args = [self._argument(array) for array in frame.arrays]
        transform = frame.fields["transform"]
        return TRANSFORMS[transform](function)(*args) if transform else function(*args)

    def _argument(self, array: np.ndarray) -> Any:
        """JAX arrays for a file that uses JAX, NumPy arrays for one that does not."""
        if not imports_jax(self.tree):
            return array.copy()
        import jax.numpy as jnp

        return jnp.asarray(array)

    def _is_stub(self, function: Any) -> bool:
        name = getattr(function, "__name__", None)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return all(
                    isinstance(part, ast.Pass) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
                    for part in node.body
                )
        return False


class Absent(Exception):
    """A name that the file does not define."""


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


def bound_names(node: ast.AST) -> Iterator[str]:
    """Names that a statement sets in its own scope."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    if isinstance(node, ast.Lambda):
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


# ---- values ----------------------------------------------------------------------


def unpack(value: Any, outputs: int) -> tuple[np.ndarray, ...]:
    """``value`` as ``outputs`` arrays; anything that unpacks is right, except a dict or a string."""
    if type(value) is dict:
        raise Refused(f"a dict with {', '.join(repr(key) for key in list(value)[:UNPACK_LIMIT])}")
    if value is None or isinstance(value, str | bytes) or (is_array(value) and np.ndim(value) == 0):
        raise Refused(kind_of(value))
    if is_array(value):
        raise Refused(f"one array of shape {np.shape(value)}")
    try:
        parts = []
        for part in value:
            parts.append(part)
            if len(parts) > UNPACK_LIMIT:
                break
    except TypeError as error:
        raise Refused(kind_of(value)) from error
    if len(parts) != outputs:
        raise Refused(
            "more than 16 values" if len(parts) > UNPACK_LIMIT else f"{len(parts)} value" + "s" * (len(parts) != 1)
        )
    return tuple(to_array(part) for part in parts)


def to_array(value: Any) -> np.ndarray:
    """``value`` as a NumPy array of numbers; judged by exact type, so no object can play one.

    Raises Refused with a description, Unfilled where something is still ``...``.
    """
    if value is ...:
        raise Unfilled("is still `...`")
    if type(value) in (list, tuple):
        items = [to_array(item) for item in value]
        if len({item.shape for item in items}) > 1:
            raise Refused(f"a {type(value).__name__} whose rows have different lengths")
        return np.stack(items) if items else np.zeros((0,))
    if not is_array(value):
        raise Refused(kind_of(value))
    import jax

    if isinstance(value, jax.Array) and jax.dtypes.issubdtype(value.dtype, jax.dtypes.extended):
        raise Refused("a JAX random key")
    array = np.asarray(value)
    if array.dtype.kind == "V":  # bfloat16 and the 8-bit floats of JAX have no .npy form
        array = array.astype(np.float32)
    if array.dtype.kind not in protocol.KINDS_OF_DTYPE:
        raise Refused(f"an array of dtype {array.dtype}")
    return array


def is_array(value: Any) -> bool:
    """Whether ``value`` is exactly a number, a NumPy array or a JAX array."""
    kind = type(value)
    if kind in (np.ndarray, int, float, bool) or (kind.__module__ == "numpy" and issubclass(kind, np.generic)):
        return True
    from jax._src.array import ArrayImpl  # the concrete class behind jax.Array, which tracers share

    return kind is ArrayImpl


def kind_of(value: Any) -> str:
    """What ``value`` is, for a message: "None", "a dict", "a JAX tracer …"."""
    if value is None:
        return "None"
    kind = type(value)
    if "Tracer" in kind.__name__:
        return "a JAX tracer, kept from inside jit, vmap or grad"
    name = kind.__name__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__name__}"
    return f"an object of type {name}" if kind.__module__ != "builtins" else f"a {name}"


# ---- transforms ------------------------------------------------------------------


def _jit(function: Any) -> Any:
    import jax

    return jax.jit(lambda *args: function(*args))


def _vmap_first(function: Any) -> Any:
    """Over a leading axis of the first argument; the other arguments are shared."""
    import jax

    return lambda first, *rest: jax.vmap(lambda one: function(one, *rest))(first)


def _grad(function: Any) -> Any:
    """Gradients, by every argument, of the sum of squares of the first output."""
    import jax

    def loss(*args: Any) -> Any:
        return (function(*args)[0] ** 2).sum()

    return lambda *args: jax.grad(loss, argnums=tuple(range(len(args))))(*args)


TRANSFORMS = {"jit": _jit, "vmap": _vmap_first, "grad": _grad}


def _descriptor(handle: int, flags: int) -> int:
    """What was inherited as a descriptor: Windows hands over a handle."""
    if os.name == "posix":
        return handle
    msvcrt: Any = __import__("msvcrt")
    return int(msvcrt.open_osfhandle(handle, flags))


if __name__ == "__main__":
    main(_descriptor(int(sys.argv[1]), os.O_RDONLY), _descriptor(int(sys.argv[2]), os.O_WRONLY))
