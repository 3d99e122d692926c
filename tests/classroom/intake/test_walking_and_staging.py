"""Folders that are sources, and what a student's program finds beside it."""

from __future__ import annotations

import contextlib
import os
import pickle
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from builders import MAIN, canvas_name, notebook, of, reasons, spread, students, taken, zipped

from grader.classroom.intake import take_in
from grader.errors import UsageError


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders")
def test_links_pipes_and_devices_are_left_out_and_never_followed(tmp_path):
    outside = spread(tmp_path / "outside", {"main.py": b"secret = 1\n"})
    source = spread(tmp_path / "class", {"s001/main.py": MAIN, "s002/note.txt": b"", "s003/note.txt": b""})
    (source / "s001" / "leak.py").symlink_to(outside / "main.py")
    (source / "s002" / "main.py").symlink_to(outside / "main.py")
    os.mkfifo(source / "s003" / "main.py")
    (source / "s004").symlink_to(outside)
    os.mkfifo(source / "s005.py")
    intake = taken(source, tmp_path)
    assert students(intake) == ["s001", "s002", "s003"]
    assert set(reasons(intake)) == {"s001/leak.py", "s002/main.py", "s003/main.py", "s004", "s005.py"}
    submission = of(intake, "s001").read()
    assert [path.name for path in submission.folder.iterdir()] == ["main.py"]
    assert "leak.py is not beside main.py in the grading: a link" in submission.notes[0]
    with pytest.raises(UsageError, match=r"s002: main\.py: a link; links are not followed"):
        of(intake, "s002").read()
    with pytest.raises(UsageError, match=r"s003: main\.py: not a regular file"):
        of(intake, "s003").read()


NOBODY = 65534


@contextlib.contextmanager
def ordinary_user(folder):
    """Root, who may read everything, becomes the owner of ``folder`` and nobody else for a while."""
    if os.geteuid() != 0:
        yield
        return
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no modes of files here")
def test_an_unreadable_file_is_one_students_fault():
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to other users
        folder = Path(name)
        source = spread(folder / "class", {"s001/main.py": MAIN, "s002/main.py": MAIN})
        (source / "s002" / "main.py").chmod(0)
        with ordinary_user(folder):
            intake = taken(source, folder)
            assert of(intake, "s001").read().source == MAIN
            with pytest.raises(UsageError, match="Permission denied"):
                of(intake, "s002").read()


def test_a_file_that_goes_away_before_it_is_read_is_one_students_fault(tmp_path):
    source = spread(tmp_path / "class", {"s001/main.py": MAIN, "s002/main.py": MAIN})
    one, two = taken(source, tmp_path).received
    (source / "s001" / "main.py").unlink()
    with pytest.raises(UsageError, match=r"^s001/main.py: cannot be read \(No such file"):
        one.read()
    assert two.read().source == MAIN


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("main.ipynb", notebook("x = 1")[:-20], "line 1: the notebook's JSON breaks off"),
        ("main.ipynb", b'{"cells": 3, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "not a notebook"),
        ("main.py", notebook("x = 1")[:-20], "the notebook's JSON breaks off"),
        ("main.py", b"x" * (1024 * 1024 + 1), "larger than 1024 KiB"),
    ],
)
def test_a_file_that_cannot_be_graded_is_said_without_a_path_of_the_machine(tmp_path, name, content, message):
    file = canvas_name(1, name)
    intake = taken(zipped(tmp_path / "c.zip", {file: content, canvas_name(2, "main.py"): MAIN}), tmp_path)
    with pytest.raises(UsageError) as caught:
        of(intake, "101").read()
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)
    assert str(tmp_path) not in str(caught.value)
    assert of(intake, "102").read().source == MAIN


def test_a_submission_is_read_twice_in_the_same_way_and_travels_to_other_processes(tmp_path):
    (one,) = taken(spread(tmp_path / "class", {"s001/main.py": MAIN, "s001/a/b.py": b""}), tmp_path).received
    first = one.read()
    assert one.read() == first
    assert pickle.loads(pickle.dumps(one)).read() == first
    assert first.path == "s001/main.py"
    assert str(tmp_path) not in "".join(first.notes)


def test_only_the_folder_of_the_file_goes_along(tmp_path):
    entries = {"s001/src/main.py": MAIN, "s001/src/lib/a.py": b"", "s001/big.csv": b"1,2", "s002/main.py": MAIN}
    one = of(taken(spread(tmp_path / "class", entries), tmp_path), "s001")
    folder = one.read().folder
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) == ["lib/a.py", "main.py"]


def test_names_that_some_system_refuses_stay_out_and_are_said(tmp_path):
    entries = {
        "s001/main.py": MAIN,
        "s001/aux.py": b"",
        "s001/Utils.py": b"",
        "s001/utils.py": b"",
        "s001/MAIN.PY": b"",
    }
    submission = of(taken(zipped(tmp_path / "c.zip", entries), tmp_path), "s001").read()
    assert sorted(path.name for path in submission.folder.iterdir()) == ["Utils.py", "main.py"]
    said = " ".join(submission.notes)
    assert "aux.py is not beside main.py in the grading: not every system allows its name" in said
    assert "utils.py is not beside main.py in the grading: its name is taken where case does not count" in said


def test_a_file_and_a_folder_of_one_name_do_no_harm(tmp_path):
    entries = {"s001/main.py": MAIN, "s001/lib": b"a file", "s001/lib/a.py": b""}
    submission = of(taken(zipped(tmp_path / "c.zip", entries), tmp_path), "s001").read()
    assert (submission.folder / "lib").is_file()


@pytest.mark.parametrize("name", ["class.tar.gz", "class.rar", "main.py"])
def test_what_is_neither_folder_nor_zip_is_said(tmp_path, name):
    (tmp_path / name).write_bytes(MAIN)
    with pytest.raises(UsageError, match="neither a folder nor a zip"):
        taken(tmp_path / name, tmp_path)


def test_a_source_that_is_not_there_or_empty_is_said(tmp_path):
    with pytest.raises(UsageError, match="no such file or folder"):
        taken(tmp_path / "class.zip", tmp_path)
    with pytest.raises(UsageError, match=r"holds no submission; name the download of your class"):
        taken(spread(tmp_path / "class", {"a/": b""}) / "a", tmp_path)
    with pytest.raises(UsageError, match=r"holds no submission \(read.me: neither"):
        taken(zipped(tmp_path / "c.zip", {"read.me": b""}), tmp_path)


def test_control_characters_in_a_name_never_reach_a_terminal(tmp_path):
    source = spread(tmp_path / "class", {"s\x1b[31m001/main.py": MAIN})
    (source / os.fsdecode(b"s\xff002")).mkdir()
    intake = taken(source, tmp_path)
    assert students(intake) == ["s\ufffd002", "s\ufffd[31m001"]
    assert of(intake, "s\ufffd[31m001").read().source == MAIN


def test_the_content_of_the_files_is_not_held_in_memory(tmp_path):
    entries = {f"s{n:03}/main.py": b"#" * 500_000 + b"%d" % n for n in range(40)}
    source = zipped(tmp_path / "c.zip", entries)
    del entries
    tracemalloc.start()
    try:
        intake = taken(source, tmp_path)
        for one in intake.received:
            one.read()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(intake.received) == 40
    assert peak < 8_000_000  # all of them are 20 MB; one is read at a time


def test_a_workspace_that_was_used_before_gives_nothing_old(tmp_path):
    source = spread(tmp_path / "class", {"s001/main.py": b"n = 1\n"})
    workspace = source / "out" / "work"
    for n in (1, 2):
        spread(source, {"s001/main.py": b"n = %d\n" % n})
        (one,) = take_in(source, workspace=workspace, lesson_id="transformers-01").received
        assert one.read().source == b"n = %d\n" % n


def test_a_path_that_is_too_long_stays_out_and_is_said(tmp_path):
    long = "s001/" + "/".join(["d" * 200] * 30) + "/a.py"
    submission = of(taken(zipped(tmp_path / "c.zip", {"s001/main.py": MAIN, long: b""}), tmp_path), "s001").read()
    assert [path.name for path in submission.folder.iterdir()] == ["main.py"]
    assert "not every system allows its name" in submission.notes[0]
