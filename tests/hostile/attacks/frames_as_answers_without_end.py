"""A thread sends large answers that nobody asked for, for ever."""

# place: after
# expect: fail|error|timeout
import os, sys, threading, time
import numpy as np

protocol = sys.modules["grader.running.protocol"]
fields = {name: kind() for name, kind in protocol.FIELDS["values"].items()}
frames = protocol.encode("values", (np.zeros(1 << 20, np.float32),) * 2, **fields)


def flood():
    view = memoryview(frames)
    while True:
        sent = 0
        while sent < len(view):
            sent += os.write(4, view[sent:])


def attend(q, k, v):
    flood()
