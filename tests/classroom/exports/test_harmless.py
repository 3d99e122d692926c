# ruff: noqa: RUF001 - the wide signs are meant
"""No text of a student becomes a formula, a workflow command, a terminal escape or broken XML."""

from __future__ import annotations

import csv
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.classroom.exports.harmless import cell, cleaned, no_command, one_line


@given(st.text())
def test_no_cell_starts_like_a_formula(text):
    shown = cell(text)
    assert not shown.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    assert not shown.startswith(("\t", "\r", "\n"))


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", '=HYPERLINK("http://x")', "＝1"]
)
def test_a_formula_is_shown_as_text(text):
    assert cell(text).startswith("'")


def test_harmless_text_stays_as_it_is():
    assert cell('"Zoë", Jr.') == '"Zoë", Jr.'


@given(st.text())
def test_cleaned_text_has_no_control_character_but_tab_and_newline(text):
    assert all(sign in "\n\t" or unicodedata.category(sign) not in ("Cc", "Cs") for sign in cleaned(text))
    assert "\n" not in one_line(text)
    cleaned(text).encode()


def test_a_terminal_escape_is_shown_and_not_obeyed():
    assert cleaned("\x1b[2J\x9b1mred") == "\ufffd[2J\ufffd1mred"


@given(st.text(st.sampled_from(":#[ \n\r\tab")))
def test_no_line_is_a_workflow_command(text):
    shown = no_command(text)
    assert not any(line.strip().startswith("::") for line in shown.splitlines())
    assert "##[" not in shown


def test_the_csv_module_reads_back_what_a_cell_holds():
    assert next(csv.reader(['"a ""b"", c"'])) == ['a "b", c']
