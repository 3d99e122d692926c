"""The worker is patched to send sizes that do not add up."""

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
    return raw({"kind": "values", "sizes": [10**30, -(10**30)], **fields}, b"")


protocol.encode = forged
