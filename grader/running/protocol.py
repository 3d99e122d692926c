"""Frames between grader and worker: a JSON header with closed keys and raw arrays.

    frame  = length of header (u32, big endian) · length of body (u32) · header · body
    header = {"kind": …, "sizes": [bytes of each array], …fields of that kind}
    body   = the arrays one after another in NumPy's .npy format, without pickle

Sizes are capped before anything is read. Whatever is malformed raises ProtocolError; a
reader never allocates more than the bytes that really came.
"""

from __future__ import annotations

import io
import json
import math
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

HEADER_LIMIT = 64 * 1024
BODY_LIMIT = 16 * 1024 * 1024
TEXT_LIMIT = 4000
ARRAYS_LIMIT = 64
KINDS_OF_DTYPE = "biuf"

AXES_LIMIT = 32

# The only headers that NumPy writes for numbers, format version 1.0. Nothing of a child is ever evaluated.
NPY_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<dtype>\|b1|\|[iu]1|[<>](?:[iu][248]|f(?:2|4|8|16)))', "
    rb"'fortran_order': (?P<fortran>True|False), 'shape': \((?P<shape>(?:\d{1,19}, ?)*(?:\d{1,19})?)\), \} *\n",
    re.DOTALL,
)
_NPY_PREFIX = 10

_LENGTHS = struct.Struct(">II")

# What each kind of frame carries besides its arrays, and the exact type of every field.
# From the grader: run, call, read and, to a live kernel, graded. From the worker: all others.
FIELDS: Mapping[str, Mapping[str, type]] = {
    "run": {"path": str, "folder": str, "skip": list},
    "call": {"name": str, "outputs": int, "transform": str, "layout": list},
    "read": {"name": str},
    "graded": {},
    "ready": {"python": str, "jax": str, "numpy": str, "warmup_s": float},
    "statement": {"index": int, "line": int, "names": str},
    "event": {"event": str, "line": int, "names": str, "message": str},
    "finished": {},
    "namespace": {},
    "values": {"note": str},
    "refused": {"message": str},
    "unfilled": {"message": str},
    "absent": {"message": str},
    "error": {"message": str, "line": int},
}


class ProtocolError(Exception):
    """Bytes that are not a frame, with the reason."""


@dataclass(frozen=True)
class Frame:
    """One message: its kind, fields and arrays."""

    kind: str
    fields: Mapping[str, Any]
    arrays: tuple[np.ndarray, ...] = ()


def encode(kind: str, arrays: Sequence[np.ndarray] = (), **fields: Any) -> bytes:
    """A frame as bytes; ``fields`` have to be those of ``kind``."""
    if fields.keys() != FIELDS[kind].keys():
        raise ProtocolError(f"{kind}: fields {sorted(fields)} instead of {sorted(FIELDS[kind])}")
    blobs = []
    for array in arrays:
        blob = io.BytesIO()
        np.lib.format.write_array(blob, np.ascontiguousarray(array).reshape(array.shape), allow_pickle=False)
        blobs.append(blob.getvalue())
    header = json.dumps({"kind": kind, "sizes": [len(blob) for blob in blobs], **fields}).encode()
    body = b"".join(blobs)
    if len(header) > HEADER_LIMIT or len(body) > BODY_LIMIT or len(blobs) > ARRAYS_LIMIT:
        raise ProtocolError(f"{kind}: {len(header)} + {len(body)} bytes in {len(blobs)} arrays is over the limit")
    return _LENGTHS.pack(len(header), len(body)) + header + body


def read_frame(read: Callable[[int], bytes]) -> Frame | None:
    """The next frame from ``read(n)``, which gives up to n bytes; None at the end of the stream.

    Raises ProtocolError on anything else.
    """
    prefix = _read_exactly(read, _LENGTHS.size, at_start=True)
    if not prefix:
        return None
    header_size, body_size = _LENGTHS.unpack(prefix)
    if header_size > HEADER_LIMIT or body_size > BODY_LIMIT:
        raise ProtocolError(f"a frame of {header_size} + {body_size} bytes is over the limit")
    header = _read_exactly(read, header_size)
    body = _read_exactly(read, body_size)
    return _decode(header, body)


def _read_exactly(read: Callable[[int], bytes], size: int, *, at_start: bool = False) -> bytes:
    chunks, missing = [], size
    while missing:
        chunk = read(min(missing, 1 << 20))
        if not chunk:
            if at_start and missing == size:
                return b""
            raise ProtocolError(f"the stream ended {missing} bytes early")
        chunks.append(chunk)
        missing -= len(chunk)
    return b"".join(chunks)


def _decode(header: bytes, body: bytes) -> Frame:
    try:
        fields = json.loads(header)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("the header is not JSON") from error
    if type(fields) is not dict:
        raise ProtocolError("the header is not an object")
    kind, sizes = fields.pop("kind", None), fields.pop("sizes", None)
    if type(kind) is not str or kind not in FIELDS:
        raise ProtocolError("unknown kind of frame")
    expected = FIELDS[kind]
    if fields.keys() != expected.keys() or any(type(fields[name]) is not expected[name] for name in expected):
        raise ProtocolError(f"{kind}: wrong fields")
    if type(sizes) is not list or len(sizes) > ARRAYS_LIMIT or any(type(n) is not int or n < 0 for n in sizes):
        raise ProtocolError(f"{kind}: wrong sizes")
    if sum(sizes) != len(body):
        raise ProtocolError(f"{kind}: sizes do not add up to the body")
    arrays, start = [], 0
    for size in sizes:
        arrays.append(_decode_array(body[start : start + size]))
        start += size
    cleaned = {name: clean_text(value) if type(value) is str else value for name, value in fields.items()}
    return Frame(kind, cleaned, tuple(arrays))


def _decode_array(blob: bytes) -> np.ndarray:
    header = NPY_HEADER.match(blob)
    if header is None or header.end() != _NPY_PREFIX + int.from_bytes(blob[8:10], "little"):
        raise ProtocolError("an array header is malformed")
    dtype = np.dtype(header["dtype"].decode())
    shape = tuple(int(size) for size in header["shape"].decode().split(",") if size.strip())
    data = blob[header.end() :]
    if len(shape) > AXES_LIMIT or math.prod(shape) * dtype.itemsize != len(data):
        raise ProtocolError("an array is not as large as its header says")
    try:
        order: Literal["F", "C"] = "F" if header["fortran"] == b"True" else "C"
        return np.frombuffer(data, dtype).reshape(shape, order=order).astype(dtype.newbyteorder("="), copy=True)
    except ValueError as error:  # sizes beyond what NumPy can index, beside a size of 0
        raise ProtocolError("an array has an impossible shape") from error


def clean_text(text: str) -> str:
    """``text`` without control characters and lone surrogates, cut to a sane length.

    What a submission prints must not be able to drive the terminal that shows it.
    """
    text = text.encode("utf-8", "replace").decode("utf-8")
    shown = "".join(c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:TEXT_LIMIT])
    return shown + " …" if len(text) > TEXT_LIMIT else shown
