"""The reference beside a learner's file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from grader.study.helping.comparison import Pair, pairs, rows

SCAFFOLD = "# %% One\nimport numpy\n\n# %% Two\nx = ...  # TODO\n\n# %% Three\ny = ...  # TODO\n"
REFERENCE = "# %% One\nimport numpy\n\n# %% Two\nx = 1\n\n# %% Three\ny = 2\n"
LINES = st.lists(st.sampled_from(["a", "b", "  c", ""]), max_size=8)


def test_only_what_was_to_write_is_shown():
    mine = REFERENCE.replace("x = 1", "x = 3 - 2")
    assert pairs(mine, scaffold=SCAFFOLD, reference=REFERENCE, whole=False) == [
        Pair("Two", "# %% Two\nx = 3 - 2", "# %% Two\nx = 1"),
        Pair("Three", "# %% Three\ny = 2", "# %% Three\ny = 2"),
    ]


def test_cells_of_a_notebook_are_found_by_the_names_they_set():
    mine = "# %% cell 1\ny = 5\n\n# %% cell 2\nx = 4\n\n# %% cell 3\nx =\n"
    shown = pairs(mine, scaffold=SCAFFOLD, reference=REFERENCE, whole=False)
    assert [pair.mine for pair in shown] == ["# %% cell 2\nx = 4", "# %% cell 1\ny = 5"]


def test_a_part_that_is_missing_is_empty():
    two, three = pairs("# %% Two\nx = 1\n", scaffold=SCAFFOLD, reference=REFERENCE, whole=False)
    assert (two.mine, three.mine) == ("# %% Two\nx = 1", "")


def test_a_file_without_cells_is_shown_whole():
    (pair,) = pairs("x = 1\n", scaffold=SCAFFOLD, reference=REFERENCE, whole=False)
    assert (pair.mine, pair.reference) == ("x = 1", REFERENCE.rstrip())


@given(LINES, LINES)
def test_the_rows_hold_both_texts_in_order(mine, reference):
    shown = list(rows(Pair("", "\n".join(mine), "\n".join(reference))))
    assert [row.mine for row in shown if row.mine is not None] == "\n".join(mine).splitlines()
    assert [row.reference for row in shown if row.reference is not None] == "\n".join(reference).splitlines()
    assert all(row.same for row in shown) or mine != reference
