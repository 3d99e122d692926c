"""The worker is patched to send a header that is a list."""

# place: after
# expect: error
import struct, sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return struct.pack(">II", 2, 0) + b"[]"


protocol.encode = forged
