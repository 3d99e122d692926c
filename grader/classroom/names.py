"""File names for students: readable, safe on every system, never shared by two."""

from __future__ import annotations

import hashlib
import re
import unicodedata

READABLE_LENGTH = 48  # with the suffix and ".html" far below the 143 bytes of the strictest common file system
# Names that Windows gives to devices, whatever follows the first dot.
DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})
KEPT_AS_IT_IS = re.compile(r"[a-z0-9](?:[a-z0-9_.-]*[a-z0-9_-])?")
HAS_A_SUFFIX = re.compile(r".*-[0-9a-f]{10}")


def slug(student: str) -> str:
    """The stem of the files of ``student``: at most 59 characters of a-z, 0-9, ".", "_" and "-".

    A key that is such a name already stays as it is. Any other is spelt with these characters and ends in ten digits
    of its hash, so that "Ann" and "ann" have two files where the file system does not tell them apart.
    """
    if _stays(student):
        return student
    plain = unicodedata.normalize("NFKD", student).encode("ascii", "ignore").decode().lower()
    readable = re.sub(r"[^a-z0-9_]+", "-", plain)[:READABLE_LENGTH].strip("-_") or "student"
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{readable}-{digest[:10]}"


def _stays(student: str) -> bool:
    return (
        len(student) <= READABLE_LENGTH
        and KEPT_AS_IT_IS.fullmatch(student) is not None
        and HAS_A_SUFFIX.fullmatch(student) is None  # else somebody's key could be another's name
        and student.partition(".")[0] not in DEVICES
    )
