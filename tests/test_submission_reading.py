"""Reading a submission from disk: Python files, notebooks, folders, and what is none of these."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import UsageError
from grader.model import Submission
from grader.notebook_code import code_cells, joined
from grader.place import place
from grader.submission import NOTEBOOK_LIMIT, SOURCE_LIMIT, read_submission

SOURCE = b"attend = None\r\n"


def notebook(*cells: str | dict[str, Any], **more: Any) -> bytes:
    """A notebook as Jupyter saves it; a text is a code cell."""
    full = [
        {"cell_type": "code", "source": cell, "metadata": {}, "outputs": [], "execution_count": None, "id": f"c{n}"}
        if isinstance(cell, str)
        else {"metadata": {}, "id": f"c{n}", **cell}
        for n, cell in enumerate(cells)
    ]
    return json.dumps({"cells": full, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}).encode()


def saved(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def error_of(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        read_submission(path)
    return str(caught.value)


@pytest.mark.parametrize("data", [SOURCE, b"", b"\xef\xbb\xbfx = 1\n", b"\xff\xfe\x00", "x = 'é'".encode("latin-1")])
def test_a_python_file_is_taken_byte_by_byte(tmp_path, data):
    path = saved(tmp_path / "main.py", data)
    assert read_submission(path) == Submission(
        str(path), data, hashlib.sha256(data).hexdigest(), tmp_path.resolve(), ()
    )


def test_a_folder_stands_for_its_main_py_before_its_notebook(tmp_path):
    saved(tmp_path / "main.ipynb", notebook("x = 2"))
    assert b"x = 2" in read_submission(tmp_path).source
    saved(tmp_path / "main.py", SOURCE)
    assert read_submission(tmp_path).source == SOURCE


def test_a_folder_without_either_says_what_it_should_hold(tmp_path):
    saved(tmp_path / "other.py", SOURCE)
    assert error_of(tmp_path) == (
        f"{tmp_path}: holds neither main.py nor main.ipynb; name the file itself, or get one with: grade start"
    )


def test_a_missing_file_is_named_with_the_next_command(tmp_path):
    assert error_of(tmp_path / "main.py") == (
        f"{tmp_path / 'main.py'}: no such file; check its name (grade start lays out a main.py)"
    )


@pytest.mark.parametrize(("name", "limit"), [("main.py", SOURCE_LIMIT), ("main.ipynb", NOTEBOOK_LIMIT)])
def test_a_file_over_the_limit_is_refused_and_one_at_the_limit_is_not(tmp_path, name, limit):
    path = saved(tmp_path / name, b" " * (limit + 1))
    assert error_of(path) == f"{path}: larger than {limit // 1024} KiB; a submission is a short program"
    if name == "main.py":
        assert len(read_submission(saved(path, b" " * limit)).source) == limit


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")
def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "main.py")
    assert "not a regular file; a submission is a Python file or a notebook" in error_of(tmp_path / "main.py")
    assert "not a regular file" in error_of(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="needs /dev/zero")
def test_a_device_is_refused(tmp_path):
    (tmp_path / "main.py").symlink_to("/dev/zero")
    assert "not a regular file" in error_of(tmp_path / "main.py")


def test_a_main_py_that_is_a_folder_is_refused(tmp_path):
    (tmp_path / "main.py").mkdir()
    assert "main.py" in error_of(tmp_path)


def test_a_file_that_cannot_be_opened_is_named_with_the_reason(tmp_path):
    loop = tmp_path / "main.py"
    loop.symlink_to(loop)
    assert "cannot be read (" in error_of(loop)
    if os.name == "posix" and os.geteuid() != 0:  # root may read everything
        locked = saved(tmp_path / "locked.py", SOURCE)
        locked.chmod(0)
        assert "cannot be read (Permission denied); check its name and permissions" in error_of(locked)


@pytest.mark.parametrize("name", ["a\0b.py", "x" * 300 + ".py"])
def test_a_name_that_no_file_can_have_is_a_mistake_of_the_caller(tmp_path, name):
    assert "cannot be read (" in error_of(tmp_path / name)


def test_neighbours_with_the_name_of_a_library_are_noted(tmp_path):
    for name in ("main.py", "random.py", "jax.py", "helper.py"):
        saved(tmp_path / name, SOURCE)
    (tmp_path / "numpy").mkdir()
    saved(tmp_path / "numpy" / "__init__.py", b"")
    notes = read_submission(tmp_path).notes
    assert [note.split(" ")[0] for note in notes] == ["jax.py", "numpy/", "random.py"]
    assert all("rename yours" in note for note in notes)


# ---- notebooks ---------------------------------------------------------------------


def test_the_code_cells_of_a_notebook_become_one_source_in_order(tmp_path):
    raw = notebook(
        {"cell_type": "markdown", "source": "# Attention"}, "x = 1", {"cell_type": "raw", "source": "no"}, "y = x"
    )
    submission = read_submission(saved(tmp_path / "work.ipynb", raw))
    assert submission.source == b"# %% cell 1\nx = 1\n\n# %% cell 2\ny = x"
    assert submission.sha256 == hashlib.sha256(raw).hexdigest()
    assert submission.notes == ()


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf", b"\n  "])
def test_a_notebook_saved_under_the_name_of_a_python_file_is_still_a_notebook(tmp_path, prefix):
    assert b"x = 1" in read_submission(saved(tmp_path / "main.py", prefix + notebook("x = 1"))).source


def test_sources_in_lines_and_outputs_with_figures_are_read(tmp_path):
    cell = {"cell_type": "code", "source": ["x = 1\n", "y = 2"], "execution_count": 1}
    cell["outputs"] = [{"output_type": "display_data", "data": {"image/png": "A" * 3000000}, "metadata": {}}]
    source = read_submission(saved(tmp_path / "main.ipynb", notebook(cell))).source
    assert source == b"# %% cell 1\nx = 1\ny = 2"


def test_a_notebook_without_cell_ids_is_read_in_silence(tmp_path):
    raw = json.dumps(
        {
            "cells": [{"cell_type": "code", "source": "x = 1", "metadata": {}, "outputs": [], "execution_count": None}],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    ).encode()
    assert read_submission(saved(tmp_path / "main.ipynb", raw)).source == b"# %% cell 1\nx = 1"


def test_a_notebook_of_the_third_format_is_read(tmp_path):
    cell = {
        "cell_type": "code",
        "input": "x = 1",
        "language": "python",
        "metadata": {},
        "outputs": [],
        "collapsed": False,
    }
    raw = {
        "worksheets": [{"cells": [cell], "metadata": {}}],
        "metadata": {"name": ""},
        "nbformat": 3,
        "nbformat_minor": 0,
    }
    assert b"x = 1" in read_submission(saved(tmp_path / "main.ipynb", json.dumps(raw).encode())).source


def test_a_notebook_with_more_code_than_a_program_has_is_refused(tmp_path):
    path = saved(tmp_path / "main.ipynb", notebook("x = 1\n" * (SOURCE_LIMIT // 6 + 1)))
    assert error_of(path) == f"{path}: more than 1024 KiB of code; a submission is a short program"


@pytest.mark.parametrize(
    ("cell", "source", "note"),
    [
        ("%matplotlib inline\nx = 1", "pass  # %matplotlib inline\nx = 1", "cell 1: left out %matplotlib inline"),
        ("if x:\n    !pip install jax", "if x:\n    pass  # !pip install jax", "cell 1: left out !pip install jax"),
        ("jnp.dot?", "pass  # jnp.dot?", "cell 1: left out jnp.dot?"),
        ("?attend", "pass  # ?attend", "cell 1: left out ?attend"),
        ("%%time\nx = 1", "pass  # %%time\nx = 1", ""),
        ("%%capture out\nx = 1\n%ls", "pass  # %%capture out\nx = 1\npass  # %ls", "cell 1: left out %ls"),
        ("%%bash\nls", "pass", "cell 1: a %%bash cell is not Python and was left out"),
        ("%%timeit\nx = 1", "pass", "cell 1: a %%timeit cell is not Python and was left out"),
        ("%time x = 1", "x = 1", ""),
        ("files = !ls\nx = 1", "pass  # files = !ls\nx = 1", "cell 1: left out files = !ls"),
        (
            "!pip install \\\n  jax\nx = 1",
            "pass  # !pip install \npass  # jax\nx = 1",
            "cell 1: left out !pip install \\",
        ),
        ("%load_ext grader\n%grade transformers-01", "pass  # %load_ext grader\npass  # %grade transformers-01", ""),
        ('x = """\n%matplotlib inline\n!ls\n"""', 'x = """\n%matplotlib inline\n!ls\n"""', ""),
        ("x = (7\n     %3)\ny = 5 % x", "x = (7\n     %3)\ny = 5 % x", ""),
    ],
)
def test_magics_are_left_out_with_a_note_and_line_numbers_stay(cell, source, note):
    got = joined(code_cells(notebook(cell), name="main.ipynb"))
    assert got.source.decode() == f"# %% cell 1\n{source}"
    assert got.notes == ((note,) if note else ())


def test_cells_are_numbered_as_jupyter_numbers_them_when_all_are_run(tmp_path):
    raw = notebook("x = 1", "  \n", {"cell_type": "markdown", "source": "text"}, "\ny = 2\n%ls")
    submission = read_submission(saved(tmp_path / "main.ipynb", raw))
    assert submission.notes == ("cell 2: left out %ls",)
    line = submission.source.decode().splitlines().index("y = 2") + 1
    assert place(line, submission.cells) == (2, 2)
    assert place(2, submission.cells) == (1, 1)


LINES = st.sampled_from(["x = 1", "", "# %% cell 1", "%ls", "!ls \\", "y = (", "é?"])


@given(st.lists(st.lists(LINES, min_size=1), min_size=1))
def test_every_line_of_a_cell_is_found_again(cells):
    code = joined(["\n".join(lines) for lines in cells])
    lines = code.source.decode().split("\n")
    for number, (cell, start) in enumerate(zip(cells, code.cells, strict=True), start=1):
        assert lines[start - 1] == f"# %% cell {number}"
        places = [place(start + offset, code.cells) for offset in range(1, len(cell) + 1)]
        assert places == [(offset, number) for offset in range(1, len(cell) + 1)]


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.98])
def test_a_notebook_that_breaks_off_is_named_with_its_line(tmp_path, cut):
    raw = json.dumps(json.loads(notebook("x = 1", "y = 2")), indent=1).encode()
    message = error_of(saved(tmp_path / "main.ipynb", raw[: int(cut * len(raw))]))
    assert message.startswith("main.ipynb: line ")
    assert message.endswith("save it again")


@pytest.mark.parametrize(
    "raw",
    [
        b"[]",
        b"3",
        b"null",
        b"{}",
        b'{"nbformat": 4}',
        b'{"nbformat": "x", "cells": 3}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [1]}',
        notebook(nbformat=99),
    ],
    ids=range(10),
)
def test_what_is_no_notebook_is_refused_in_one_line(tmp_path, raw):
    message = error_of(saved(tmp_path / "main.ipynb", raw))
    assert message.startswith("main.ipynb: ")
    assert "\n" not in message
    assert "save it again" in message
