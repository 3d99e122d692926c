"""What a forked child gives up before it reads any student code: Landlock, seccomp, capabilities, limits."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import importlib.util
import mmap
import os
import platform
import signal
import socket
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import sandlock

from grader.running import seccomp

# Packages a submission may import, beside the standard library: those of the lessons and what they need.
PACKAGES = (
    "jax", "jaxlib", "numpy", "scipy", "ml_dtypes", "opt_einsum", "matplotlib", "mpl_toolkits", "contourpy", "cycler",
    "kiwisolver", "PIL", "pyparsing", "dateutil", "packaging", "fontTools", "six",
)  # fmt: skip
# XLA reads the processor's features and seeds itself; without cpuinfo larger products fail.
DEVICES = ("/dev/urandom", "/dev/random", "/dev/zero", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu")
LOADER = ("/etc/ld.so.cache", "/lib64", "/etc/localtime")
MINIMUM_LANDLOCK = 3  # truncation; what later versions add, seccomp refuses as well

DOUBLED_BY_SECCOMP = (
    sandlock.Protection.NET_TCP,
    sandlock.Protection.FS_IOCTL_DEV,
    sandlock.Protection.SIGNAL_SCOPE,
    sandlock.Protection.ABSTRACT_UNIX_SOCKET_SCOPE,
)

# A deleted file that is still open escapes the quota of the scratch folder: together these bound it.
LARGEST_FILE_MIB = 16
OPEN_FILES = 64

PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
CAPSET = {"x86_64": 126, "aarch64": 91}
CAPABILITY_VERSION_3 = 0x20080522


@dataclass(frozen=True)
class Policy:
    """What one child may touch and use."""

    readable: tuple[str, ...]
    scratch: str
    memory_mib: int
    disk_mib: int
    cpu_s: int


def readable_paths(packages: Sequence[str] = PACKAGES) -> tuple[str, ...]:
    """Files and folders that a child may read: interpreter, standard library, the named packages; not ours.

    Rules are recursive, so site-packages itself is never among them, only single packages in it.
    """
    found = [*DEVICES, *LOADER]
    for name in ("stdlib", "platstdlib"):
        library = Path(sysconfig.get_path(name))
        found += [str(entry) for entry in library.iterdir() if entry.name not in ("site-packages", "dist-packages")]
    if triplet := sysconfig.get_config_var("MULTIARCH"):
        found += [f"/lib/{triplet}", f"/usr/lib/{triplet}"]
    for package in packages:
        spec = importlib.util.find_spec(package)
        if spec is None:
            continue
        places = spec.submodule_search_locations or ([spec.origin] if spec.origin else [])
        for place in places:
            found.append(place)
            found += [str(path) for path in Path(place).parent.glob(f"{package.lower()}.libs")]
            found += [str(path) for path in Path(place).parent.glob("pillow.libs")] if package == "PIL" else []
    return tuple(path for path in dict.fromkeys(found) if os.path.exists(path))  # noqa: PTH110 - sockets of /proc


def confine(policy: Policy, parent: int) -> None:
    """Confine this process for good; it has to be single-threaded. Raises OSError where it cannot.

    In order: die with the worker, be no one's debuggee, own session, limits, no capabilities, files, system calls.
    """
    import resource

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) or os.getppid() != parent:
        raise OSError("the worker is gone")
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    os.setsid()
    mib = 1024 * 1024
    for limit, value in (
        (resource.RLIMIT_AS, policy.memory_mib * mib),
        (resource.RLIMIT_FSIZE, min(policy.disk_mib, LARGEST_FILE_MIB) * mib),
        (resource.RLIMIT_CPU, policy.cpu_s),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    _drop_capabilities(libc)
    try:
        sandlock.confine(
            sandlock.Sandbox(
                fs_readable=list(policy.readable),
                fs_writable=[policy.scratch, "/dev/null"],
                allow_degraded=list(DOUBLED_BY_SECCOMP),
            )
        )
    except sandlock.ConfinementError as error:
        raise OSError(f"Landlock: {error}") from error
    seccomp.install()


def trial(parent: int) -> dict[str, bool]:
    """Try what a confined process must not be able to do; which protections hold."""
    memory = resource_limit_mib() * 1024 * 1024
    attempts: dict[str, Callable[[], object]] = {
        "files": lambda: Path(__file__).read_bytes(),
        "sockets": socket.socket,
        "processes": os.fork,
        "programs": lambda: os.execv("/nonexistent", ["nonexistent"]),  # noqa: S606
        "signals": lambda: os.kill(parent, 0),
        "signals by files": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, parent),
        "memory": lambda: mmap.mmap(-1, memory),
        "links": lambda: (Path(os.environ["HOME"]) / "link").symlink_to("/etc/passwd"),
    }
    return {name: _refused(attempt) for name, attempt in attempts.items()}


def _refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (PermissionError, MemoryError):
        return True
    except OSError as error:
        return error.errno == errno.ENOMEM
    return False


def resource_limit_mib() -> int:
    """The address space that this process may have, in MiB."""
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] // (1024 * 1024)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    number = CAPSET.get(platform.machine())
    if os.geteuid() != 0 or number is None:
        return
    header, nothing = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    if libc.syscall(ctypes.c_long(number), header, nothing):
        raise OSError(ctypes.get_errno(), "capset")


def unavailable() -> str:
    """Why this system cannot confine a child, or nothing."""
    if sys.platform != "linux":
        return f"confinement needs Linux, this is {sys.platform}"
    if reason := seccomp.available():
        return reason
    version = sandlock.landlock_abi_version()
    if version < MINIMUM_LANDLOCK:
        return f"Landlock version {version} is too old or switched off; Linux 6.2 has it, unless a container hides it"
    return ""
