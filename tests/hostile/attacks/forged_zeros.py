"""The worker is patched to send answers of zeros."""

# place: after
# expect: fail
import sys
import numpy as np

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode(kind, (np.zeros((3, 4)), np.zeros((3, 5))), **fields)


protocol.encode = forged
