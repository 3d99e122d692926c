"""The worker is patched to send half of an answer and then nothing."""

# place: after
# expect: timeout
import sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode(kind, arrays, **fields)[:40]


protocol.encode = forged
