"""The process in which student code runs: answers with arrays, decides nothing.

The only module that imports JAX. It holds no oracle, no seed and no lesson; what it sends is data that
the grader does not trust. ``process.py`` starts it as a program with two descriptors, one for the
grader's frames and one for its own; ``fork_server.py`` forks it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.running import protocol
from grader.running.answers import Answers
from grader.running.listing import Listing
from grader.running.student_module import StudentModule, Write
from grader.running.values import Arrays


class MemoryCache:
    """JAX's cache interface over programs held in memory, read-only: a child opens no cache file."""

    def __init__(self, programs: Mapping[str, bytes]) -> None:
        self._programs = programs
        self._path = "memory"

    def get(self, key: str) -> bytes | None:
        """The program called ``key``."""
        return self._programs.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Nothing is ever added."""

    def clear(self) -> None:
        """Nothing is ever removed."""


def warm_up(programs: Mapping[str, bytes]) -> float:
    """Do what can be done before a fork, without starting a backend; the seconds that importing JAX took.

    Lowering a program makes an MLIR context, 2.1 ms each time and more than half of the time of a warm
    submission: one context made here serves all programs of a child, with bit-equal results. ``programs`` are given
    to JAX as its compile cache. Both reach into JAX: where its inside has changed, go on without them.
    """
    started = time.perf_counter()
    import jax.numpy  # noqa: F401
    from jax._src import compilation_cache, xla_bridge
    from jax._src.interpreters import mlir

    took_s = time.perf_counter() - started
    if hasattr(xla_bridge, "_discover_and_register_pjrt_plugins"):
        xla_bridge._discover_and_register_pjrt_plugins()  # reads every package's entry points: once is enough
    if make := getattr(mlir, "make_ir_context", None):
        shared, main_thread = make(), threading.get_ident()
        mlir.make_ir_context = lambda: shared if threading.get_ident() == main_thread else make()
    if programs and hasattr(compilation_cache, "_cache") and hasattr(compilation_cache, "_cache_initialized"):
        compilation_cache._cache, compilation_cache._cache_initialized = MemoryCache(programs), True
    return took_s


def backend_started() -> bool:
    """Whether this process has started a backend: a fork of it would hang at its next compilation."""
    from jax._src import xla_bridge

    return bool(xla_bridge.backends_are_initialized())


def main(requests: int, replies: int, memory_mib: int) -> None:
    """Import JAX, start its CPU backend and serve: a student's first line is not charged for it."""
    started = time.perf_counter()
    import jax.numpy as jnp

    jnp.zeros((1, 1)).block_until_ready()
    limit_memory(memory_mib)
    serve(requests, replies, warmup_s=time.perf_counter() - started)


def serve(requests: int, replies: int, *, warmup_s: float) -> None:
    """Answer frames from descriptor ``requests`` until it ends."""
    reader, write = os.fdopen(requests, "rb"), writer(replies)
    write(greeting(warmup_s))
    student = None
    while (frame := protocol.read_frame(reader.read)) is not None:
        if frame.kind == "run":
            student = StudentModule(frame, write, answering=answers_about)
            student.run()
            write(protocol.encode("finished"))
        elif student is not None:
            write(student.answers.answer(frame))


def greeting(warmup_s: float) -> bytes:
    """The first frame: what is here."""
    import jax

    versions = {"python": sys.version.split()[0], "jax": jax.__version__, "numpy": np.__version__}
    return protocol.encode("ready", **versions, warmup_s=warmup_s)


def answers_about(names: Mapping[str, Any], listing: Listing, *, anew: bool = False) -> Answers:
    """Answers about a namespace with JAX at hand; see Answers."""
    import jax
    from jax._src.array import ArrayImpl  # the concrete class behind jax.Array

    arrays = Arrays(ArrayImpl)
    return Answers(names, listing, arrays=arrays, to_jax=jax.numpy.asarray, transforms=TRANSFORMS, anew=anew)


def limit_memory(memory_mib: int) -> None:
    """Cap the address space where the system can: an allocation without end becomes a MemoryError."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = memory_mib * 1024 * 1024
    with contextlib.suppress(ValueError, OSError):  # macOS refuses where the process has more addresses already
        resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def writer(descriptor: int) -> Write:
    """A function that writes all of what it is given to ``descriptor``."""

    def write(data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    return write


# ---- transforms ------------------------------------------------------------------

# These programs run once: compiling them quickly matters more than their speed (a third of the time).
QUICK = {"xla_backend_optimization_level": 0, "xla_cpu_use_fusion_emitters": False}


def _jit(function: Any) -> Any:
    """One program, compiled quickly; as JAX compiles by default where it does not know the options."""
    import jax

    def call(*args: Any) -> Any:
        try:
            return jax.jit(lambda *args: function(*args), compiler_options=QUICK)(*args)
        except jax.errors.JaxRuntimeError:
            return jax.jit(lambda *args: function(*args))(*args)

    return call


def _jit_if_it_can(function: Any) -> Any:
    """``_jit``, or operation by operation for code that jit refuses: whether it does is another question."""
    import jax

    def call(*args: Any) -> Any:
        try:
            return _jit(function)(*args)
        except jax.errors.JAXTypeError:
            return function(*args)

    return call


def _vmap_first(function: Any) -> Any:
    """Over a leading axis of the first argument; the other arguments are shared."""
    import jax

    return _jit_if_it_can(lambda first, *rest: jax.vmap(lambda one: function(one, *rest))(first))


def _grad(function: Any) -> Any:
    """Gradients, by every floating-point array, of a scalar, or of the sum of squares of the (first) output."""
    import jax

    def loss(*args: Any) -> Any:
        result = function(*args)
        first = result[0] if isinstance(result, tuple | list) else result
        return first if first.ndim == 0 else (first**2).sum()

    def gradients(*args: Any) -> Any:
        places = [i for i, arg in enumerate(args) if hasattr(arg, "dtype") and arg.dtype.kind == "f"]
        return jax.grad(loss, argnums=tuple(places))(*args)

    return _jit_if_it_can(gradients)


TRANSFORMS: dict[str, Callable[[Any], Any]] = {"jit": _jit, "vmap": _vmap_first, "grad": _grad}


def _descriptor(handle: int, flags: int) -> int:
    """What was inherited as a descriptor: Windows hands over a handle."""
    if os.name == "posix":
        return handle
    msvcrt: Any = __import__("msvcrt")
    return int(msvcrt.open_osfhandle(handle, flags))


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    main(_descriptor(given[0], os.O_RDONLY), _descriptor(given[1], os.O_WRONLY), given[2])
