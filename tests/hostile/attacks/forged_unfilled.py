"""The worker is patched to send that it is not written yet."""

# place: after
# expect: todo
import sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode("unfilled", message="\x1b[2J")


protocol.encode = forged
