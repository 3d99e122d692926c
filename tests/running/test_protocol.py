"""The frames between grader and worker: what is written comes back, what is malformed is refused."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.running import protocol
from grader.running.protocol import Frame, ProtocolError

NUMBERS = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="?"),
    hnp.unsigned_integer_dtypes(endianness="?"),
    hnp.floating_dtypes(endianness="?"),
)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
ARRAYS = hnp.arrays(NUMBERS, SHAPES)
PRINTABLE = st.text(max_size=200).filter(lambda text: text == protocol.clean_text(text))
OF_TYPE: dict[type, st.SearchStrategy[Any]] = {
    str: PRINTABLE,
    int: st.integers(),
    float: st.floats(allow_nan=False),
    list: st.lists(st.integers(), max_size=5),
}
FIELDS = st.sampled_from(sorted(protocol.FIELDS)).flatmap(
    lambda kind: st.tuples(
        st.just(kind), st.fixed_dictionaries({name: OF_TYPE[of] for name, of in protocol.FIELDS[kind].items()})
    )
)


def read(data: bytes) -> Frame | None:
    return protocol.read_frame(io.BytesIO(data).read)


def framed(header: object, body: bytes = b"") -> bytes:
    head = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack(">II", len(head), len(body)) + head + body


def npy(*, descr: str = "'<f4'", order: str = "False", shape: str = "(2,)", data: bytes = b"") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}".encode("latin-1") + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def values(*blobs: bytes) -> bytes:
    return framed({"kind": "values", "note": "", "sizes": [len(blob) for blob in blobs]}, b"".join(blobs))


def message(text: str) -> str:
    frame = read(framed({"kind": "refused", "sizes": [], "message": text}))
    assert frame is not None
    return frame.fields["message"]


@settings(deadline=None)
@given(FIELDS, st.lists(ARRAYS, max_size=4))
def test_a_frame_comes_back_as_it_was_written(kind_and_fields: tuple[str, dict[str, Any]], arrays: list[Any]) -> None:
    kind, fields = kind_and_fields
    frame = read(protocol.encode(kind, arrays, **fields))
    assert frame is not None
    assert (frame.kind, dict(frame.fields), len(frame.arrays)) == (kind, fields, len(arrays))
    for got, sent in zip(frame.arrays, arrays, strict=True):
        assert got.dtype == sent.dtype.newbyteorder("=")
        assert got.shape == sent.shape
        np.testing.assert_array_equal(got, sent)


@settings(deadline=None)
@given(hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=3)))
def test_arrays_in_any_memory_order_come_back_with_their_values(array: np.ndarray) -> None:
    odd = [np.asfortranarray(array), array.T, array[::-1, ::2]]
    frame = read(protocol.encode("values", odd, note=""))
    assert frame is not None
    for got, sent in zip(frame.arrays, odd, strict=True):
        np.testing.assert_array_equal(got, sent)


def test_fortran_order_in_the_header_is_understood_and_the_array_can_be_written_to() -> None:
    frame = read(values(npy(order="True", shape="(2, 3)", data=np.arange(6, dtype="<f4").tobytes())))
    assert frame is not None
    np.testing.assert_array_equal(frame.arrays[0], [[0, 2, 4], [1, 3, 5]])
    frame.arrays[0][0] = 1.0


def test_frames_that_arrive_byte_by_byte_are_read_one_after_another() -> None:
    stream = io.BytesIO(protocol.encode("finished") + protocol.encode("values", [np.ones(2)], note=""))
    frames = [protocol.read_frame(lambda n: stream.read(min(n, 1))) for _ in range(3)]
    assert [frame and frame.kind for frame in frames] == ["finished", "values", None]


def test_encode_refuses_fields_that_its_kind_does_not_have() -> None:
    with pytest.raises(ProtocolError, match="fields"):
        protocol.encode("finished", message="no")


def test_encode_refuses_more_arrays_and_bytes_than_a_reader_takes() -> None:
    for arrays in ([np.zeros(1)] * (protocol.ARRAYS_LIMIT + 1), [np.zeros(protocol.BODY_LIMIT // 8)]):
        with pytest.raises(ProtocolError, match="over the limit"):
            protocol.encode("values", arrays, note="")


def is_read_or_refused(data: bytes) -> None:
    try:
        frame = read(data)
    except ProtocolError:
        return
    assert frame is None or (frame.kind in protocol.FIELDS and all(type(one) is np.ndarray for one in frame.arrays))


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_frame_or_refused(data: bytes) -> None:
    is_read_or_refused(data)


@settings(deadline=None)
@given(st.binary(max_size=100), st.binary(max_size=100))
def test_any_header_and_body_are_a_frame_or_refused(header: bytes, body: bytes) -> None:
    is_read_or_refused(framed(header, body))


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a_frame_with_changed_bytes_is_read_or_refused(data: st.DataObject) -> None:
    frame = bytearray(protocol.encode("values", [np.arange(6.0).reshape(2, 3), np.array(True)], note=""))
    for _ in range(data.draw(st.integers(1, 4))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    is_read_or_refused(bytes(frame))


@settings(deadline=None, max_examples=500)
@given(
    st.sampled_from(["'<f4'", "'|b1'", "'<f16'", "'>i8'", "'O'", "'V0'", "('<f4', (2,))"]),
    st.lists(st.sampled_from([0, 1, 2, 2**31, 2**62, 10**30]), max_size=40).map(tuple),
    st.sampled_from(["True", "False"]),
    st.sampled_from([b"", b"\1" * 16]),
)
def test_any_array_header_is_read_or_refused(descr: str, shape: tuple[int, ...], order: str, data: bytes) -> None:
    is_read_or_refused(values(npy(descr=descr, shape=repr(shape), order=order, data=data)))


def test_a_frame_cut_anywhere_is_refused() -> None:
    frame = protocol.encode("error", [np.arange(3)], message="é", line=3)
    assert read(b"") is None
    for end in range(1, len(frame)):
        with pytest.raises(ProtocolError, match="early"):
            read(frame[:end])


ONE = npy(shape="(1,)", data=b"\0" * 4)


@pytest.mark.parametrize(
    "frame",
    {
        "deeply nested JSON": framed(b"[" * 60_000),
        "JSON with a very long number": framed(b'{"kind": "finished", "sizes": [' + b"9" * 5000 + b"]}"),
        "not UTF-8": framed(b'{"kind": "\xff"}'),
        "a list for a header": framed([1]),
        "an unknown kind": framed({"kind": "obey", "sizes": []}),
        "a field too many": framed({"kind": "finished", "sizes": [], "more": 1}),
        "a field of another type": framed({"kind": "error", "sizes": [], "message": "", "line": "3"}),
        "a boolean for an integer": framed({"kind": "error", "sizes": [], "message": "", "line": True}),
        "no sizes": framed({"kind": "finished"}),
        "negative sizes that add up": framed({"kind": "values", "note": "", "sizes": [len(ONE) + 1, -1]}, ONE),
        "a float size": framed({"kind": "values", "note": "", "sizes": [float(len(ONE))]}, ONE),
        "a boolean size": framed({"kind": "values", "note": "", "sizes": [len(ONE) - 1, True]}, ONE),
        "too many sizes": framed({"kind": "values", "note": "", "sizes": [0] * (protocol.ARRAYS_LIMIT + 1)}),
        "an array of no bytes": framed({"kind": "values", "note": "", "sizes": [0]}),
        "sizes beyond the body": framed({"kind": "values", "note": "", "sizes": [len(ONE) + 1]}, ONE),
        "bytes that belong to no array": framed({"kind": "values", "note": "", "sizes": []}, ONE),
        "bytes after an array": values(ONE + b"\0"),
        "a huge shape": values(npy(shape="(1000000000000,)", data=b"\0" * 4)),
        "a huge shape of no elements": values(npy(shape="(0, 1000000000000000000000000000000)")),
        "two negative sizes": values(npy(shape="(-1, -1)", data=b"\0" * 4)),
        "a boolean in the shape": values(npy(shape="(True,)", data=b"\0" * 4)),
        "objects": values(npy(descr="'|O'", shape="(1,)", data=b"\x80\x04N.")),
        "a structured dtype": values(npy(descr="[('a', '<f4')]", data=b"\0" * 8)),
        "complex numbers": values(npy(descr="'<c8'", data=b"\0" * 16)),
        "a subarray dtype": values(npy(descr="('<f4', (2,))", shape="(1,)", data=b"\0" * 8)),
        "a very long array header": values(npy(descr=" " * 5000 + "'<f4'", data=b"\0" * 8)),
        "an array header longer than its array": values(b"\x93NUMPY\x01\x00\xff\xff"),
        "another version of .npy": values(ONE.replace(b"\x01\x00", b"\x02\x00", 1)),
        "a pickle": values(b"\x80\x04N."),
    }.items(),
    ids=lambda item: item[0],
)
def test_is_refused(frame: tuple[str, bytes]) -> None:
    with pytest.raises(ProtocolError):
        read(frame[1])


@pytest.mark.parametrize("descr", [r"'\d'", "'<a4'", "'<f4', 'more': 1L"])
def test_no_array_header_makes_python_warn_in_the_terminal_of_the_grader(descr: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        is_read_or_refused(values(npy(descr=descr, data=b"\0" * 8)))
    assert caught == []


def test_a_promise_over_the_limit_is_refused_before_anything_is_read() -> None:
    for lengths in ((0xFFFFFFFF, 0), (0, 0xFFFFFFFF), (protocol.HEADER_LIMIT + 1, 0)):
        stream = io.BytesIO(struct.pack(">II", *lengths) + b"x" * 100)
        with pytest.raises(ProtocolError, match="over the limit"):
            protocol.read_frame(stream.read)
        assert stream.tell() == 8


@pytest.mark.parametrize(
    "data",
    [struct.pack(">II", 10, protocol.BODY_LIMIT) + b"x" * 20, values(npy(shape="(15000000,)", data=b"\0" * 8))],
)
def test_a_promise_costs_no_more_memory_than_the_bytes_that_came(data: bytes) -> None:
    tracemalloc.start()
    try:
        is_read_or_refused(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * 2**20


def test_escape_sequences_do_not_reach_the_terminal() -> None:
    assert message("\x1b[2J\x1b]0;title\x07 \r\x00\x9b1m\u202eok\n\t") == "�[2J�]0;title� ���1m�ok\n\t"


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=50))
def test_every_text_that_was_read_can_be_printed(text: str) -> None:
    shown = message(text)
    assert all(c in "\n\t" or c.isprintable() for c in shown)
    shown.encode("utf-8")


def test_long_texts_are_cut_and_say_so() -> None:
    assert message("x" * 5000) == "x" * protocol.TEXT_LIMIT + " …"
