"""CSV by bytes: what is read is what csv reads, what is replaced is one cell."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.exports.cells import changed, read_sheet
from grader.errors import UsageError

# csv.writer leaves a lone carriage return without quotes, and readers disagree about what that is.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12)


@given(
    rows=st.lists(st.lists(TEXT, min_size=3, max_size=3), min_size=1, max_size=6),
    delimiter=st.sampled_from(",;\t"),
    ending=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    bom=st.booleans(),
    data=st.data(),
)
def test_one_cell_changes_and_every_other_byte_stays(rows, delimiter, ending, quoting, bom, data):
    table = [["a", "b", "c"], *rows]
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter, lineterminator=ending, quoting=quoting).writerows(table)
    raw = stream.getvalue().encode("utf-8-sig" if bom else "utf-8")
    sheet = read_sheet(raw, name="x.csv")
    assert [[cell.text for cell in row] for row in sheet.rows] == table
    assert changed(sheet, {}) == raw
    row, column = data.draw(st.integers(1, len(rows))), data.draw(st.integers(0, 2))
    text = data.draw(TEXT)
    cell = sheet.rows[row][column]
    result = changed(sheet, {cell: text})
    assert result.startswith(raw[: cell.start])
    assert result.endswith(raw[cell.end :])
    expected = [list(one) for one in table]
    expected[row][column] = text
    assert [[one.text for one in line] for line in read_sheet(result, name="x.csv").rows] == expected


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_a_reason(raw):
    try:
        sheet = read_sheet(raw, name="x.csv")
    except UsageError as error:
        assert str(error).startswith("x.csv: ")
    else:
        assert changed(sheet, {}) == raw


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "x.csv: empty; give the file that your system exported"),
        (b'a,b\n"c,d\n', "x.csv: line 2: a quote that is never closed; export the file again"),
        ("a,b\n".encode("utf-16"), "not saved as Unicode"),
    ],
)
def test_what_is_no_csv_is_refused_by_name(raw, reason):
    with pytest.raises(UsageError, match=reason.replace("(", "\\(")):
        read_sheet(raw, name="x.csv")


def test_a_missing_last_line_end_and_an_empty_last_cell_are_kept():
    sheet = read_sheet(b"a;b\r\n1;", name="x.csv")
    assert [cell.text for cell in sheet.rows[1]] == ["1", ""]
    assert changed(sheet, {sheet.rows[1][1]: "7"}) == b"a;b\r\n1;7"
