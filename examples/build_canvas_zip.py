"""Packs the class as Canvas packs a download, the same bytes every time: python examples/build_canvas_zip.py."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

EXAMPLES = Path(__file__).parent
TARGET = EXAMPLES / "canvas-download.zip"
WHEN = (2026, 1, 15, 12, 0, 0)
LATE = {"s009"}
RESUBMITTED = {"s006"}


def canvas_name(student: str, file: Path) -> str:
    """The name that Canvas gives ``file``: <name>[_LATE]_<user id>_<attachment id>_<file>, -1 on a second attempt."""
    number = int(student.removeprefix("s"))
    late = "_LATE" if student in LATE else ""
    again = "-1" if student in RESUBMITTED else ""
    return f"student{number:03}{late}_{1000 + number}_{50000 + number}_{file.stem}{again}{file.suffix}"


def canvas_zip() -> bytes:
    """The download: one flat file per student, and what the Finder of a Mac adds when it packs again."""
    entries = {
        canvas_name(file.parent.name, file): file.read_bytes()
        for file in sorted((EXAMPLES / "class").glob("s*/main.*"))
    }
    entries[f"__MACOSX/._{next(iter(entries))}"] = b"\0\5\26\7\0\2\0\0Mac OS X        "
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name, WHEN)
            entry.create_system = 3  # Unix, wherever this runs
            entry.external_attr = 0o100644 << 16
            # Stored: what a compressor makes of the same bytes depends on its version.
            entry.compress_type = zipfile.ZIP_STORED
            archive.writestr(entry, content)
    return packed.getvalue()


if __name__ == "__main__":
    TARGET.write_bytes(canvas_zip())
