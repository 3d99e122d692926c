"""The worker is patched to send two answers to each question."""

# place: after
# expect: fail
import sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode(kind, arrays, **fields) * 2


protocol.encode = forged
