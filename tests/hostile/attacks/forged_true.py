"""The worker is patched to send answers that are True."""

# place: after
# expect: fail
import sys
import numpy as np

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode(kind, (np.ones((3, 4), bool), np.ones((3, 5), bool)), **fields)


protocol.encode = forged
