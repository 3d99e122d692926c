"""The worker is patched to send a request in place of an answer."""

# place: after
# expect: error
import sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode("call", name="attend", outputs=2, transform="", layout=[])


protocol.encode = forged
