"""What a submission may use, and how the limits follow the speed of the machine."""

from __future__ import annotations

from dataclasses import dataclass, replace

# Importing jax and starting its CPU backend took this long on the machine where the limits
# below were chosen (two cores, Python 3.11, jax 0.10.2).
NOMINAL_WARMUP_S = 0.75


@dataclass(frozen=True)
class Limits:
    """Limits of one grading; times in wall seconds on a machine of nominal speed.

    The reference runs the whole of a lesson's file in well under a second and answers a
    call in milliseconds once compiled, half a second before: the limits leave ten times that.
    """

    run_s: float = 8.0
    call_s: float = 5.0
    total_s: float = 60.0
    warmup_s: float = 120.0
    memory_mib: int = 4096
    output_kib: int = 64
    disk_mib: int = 64
    cpu_s: float = 60.0
    runs: int = 4
    strikes: int = 2

    def calibrated(self, warmup_s: float) -> Limits:
        """The limits for a machine on which the warm-up took ``warmup_s``: never shorter."""
        slowdown = min(max(warmup_s / NOMINAL_WARMUP_S, 1.0), 20.0)
        scaled = ("run_s", "call_s", "total_s", "cpu_s")
        return replace(self, **{name: getattr(self, name) * slowdown for name in scaled})
