"""What the machine itself offers to a grading: instructions, libraries of the system, memory."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import platform
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MIB = 1024 * 1024
ADDRESSES = "ulimit -v"  # the limit of a process's addresses, of which JAX takes more than of memory
AVX_ON_WINDOWS = 39  # PF_AVX_INSTRUCTIONS_AVAILABLE


def translated() -> bool:
    """Whether Apple silicon runs this Python through Rosetta, its translation of Intel programs."""
    return _sysctl("sysctl.proc_translated") == "1"


def _sysctl(name: str) -> str:
    """What macOS says about itself; nothing elsewhere."""
    if platform.system() != "Darwin":
        return ""
    return subprocess.run(["/usr/sbin/sysctl", "-n", name], capture_output=True, text=True, check=False).stdout.strip()


def avx() -> bool | None:
    """Whether an x86 processor has the instructions that jaxlib is built for; None for others and the unknown."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return None
    library: Any = ctypes
    if platform.system() == "Windows":
        return bool(library.windll.kernel32.IsProcessorFeaturePresent(AVX_ON_WINDOWS))
    if features := _sysctl("machdep.cpu.features"):
        return "AVX1.0" in features
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        return any("avx" in line.split() for line in lines if line.startswith("flags"))
    return None


def visual_cpp() -> bool:
    """Whether the runtime of Visual C++ is there, which jaxlib needs on Windows and does not bring along."""
    if platform.system() != "Windows":
        return True
    library: Any = ctypes
    try:
        library.WinDLL("msvcp140.dll")
    except OSError:
        return False
    return True


def long_paths() -> bool:
    """Whether paths may be longer than 260 characters."""
    if platform.system() != "Windows":
        return True
    winreg: Any = importlib.import_module("winreg")
    try:
        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SYSTEM\CurrentControlSet\Control\FileSystem") as key:
            return bool(winreg.QueryValueEx(key, "LongPathsEnabled")[0])
    except OSError:
        return False


def memory_mib() -> Iterator[tuple[str, int]]:
    """How much memory there is for a process, by what sets the limit."""
    with contextlib.suppress(ImportError):
        import psutil  # only those who ask pay for it

        yield "this machine", psutil.virtual_memory().total // MIB
    if limits := list(_cgroup_bytes()):
        yield "the container or job", min(limits) // MIB
    with contextlib.suppress(ImportError):  # Windows has no such limit
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            yield ADDRESSES, soft // MIB


def _cgroup_bytes() -> Iterator[int]:
    """Memory limits of the control groups around this process, of either version."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        root, name = ("", "memory.max") if not controllers else ("memory", "memory.limit_in_bytes")
        if controllers and "memory" not in controllers.split(","):
            continue
        inner = Path("/sys/fs/cgroup", root, group.lstrip("/"))
        for folder in (inner, *inner.parents):
            with contextlib.suppress(OSError, ValueError):  # "max" is no number
                yield int((folder / name).read_text(encoding="ascii"))
