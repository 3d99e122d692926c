"""Signals the worker, the grader, groups and everybody; signal 0 and SIGCONT do no harm where it works."""

# expect: pass
# machine: x86_64
import os, resource, signal

parent = os.getppid()
for pid in (parent, 1, -1, 0, -parent, -os.getpgid(parent)):
    attempt(os.kill, pid, 0)
    attempt(os.kill, pid, signal.SIGCONT)
attempt(os.killpg, os.getpgid(parent), 0)
kernel(234, parent, parent, 0)  # tgkill
kernel(200, parent, 0)  # tkill
kernel(200, os.getpid(), 0)
kernel(129, parent, 0, 0)  # rt_sigqueueinfo
kernel(297, parent, parent, 0, 0)  # rt_tgsigqueueinfo
kernel(424, 3, 0, 0, 0)  # pidfd_send_signal
attempt(os.pidfd_open, parent)
attempt(os.setpriority, os.PRIO_PROCESS, parent, 5)
attempt(os.sched_setaffinity, parent, {0})
attempt(os.sched_setscheduler, parent, os.SCHED_IDLE, os.sched_param(0))
attempt(resource.prlimit, parent, resource.RLIMIT_NOFILE)
attempt(resource.prlimit, parent, resource.RLIMIT_NOFILE, (1, 1))
attempt(os.setpgid, 0, parent)
attempt(os.setsid)
kernel(251, 1, parent, 0)  # ioprio_set
