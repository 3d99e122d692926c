"""The worker is patched to send the end of the run once more."""

# place: after
# expect: error
import sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode("finished")


protocol.encode = forged
