"""The worker is patched to send numbers beyond double precision."""

# place: after
# expect: fail
import sys
import numpy as np

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode(kind, (np.full((3, 4), np.longdouble("1e4000")), np.full((3, 5), np.longdouble("1e4000"))), **fields)


protocol.encode = forged
