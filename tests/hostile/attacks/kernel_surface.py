"""Calls the doors of the kernel that programs like this one never need."""

# expect: pass
# machine: x86_64
import fcntl, os, termios

for number in (425, 426, 427, 319, 447, 323, 321, 298, 248, 249, 250, 29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 240, 241):
    kernel(number, 0, 0, 0, 0, 0, 0)  # io_uring, memfd, userfaultfd, bpf, perf, keys, System V, message queues
for number in (
    253,
    294,
    300,
    301,
    282,
    289,
    283,
    222,
    303,
    304,
    175,
    313,
    176,
    246,
    320,
    167,
    168,
    163,
    179,
    172,
    173,
    169,
):
    kernel(number, 0, 0, 0, 0, 0, 0)  # inotify, fanotify, signalfd, timers, handles, modules, kexec, swap, ports
for number in (
    444,
    445,
    446,
    317,
    154,
    237,
    238,
    325,
    216,
    139,
    149,
    151,
    159,
    227,
    305,
    164,
    103,
    212,
    314,
    315,
    330,
    331,
    329,
):
    kernel(
        number, 0, 0, 0, 0, 0, 0
    )  # Landlock, seccomp, descriptors of segments, memory policy, locks, clocks, keys of pages
for option in (1, 4, 22, 24, 28, 35, 36, 38, 47, 0x59616D61, 53, 55):
    kernel(157, option, 1, 0, 0, 0)  # prctl
for request in (0x5412, 0x5421, 0x5403, 0x8912, 0x40045431):
    attempt(fcntl.ioctl, 0, request, b"x" * 64)
    attempt(fcntl.ioctl, 4, request, b"x" * 64)
