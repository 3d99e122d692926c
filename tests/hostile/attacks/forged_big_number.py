"""The worker is patched to send a header with a number of many digits."""

# place: after
# expect: error
import struct, sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return struct.pack(">II", 60000, 0) + b"1" * 60000


protocol.encode = forged
