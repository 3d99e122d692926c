"""The worker is patched to send a shape with no numbers and an endless side."""

# place: after
# expect: error
import json, struct, sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def raw(header, body):
    text = json.dumps(header).encode()
    return struct.pack(">II", len(text), len(body)) + text + body


def raw_array(header, data, fields):
    text = header.encode().ljust(118) + b"\n" if len(header) < 118 else header.encode() + b"\n"
    blob = b"\x93NUMPY\x01\0" + struct.pack("<H", len(text)) + text + data
    return raw({"kind": "values", "sizes": [len(blob)], **fields}, blob)


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return raw_array(
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 1000000000000000000000000000000), }", b"", fields
    )


protocol.encode = forged
