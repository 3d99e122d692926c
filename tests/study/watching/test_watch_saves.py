"""Noticing saves: by rename, through links, in notebooks, with polling; and what is no save."""

from __future__ import annotations

import json
import os
import queue
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.study.watching.saves import current_file, saves

LIMIT_S = 60.0
QUIET_S = 2.5  # longer than the files are left without a look


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.py").write_text("x = 1\n")
    return tmp_path


@pytest.fixture
def polling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "true")


@pytest.fixture
def noticed(folder: Path) -> Iterator[queue.SimpleQueue[Path]]:
    """What saves gives while the test goes on; the file as it is at the start is taken out."""
    stop, found = threading.Event(), queue.SimpleQueue()
    thread = threading.Thread(target=lambda: [found.put(file) for file in saves(folder, stop)])
    thread.start()
    assert found.get(timeout=LIMIT_S) == folder / "main.py"
    yield found
    stop.set()
    thread.join()


def nothing_is(noticed: queue.SimpleQueue[Path]) -> bool:
    try:
        noticed.get(timeout=QUIET_S)
    except queue.Empty:
        return True
    return False


def notebook(code: str, output: str) -> str:
    stream = {"output_type": "stream", "name": "stdout", "text": output}
    cell = {"cell_type": "code", "execution_count": 1, "id": "a", "metadata": {}, "outputs": [stream], "source": code}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_a_save_in_place_and_one_by_rename_are_noticed(folder, noticed):
    (folder / "main.py").write_text("x = 2\n")
    assert noticed.get(timeout=LIMIT_S) == folder / "main.py"
    (folder / "4913").write_text("x = 3\n")
    (folder / "4913").replace(folder / "main.py")
    assert noticed.get(timeout=LIMIT_S) == folder / "main.py"


def test_a_save_without_a_change_and_a_save_of_something_else_are_none(folder, noticed):
    (folder / "main.py").write_text("x = 1\n")
    os.utime(folder / "main.py")
    (folder / "notes.txt").write_text("x")
    (folder / ".main.py.swp").write_text("x")
    assert nothing_is(noticed)


def test_a_module_beside_main_counts(folder, noticed):
    (folder / "helpers.py").write_text("y = 1\n")
    assert noticed.get(timeout=LIMIT_S) == folder / "main.py"


def test_a_save_that_causes_no_event_here_is_noticed(folder, noticed, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "main.py"
    elsewhere.write_text("x = 2\n")
    (folder / "link").symlink_to(elsewhere)
    (folder / "link").replace(folder / "main.py")
    assert noticed.get(timeout=LIMIT_S) == folder / "main.py"
    assert nothing_is(noticed)
    elsewhere.write_text("x = 3\n")
    assert noticed.get(timeout=LIMIT_S) == folder / "main.py"


def test_a_file_that_goes_and_comes_back_is_noticed_twice(folder, noticed):
    (folder / "main.py").unlink()
    assert noticed.get(timeout=LIMIT_S) == folder / "main.py"
    (folder / "main.py").write_text("x = 1\n")
    assert noticed.get(timeout=LIMIT_S) == folder / "main.py"


def test_a_folder_that_is_made_anew_is_noticed(folder, noticed):
    folder.rename(folder.with_name("away"))
    assert noticed.get(timeout=LIMIT_S) == folder / "main.py"
    folder.mkdir()
    (folder / "main.py").write_text("x = 5\n")
    assert noticed.get(timeout=LIMIT_S) == folder / "main.py"


def test_of_main_py_and_the_notebook_the_one_saved_last_is_graded(folder, noticed):
    path = folder / "main.ipynb"
    path.write_text(notebook("x = 1", "1"))
    assert noticed.get(timeout=LIMIT_S) == current_file(folder) == path
    path.write_text(notebook("x = 1", "another output"))
    assert nothing_is(noticed)
    path.write_text(notebook("x = 2", "another output"))
    assert noticed.get(timeout=LIMIT_S) == path


def test_with_polling_a_save_is_noticed_too(polling, folder, noticed):
    (folder / "main.py").write_text("x = 2\n")
    assert noticed.get(timeout=LIMIT_S) == folder / "main.py"
