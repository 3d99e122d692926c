"""The worker is patched to send one array where two were asked for."""

# place: after
# expect: error
import sys
import numpy as np

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode(kind, (np.zeros((3, 4)),), **fields)


protocol.encode = forged
