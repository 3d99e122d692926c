"""How much a zip may hold: the limits that stop a zip bomb before and while it is unpacked."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """What one zip may come to; sizes in MiB of unpacked content.

    ``ratio`` is unpacked to packed size and counts from ``ratio_from_mib`` on: small files of blanks reach 1000.
    """

    files: int
    total_mib: int
    file_mib: int = 64  # twice what a notebook may have
    ratio: int = 200  # source text reaches 10, a notebook of figures 2
    ratio_from_mib: int = 2


SOURCE = Limits(files=50_000, total_mib=8192)  # 10,000 students with 5 files each
INNER = Limits(files=5_000, total_mib=256)  # one student's zip, or a class in a wrapper of one zip


def refused_whole(members: Sequence[zipfile.ZipInfo], limits: Limits) -> str:
    """Why a zip is not opened at all, by what it declares; "" when it may be."""
    if len(members) > limits.files:
        return f"holds {len(members)} files, more than {limits.files}; it looks like a zip bomb"
    total = sum(member.file_size for member in members)
    if total > limits.total_mib * MIB:
        return f"unpacks to {total // MIB} MiB, more than {limits.total_mib} MiB; it looks like a zip bomb"
    return ""


def refused_member(size: int, packed: int, limits: Limits) -> str:
    """Why a file of ``size`` bytes, packed in ``packed``, is not unpacked; "" when it may be."""
    if size > limits.file_mib * MIB:
        return f"larger than {limits.file_mib} MiB; no submission is"
    if size > limits.ratio_from_mib * MIB and size > limits.ratio * max(packed, 1):
        return f"unpacks to more than {limits.ratio} times its size; it looks like a zip bomb"
    return ""
