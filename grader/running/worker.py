"""The process in which student code runs: answers with arrays, decides nothing.

The only module that imports JAX. It holds no oracle, no seed and no lesson; what it sends is data that
the grader does not trust. ``process.py`` starts it as a program with two descriptors, one for the
grader's frames and one for its own; ``fork_server.py`` forks it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from grader.running import protocol
from grader.running.student_module import StudentModule, Write
from grader.running.values import Arrays


def main(requests: int, replies: int) -> None:
    """Import JAX, start its CPU backend and serve: a student's first line is not charged for it."""
    started = time.perf_counter()
    import jax.numpy as jnp

    jnp.zeros((1, 1)).block_until_ready()
    serve(requests, replies, warmup_s=time.perf_counter() - started)


def serve(requests: int, replies: int, *, warmup_s: float) -> None:
    """Answer frames from descriptor ``requests`` until it ends."""
    import jax
    from jax._src.array import ArrayImpl  # the concrete class behind jax.Array

    reader, write = os.fdopen(requests, "rb"), _writer(replies)
    greeting = {"python": sys.version.split()[0], "jax": jax.__version__, "numpy": np.__version__}
    write(protocol.encode("ready", **greeting, warmup_s=warmup_s))
    student = None
    while (frame := protocol.read_frame(reader.read)) is not None:
        if frame.kind == "run":
            limit_memory(frame.fields["memory_mib"])
            student = StudentModule(
                frame, write, arrays=Arrays(ArrayImpl), to_jax=jax.numpy.asarray, transforms=TRANSFORMS
            )
            student.run()
            write(protocol.encode("finished"))
        elif student is not None:
            write(student.answer(frame))


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


def _writer(descriptor: int) -> Write:
    def write(data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    return write


# ---- transforms ------------------------------------------------------------------


def _jit(function: Any) -> Any:
    """What jit does to a function, at a tenth of the cost: traced as one, then run operation by operation."""
    import jax
    from jax.extend.core import jaxpr_as_fun

    def traced(*args: Any) -> Any:
        program, shape = jax.make_jaxpr(lambda *args: function(*args), return_shape=True)(*args)
        outputs = jaxpr_as_fun(program)(*args)
        return jax.tree.unflatten(jax.tree.structure(shape), outputs)

    return traced


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


TRANSFORMS: dict[str, Callable[[Any], Any]] = {"jit": _jit, "vmap": _vmap_first, "grad": _grad}


def _descriptor(handle: int, flags: int) -> int:
    """What was inherited as a descriptor: Windows hands over a handle."""
    if os.name == "posix":
        return handle
    msvcrt: Any = __import__("msvcrt")
    return int(msvcrt.open_osfhandle(handle, flags))


if __name__ == "__main__":
    main(_descriptor(int(sys.argv[1]), os.O_RDONLY), _descriptor(int(sys.argv[2]), os.O_WRONLY))
