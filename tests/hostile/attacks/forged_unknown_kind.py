"""The worker is patched to send a kind of frame that there is not."""

# place: after
# expect: error
import json, struct, sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def raw(header, body):
    text = json.dumps(header).encode()
    return struct.pack(">II", len(text), len(body)) + text + body


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return raw({"kind": "score", "sizes": [], "points": 30}, b"")


protocol.encode = forged
