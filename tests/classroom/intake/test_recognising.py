"""Every shape in every wrapping."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from builders import (
    LESSON,
    Entries,
    blackboard_names,
    blackboard_text,
    canvas_name,
    gradescope_metadata,
    moodle_name,
    spread,
    taken,
    zip_bytes,
    zipped,
)

NUMBERS = (1, 2, 3)


def source(n: int) -> bytes:
    return b"n = %d\n" % n


def blackboard() -> dict[str, bytes]:
    entries = {}
    for n in NUMBERS:
        file, text = blackboard_names(f"s00{n}", "main.py")
        entries |= {file: source(n), text: blackboard_text(f"s00{n}", f"Student 00{n}", "main.py")}
    return entries


SHAPES: dict[str, dict[str, bytes]] = {
    "plain folder": {f"s00{n}/main.py": source(n) for n in NUMBERS},
    "Canvas download": {canvas_name(n, "main.py"): source(n) for n in NUMBERS},
    "Moodle download": {f"{moodle_name(n)}/main.py": source(n) for n in NUMBERS},
    "Gradescope export": {f"submission_{n}/main.py": source(n) for n in NUMBERS}
    | {"submission_metadata.yml": gradescope_metadata({n: [(f"Student 00{n}", f"s00{n}", "")] for n in NUMBERS})},
    "Blackboard download": blackboard(),
    f"nbgrader course, assignment {LESSON}": {f"submitted/s00{n}/{LESSON}/main.py": source(n) for n in NUMBERS},
    f"GitHub Classroom, assignment {LESSON}": {f"{LESSON}-s00{n}/main.py": source(n) for n in NUMBERS},
}
OF_A_MAC = {"__MACOSX/._x": b"junk", ".DS_Store": b"junk"}


def below(top: str, entries: Entries) -> dict[str, bytes]:
    return {f"{top}/{name}": content for name, content in entries.items()}


WRAPPINGS: dict[str, Callable[[Path, Entries], Path]] = {
    "folder": lambda path, entries: spread(path / "class", entries),
    "zip": lambda path, entries: zipped(path / "class.zip", entries),
    "zip of a folder": lambda path, entries: zipped(path / "c.zip", below("any name", entries)),
    "zip of a folder in a folder": lambda path, entries: zipped(path / "c.zip", below("one/two", entries)),
    "folder in a folder": lambda path, entries: spread(path / "class", below("any name", entries)),
    "zip in a zip": lambda path, entries: zipped(path / "c.zip", {"inner.zip": zip_bytes(entries)}),
    "zip in a folder": lambda path, entries: spread(path / "class", {"inner.zip": zip_bytes(entries)}),
    "zip from a Mac": lambda path, entries: zipped(path / "c.zip", {**below("class", entries), **OF_A_MAC}),
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_class_is_recognised_whatever_it_is_wrapped_in(tmp_path, shape, wrapping):
    intake = taken(WRAPPINGS[wrapping](tmp_path, SHAPES[shape]), tmp_path)
    assert intake.shape == f"{shape}: 3 students"
    assert [one.read().source for one in intake.received] == [source(n) for n in NUMBERS]
    assert {each.file for each in intake.left_out} <= {"__MACOSX", ".DS_Store"}
    assert all(one.received_at is not None and one.received_at.tzinfo is not None for one in intake.received)
    assert all(one.read().path == one.file for one in intake.received)
    assert not any(str(tmp_path) in one.file for one in intake.received)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_source_gives_the_same_intake(tmp_path, shape):
    first = taken(spread(tmp_path / "class", SHAPES[shape]), tmp_path)
    second = taken(tmp_path / "class", tmp_path)
    described = [[(r.student, r.name, r.file, r.notes, r.identity) for r in each.received] for each in (first, second)]
    assert described[0] == described[1]
    assert first.left_out == second.left_out


@pytest.mark.parametrize("shape", SHAPES)
def test_no_student_finds_the_files_of_another(tmp_path, shape):
    intake = taken(zipped(tmp_path / "class.zip", SHAPES[shape]), tmp_path)
    for number, one in enumerate(intake.received, start=1):
        folder = one.read().folder
        assert [path.read_bytes() for path in folder.rglob("*") if path.is_file()] == [source(number)]
        assert len(list(folder.parent.glob("0*"))) == number
