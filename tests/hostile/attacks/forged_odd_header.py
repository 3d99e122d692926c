"""The worker is patched to send an array header with a wrong escape, which Python warns about."""

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
    return raw_array("{'descr': '\\d', 'fortran_order': False, 'shape': (1,), }", b"\0" * 4, fields)


protocol.encode = forged
