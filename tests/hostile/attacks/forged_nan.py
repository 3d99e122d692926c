"""The worker is patched to send answers of NaN and infinity."""

# place: after
# expect: fail
import sys
import numpy as np

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode(kind, (np.full((3, 4), np.nan), np.full((3, 5), np.inf)), **fields)


protocol.encode = forged
