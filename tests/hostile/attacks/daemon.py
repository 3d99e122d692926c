"""Leaves its session and its parent, to live on."""

# expect: pass
import os, time


def leave():
    os.setsid()


def detach():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(120)
        os._exit(0)


attempt(leave)
attempt(detach)
