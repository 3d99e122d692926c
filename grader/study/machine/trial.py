"""The trial that proves a machine: a worker is started as for a grading, runs a file, answers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

SOURCE = b"import jax.numpy as jnp\n\ntotal = jnp.arange(4.0).sum()\n"
TOTAL = 6.0


@dataclass(frozen=True)
class Trial:
    """What came of it: ``error`` is empty when the worker answered.

    ``protections`` say what holds in a confined child, ``weakness`` why children are not confined, or nothing.
    """

    wall_s: float = 0.0
    error: str = ""
    weakness: str = ""
    protections: Mapping[str, bool] = field(default_factory=dict)


def trial() -> Trial:
    """Start a worker and have it run a file; whatever goes wrong is in the result."""
    started = time.perf_counter()
    weakness, protections, said = "", {}, ""
    try:
        # Here, so that a library which cannot be imported is a result too.
        from grader.errors import WorkerError
        from grader.model import Submission
        from grader.running.program import WorkerProgram
        from grader.running.runner import Runner
    except (ImportError, OSError) as error:
        return Trial(error=f"{type(error).__name__}: {error}")
    try:
        with Runner() as runner:
            weakness = runner.weakness()
            protections = runner.server.protections if runner.server is not None else {}
            with WorkerProgram(Submission("main.py", SOURCE, "0" * 64), open_worker=runner.open) as program:
                reply = program.read("total")
        if not reply.values or float(reply.values[0]) != TOTAL:
            said = f"the worker answered: {reply.message or reply.kind}"
    except (WorkerError, OSError) as error:
        said = str(error)
    return Trial(time.perf_counter() - started, said, weakness, protections)
