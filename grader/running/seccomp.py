"""A system call filter for a confined child: an allow-list, installed by ctypes without privileges.

What the list leaves out is refused: no new process, no program, no socket, no signal to another process, no other
process's memory, no namespace, no mode or owner changed, no limit raised. Without fork, killing one process id
is a complete clean-up. Numbers are those of the kernel's tables for x86-64 and AArch64.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Sequence

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_GET_SECCOMP = 38, 22, 21
SECCOMP_MODE_FILTER = 2
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
LOAD, EQUAL, ANY_BIT, AT_LEAST, RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
# Offsets in struct seccomp_data; the low word of an argument comes first.
NUMBER, ARCHITECTURE, FIRST, SECOND, THIRD = 0, 4, 16, 24, 32
X32_BIT = 0x40000000
COLUMNS = {"x86_64": (0, 0xC000003E), "AMD64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

CLONE_THREAD, CLONE_NEW_NAMESPACES = 0x10000, 0x7E020080

# name: (number on x86-64, number on AArch64), None where a system has no such call.
Numbers = dict[str, tuple[int | None, int | None]]

# What Python, NumPy and JAX on the CPU need after the fork, plus file access that Landlock decides about.
ALLOWED: Numbers = {
    "read": (0, 63), "write": (1, 64), "open": (2, None), "close": (3, 57), "stat": (4, None), "fstat": (5, 80),
    "lstat": (6, None), "poll": (7, None), "lseek": (8, 62), "mmap": (9, 222), "mprotect": (10, 226),
    "munmap": (11, 215), "brk": (12, 214), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139), "pread64": (17, 67), "pwrite64": (18, 68), "readv": (19, 65), "writev": (20, 66),
    "access": (21, None), "pipe": (22, None), "select": (23, None), "sched_yield": (24, 124), "mremap": (25, 216),
    "mincore": (27, 232), "madvise": (28, 233), "dup": (32, 23), "dup2": (33, None), "pause": (34, None),
    "nanosleep": (35, 101), "getpid": (39, 172), "sendfile": (40, 71), "exit": (60, 93), "uname": (63, 160),
    "flock": (73, 32), "fsync": (74, 82), "fdatasync": (75, 83), "truncate": (76, 45),
    "ftruncate": (77, 46), "getdents": (78, None), "getcwd": (79, 17), "chdir": (80, 49), "fchdir": (81, 50),
    "rename": (82, None), "mkdir": (83, None), "rmdir": (84, None), "unlink": (87, None), "readlink": (89, None),
    "umask": (95, 166), "gettimeofday": (96, 169), "getrlimit": (97, 163), "getrusage": (98, 165),
    "sysinfo": (99, 179), "times": (100, 153), "getuid": (102, 174), "getgid": (104, 176), "geteuid": (107, 175),
    "getegid": (108, 177), "getppid": (110, 173), "getpgrp": (111, None), "getgroups": (115, 158),
    "getresuid": (118, 148), "getresgid": (120, 150), "getpgid": (121, 155), "getsid": (124, 156),
    "rt_sigpending": (127, 136), "rt_sigtimedwait": (128, 137), "rt_sigsuspend": (130, 133), "sigaltstack": (131, 132),
    "statfs": (137, 43), "fstatfs": (138, 44), "sched_getparam": (143, 121), "sched_getscheduler": (145, 120),
    "arch_prctl": (158, None), "gettid": (186, 178), "time": (201, None), "futex": (202, 98),
    "sched_getaffinity": (204, 123), "getdents64": (217, 61), "set_tid_address": (218, 96),
    "restart_syscall": (219, 128), "fadvise64": (221, 223), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115), "exit_group": (231, 94), "epoll_wait": (232, None), "epoll_ctl": (233, 21),
    "get_mempolicy": (239, 236), "openat": (257, 56), "mkdirat": (258, 34), "newfstatat": (262, 79),
    "unlinkat": (263, 35), "renameat": (264, 38), "readlinkat": (267, 78), "faccessat": (269, 48),
    "pselect6": (270, 72), "ppoll": (271, 73), "set_robust_list": (273, 99), "epoll_pwait": (281, 22),
    "fallocate": (285, 47), "eventfd2": (290, 19), "epoll_create1": (291, 20), "dup3": (292, 24), "pipe2": (293, 59),
    "preadv": (295, 69), "pwritev": (296, 70), "getcpu": (309, 168), "renameat2": (316, 276), "getrandom": (318, 278),
    "membarrier": (324, 283), "copy_file_range": (326, 285), "statx": (332, 291), "rseq": (334, 293),
    "close_range": (436, 436), "faccessat2": (439, 439),
}  # fmt: skip

# Refused with "operation not permitted", which programs report well. All that is in no table is
# refused as "not implemented": the C library then falls back from clone3 to clone.
FORBIDDEN: Numbers = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "socketpair": (53, 199), "fork": (57, None),
    "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281), "link": (86, None), "symlink": (88, None),
    "chmod": (90, None), "fchmod": (91, 52), "ptrace": (101, 117), "setpgid": (109, 154), "setsid": (112, 157),
    "rt_sigqueueinfo": (129, 138), "setrlimit": (160, 164), "mount": (165, 40), "tkill": (200, 130),
    "sched_setaffinity": (203, 122), "linkat": (265, 37), "symlinkat": (266, 36), "fchmodat": (268, 53),
    "unshare": (272, 97), "rt_tgsigqueueinfo": (297, 240), "setns": (308, 268), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "memfd_create": (319, 279), "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434),
}  # fmt: skip

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


def _instruction(code: int, operand: int, true: int = 0, false: int = 0) -> Instruction:
    return code, true, false, operand


def program(own_pid: int, machine: str) -> list[Instruction]:
    """The filter for the process ``own_pid``. Raises OSError on a machine without a table."""
    if machine not in COLUMNS:
        raise OSError(errno.ENOSYS, f"no system call table for {machine}")
    column, architecture = COLUMNS[machine]
    op = _instruction
    not_permitted = REFUSE | errno.EPERM
    found = [op(LOAD, ARCHITECTURE), op(EQUAL, architecture, 1, 0), op(RETURN, KILL), op(LOAD, NUMBER)]
    if column == 0:
        found += [op(AT_LEAST, X32_BIT, 0, 1), op(RETURN, KILL)]
    to_itself = [op(LOAD, FIRST), op(EQUAL, own_pid, 0, 1), op(RETURN, ALLOW), op(RETURN, not_permitted)]
    decided_by_argument: dict[tuple[int, int], list[Instruction]] = {
        # clone: a thread, in no new namespace
        (56, 220): [
            op(LOAD, FIRST),
            op(ANY_BIT, CLONE_NEW_NAMESPACES, 2, 0),
            op(ANY_BIT, CLONE_THREAD, 0, 1),
            op(RETURN, ALLOW),
            op(RETURN, not_permitted),
        ],
        # ioctl: TCGETS, TIOCGWINSZ, FIONREAD and FIOCLEX
        (16, 29): [
            op(LOAD, SECOND),
            *(op(EQUAL, request, 4 - index, 0) for index, request in enumerate((0x5401, 0x5413, 0x541B, 0x5451))),
            op(RETURN, REFUSE | errno.ENOTTY),
            op(RETURN, ALLOW),
        ],
        # fcntl: all but F_SETOWN, F_SETSIG and F_SETOWN_EX, which have the kernel signal another process
        (72, 25): [
            op(LOAD, SECOND),
            *(op(EQUAL, command, 3 - index, 0) for index, command in enumerate((8, 10, 15))),
            op(RETURN, ALLOW),
            op(RETURN, not_permitted),
        ],
        (62, 129): to_itself,  # kill
        (234, 131): to_itself,  # tgkill
        # prlimit64: its own limits, read and not set
        (302, 261): [
            op(LOAD, FIRST),
            op(EQUAL, 0, 1, 0),
            op(EQUAL, own_pid, 0, 4),
            op(LOAD, THIRD),
            op(EQUAL, 0, 0, 2),
            op(LOAD, THIRD + 4),
            op(EQUAL, 0, 1, 0),
            op(RETURN, not_permitted),
            op(RETURN, ALLOW),
        ],
        # prctl: names of threads and of memory areas
        (157, 167): [
            op(LOAD, FIRST),
            *(op(EQUAL, option, 3 - index, 0) for index, option in enumerate((15, 16, 0x53564D41))),
            op(RETURN, not_permitted),
            op(RETURN, ALLOW),
        ],
    }
    for numbers, body in decided_by_argument.items():
        found += [op(EQUAL, numbers[column], 0, len(body)), *body]
    for table, answer in ((ALLOWED, ALLOW), (FORBIDDEN, not_permitted)):
        for pair in table.values():
            number = pair[column]
            if number is not None:
                found += [op(EQUAL, number, 0, 1), op(RETURN, answer)]
    return [*found, op(RETURN, REFUSE | errno.ENOSYS)]


def install() -> None:
    """Filter this process, which has to be single-threaded, for good. Raises OSError where the kernel cannot."""
    instructions: Sequence[Instruction] = program(os.getpid(), platform.machine())
    raw = b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
    buffer = ctypes.create_string_buffer(raw, len(raw))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    filter_program = Program(len(instructions), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter_program), 0, 0
    ):
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


def available() -> str:
    """Empty if the kernel can filter on this machine, else the reason."""
    if platform.machine() not in COLUMNS:
        return f"no system call table for {platform.machine()}"
    libc = ctypes.CDLL(None, use_errno=True)
    return "" if libc.prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0 else "the kernel was built without seccomp"
