"""The worker is patched to send a header that is not JSON."""

# place: after
# expect: error
import struct, sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return struct.pack(">II", 4, 0) + b"\xff{[("


protocol.encode = forged
