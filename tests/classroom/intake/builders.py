"""Sources built the way each learning-management system builds its download."""

from __future__ import annotations

import datetime
import io
import json
import os
import stat
import struct
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from grader.classroom.intake import take_in
from grader.classroom.nouns import Intake, Received

LESSON = "transformers-01"
MAIN = b"def scores(q, k):\n    return q @ k.T\n"
WHEN = datetime.datetime(2024, 3, 5, 10, 20, 30, tzinfo=datetime.UTC)

Entries = Mapping[str, bytes]


def taken(source: Path, tmp_path: Path, *, lesson_id: str = LESSON) -> Intake:
    """The intake of ``source`` with a fresh workspace."""
    workspace = tmp_path / f"workspace-{len(list(tmp_path.glob('workspace-*')))}"
    workspace.mkdir()
    return take_in(source, workspace=workspace, lesson_id=lesson_id)


def of(intake: Intake, student: str) -> Received:
    """The submission of ``student``."""
    (one,) = [each for each in intake.received if each.student == student]
    return one


def students(intake: Intake) -> list[str]:
    return [each.student for each in intake.received]


def reasons(intake: Intake) -> dict[str, str]:
    return {each.file: each.reason for each in intake.left_out}


def notebook(*cells: str) -> bytes:
    """A notebook as Jupyter saves it."""
    code = [
        {"cell_type": "code", "id": f"c{n}", "execution_count": None, "metadata": {}, "outputs": [], "source": cell}
        for n, cell in enumerate(cells)
    ]
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def member(name: str, *, when: datetime.datetime = WHEN, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, when.timetuple()[:6])
    info.external_attr = mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def zipped(path: Path, entries: Iterable[tuple[str | zipfile.ZipInfo, bytes]] | Entries) -> Path:
    """A zip with the entries in their order; a name that ends in / is a folder."""
    pairs = entries.items() if isinstance(entries, Mapping) else entries
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in pairs:
            archive.writestr(member(name) if isinstance(name, str) else name, content)
    return path


def zip_bytes(entries: Entries) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in entries.items():
            archive.writestr(member(name), content)
    return stream.getvalue()


def raw_named(path: Path, spelt: Sequence[tuple[bytes, bytes]]) -> Path:
    """A zip whose names are exactly these bytes, without the flag that says UTF-8, as older tools write them."""
    body, directory = b"", b""
    for name, content in spelt:
        crc, size = zipfile.crc32(content), len(content)  # type: ignore[attr-defined]
        facts = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0x5000, 0x5865, crc, size, size, len(name), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + facts + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name
        body += b"PK\x03\x04" + facts + name + content
    end = struct.pack("<HHHHIIH", 0, 0, len(spelt), len(spelt), len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\x05\x06" + end)
    return path


def encrypted(path: Path, name: str) -> Path:
    """A zip whose one file says that it is encrypted."""
    zipped(path, {name: MAIN})
    raw = bytearray(path.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(signature) + flags] |= 1
    path.write_bytes(bytes(raw))
    return path


def spread(folder: Path, entries: Entries) -> Path:
    """The entries as files of a folder; a name that ends in / is an empty folder."""
    for name, content in entries.items():
        target = folder / name
        if name.endswith("/"):
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        os.utime(target, (WHEN.timestamp(), WHEN.timestamp()))
    return folder


def canvas_name(
    student: int, file: str, *, name: str | None = None, late: bool = False, attachment: int | None = None
) -> str:
    """What Canvas calls the attachment ``file`` of a student with the user id 100 + ``student``."""
    who = name or f"{student:03}student"
    return f"{who}{'_LATE' if late else ''}_{100 + student}_{attachment or 5000 + student}_{file}"


def moodle_name(student: int, *, name: str | None = None, kind: str = "file_") -> str:
    """What Moodle calls the folder of the participant 9000 + ``student``."""
    return f"{name or f'Student {student:03}'}_{9000 + student}_assignsubmission_{kind}"


def gradescope_metadata(submissions: Mapping[int, Sequence[tuple[str, str, str]]]) -> bytes:
    """The metadata of an export: submitters (name, sid, email) by submission id."""
    lines = ["---"]
    for number, people in submissions.items():
        lines += [f"submission_{number}:", "  :submitters:"]
        for name, sid, email in people:
            lines += [f"  - :name: {json.dumps(name)}", f"    :sid: {sid}", f"    :email: {email}"]
        lines += [
            "  :created_at: 2024-03-05 10:20:30.123456000 Z",
            "  :score: 0.0",
            "  :status: processed",
            "  :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess",
            "    tests: []",
            "  :history:",
            f"  - :id: {number - 1}",
            "    :created_at: 2024-03-04 10:20:30.123456000 Z",
        ]
    return "\n".join(lines).encode()


def blackboard_names(
    student: str, file: str, *, assignment: str = "Transformers 1", minute: int = 20
) -> tuple[str, str]:
    """What Blackboard calls a student's file, and the text file of the attempt."""
    head = f"{assignment}_{student}_attempt_2024-03-05-10-{minute:02}-30"
    return f"{head}_{file}", f"{head}.txt"


def blackboard_text(login: str, name: str, file: str) -> bytes:
    return (
        f"Name: {name} ({login})\r\nAssignment: Transformers 1\r\nDate Submitted: 5 March 2024 10:20:30"
        "\r\nCurrent Grade: Not Yet Graded\r\n\r\nSubmission Field:\r\nNo text data.\r\n\r\n"
        f"Comments:\r\nThere are no student comments.\r\n\r\nFiles:\r\n\tOriginal filename: {file}\r\n"
    ).encode()
