"""A thread reads its own answers from the other end of the pipe, which it can open again."""

# expect: pass|timeout|error|todo, event any|timeout, event any|error, event any|pass, event any
import os, threading

stolen = os.open("/proc/self/fd/4", os.O_RDONLY)


def steal():
    while os.read(stolen, 64):
        pass


threading.Thread(target=steal, daemon=True).start()
