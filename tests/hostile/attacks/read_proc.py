"""Asks the process file system about itself and its relatives."""

# expect: pass
import os

for pid in ("self", "thread-self", os.getpid(), os.getppid(), 1):
    for name in (
        "environ",
        "maps",
        "mem",
        "cmdline",
        "stat",
        "status",
        "fd",
        "root/etc/passwd",
        "task",
        "net/tcp",
        "mountinfo",
        "auxv",
        "oom_score_adj",
    ):
        attempt(open, f"/proc/{pid}/{name}")
    attempt(os.listdir, f"/proc/{pid}/fd")
    attempt(open, f"/proc/{pid}/comm", "w")
for number in range(5, 20):
    attempt(open, f"/proc/self/fd/{number}")
    attempt(open, f"/dev/fd/{number}")
