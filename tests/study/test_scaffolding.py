"""Laying out and putting back: whatever was there is still there afterwards."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.errors import UsageError
from grader.study.workspace.scaffolding import lay_out, put_back

NOW = datetime(2026, 11, 30, 10, 15, 0, tzinfo=UTC)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_files_are_written_as_they_are(tmp_path):
    lay_out(tmp_path / "new", {"main.py": b"a\r\n", "main.ipynb": b"{}"}, remedy="go on")
    assert (tmp_path / "new" / "main.py").read_bytes() == b"a\r\n"
    assert names(tmp_path / "new") == ["main.ipynb", "main.py"]


def test_one_file_that_is_there_keeps_all_from_being_written(tmp_path):
    (tmp_path / "main.ipynb").write_text("mine")
    with pytest.raises(UsageError, match=r"main\.ipynb: already there and left as it is; go on"):
        lay_out(tmp_path, {"main.py": b"a", "main.ipynb": b"{}"}, remedy="go on")
    assert names(tmp_path) == ["main.ipynb"]


def test_a_dangling_link_is_something_that_is_there(tmp_path):
    (tmp_path / "main.py").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="already there"):
        lay_out(tmp_path, {"main.py": b"a"}, remedy="go on")
    put_back(tmp_path, {"main.py": b"a"}, now=NOW)
    assert not (tmp_path / "elsewhere").exists()
    assert (tmp_path / "main.py").read_bytes() == b"a"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(st.lists(st.binary(max_size=5), max_size=6))
def test_nothing_is_lost_however_often_it_is_put_back_in_one_second(tmp_path_factory, contents):
    folder = tmp_path_factory.mktemp("work")
    for content in contents:
        (folder / "main.py").write_bytes(content)
        put_back(folder, {"main.py": b"scaffold"}, now=NOW)
    there = [path.read_bytes() for path in folder.iterdir()]
    assert sorted(there) == sorted([*(one for one in contents), *([b"scaffold"] if contents else [])])


def test_a_backup_bears_the_date_and_the_second_one_a_number(tmp_path):
    for content in (b"one", b"two"):
        (tmp_path / "main.py").write_bytes(content)
        put_back(tmp_path, {"main.py": b"scaffold"}, now=NOW)
    assert (tmp_path / "main.2026-11-30T10-15-00.py").read_bytes() == b"one"
    assert (tmp_path / "main.2026-11-30T10-15-00-2.py").read_bytes() == b"two"


def test_the_scaffold_itself_is_not_kept_again(tmp_path):
    (tmp_path / "main.py").write_bytes(b"scaffold")
    assert put_back(tmp_path, {"main.py": b"scaffold"}, now=NOW) == []
    assert names(tmp_path) == ["main.py"]


def test_a_folder_that_takes_no_file_leaves_the_work_as_it_is(tmp_path):
    (tmp_path / "main.py").mkdir()
    (tmp_path / "main.py" / "inside").write_text("mine")
    with pytest.raises(UsageError, match="cannot be written"):
        put_back(tmp_path, {"main.py": b"scaffold"}, now=NOW)
    assert (tmp_path / "main.py" / "inside").read_text() == "mine"
