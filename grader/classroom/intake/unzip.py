"""Unpacking a zip that strangers made: no name in it decides where its bytes land."""

from __future__ import annotations

import contextlib
import datetime
import errno
import re
import shutil
import stat
import struct
import zipfile
import zlib
from pathlib import Path

from grader.classroom.intake.limits import MIB, Limits, refused_member, refused_whole
from grader.classroom.intake.names import Speller, clean
from grader.classroom.intake.tree import DEEPEST, Found, Listing, Parts
from grader.classroom.nouns import LeftOut
from grader.errors import UsageError

CHUNK = 256 * 1024
LONGEST = 255  # bytes of one name; what Linux, macOS and Windows allow
UTF8_NAME, TIMESTAMP = 0x7075, 0x5455  # extra fields of Info-ZIP
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    struct.error,
)


def unzip(file: Path, into: Path, *, above: Parts, limits: Limits, listing: Listing) -> None:
    """Add what the zip holds to ``listing``, below ``above``; its files get numbers for names in the folder ``into``.

    Raises UsageError, with the reason alone, when the zip is broken, a bomb, or encrypted throughout, or when the
    disk has no room for it.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            reason = refused_whole(members, limits)
            if reason:
                raise UsageError(reason)
            content = [member for member in members if not member.is_dir()]
            if content and all(member.flag_bits & 1 for member in content):
                raise UsageError("an encrypted zip; unpack it with its password first")
            into.mkdir(parents=True)
            if sum(member.file_size for member in content) > shutil.disk_usage(into).free:
                raise UsageError("unpacks to more than the disk has free")
            _unpack(archive, members, into, above=above, limits=limits, listing=listing)
    except UsageError:
        raise
    except BROKEN as error:
        raise UsageError(f"a broken zip ({error}); download it again") from error


def _unpack(
    archive: zipfile.ZipFile,
    members: list[zipfile.ZipInfo],
    into: Path,
    *,
    above: Parts,
    limits: Limits,
    listing: Listing,
) -> None:
    found: dict[Parts, Found] = {}
    left = limits.total_mib * MIB
    speller = Speller()
    for number, member in enumerate(members):
        name = _name(member)
        pieces, reason = _pieces(name, above=len(above))
        if reason:
            listing.left_out.append(LeftOut(_shown(above, name), reason))
            continue
        inside = _spelt(pieces, speller)
        parts = (*above, *inside)
        if not inside or listing.is_junk(parts):
            continue
        if member.is_dir() or name.endswith("/"):
            listing.folders.add(parts)
            continue
        disk = into / f"{number:06}"
        fault = _refused(member, limits)
        size = 0
        if not fault:
            size, fault = write_member(archive, member, disk, limits=limits, left=left)
            left -= size
        if parts in found:
            listing.left_out.append(LeftOut("/".join(parts), "twice in the zip; the later one was taken"))
        found[parts] = Found(parts[-1], "/".join(parts), disk, size, _modified(member), fault)
    listing.files.extend(found.items())


def _refused(member: zipfile.ZipInfo, limits: Limits) -> str:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "a link; refused"
    if kind not in (0, stat.S_IFREG):
        return "not a regular file; refused"
    if member.flag_bits & 1:
        return "encrypted; hand it in without a password"
    return refused_member(member.file_size, member.compress_size, limits)


def write_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, disk: Path, *, limits: Limits, left: int
) -> tuple[int, str]:
    """The number of bytes written to ``disk``, and why they are not there: "" when they are.

    They are counted on the way: what a zip declares is a claim. ``left`` is what may still be written.
    """
    size = 0
    try:
        with archive.open(member) as stream, disk.open("wb") as out:
            while chunk := stream.read(CHUNK):
                size += len(chunk)
                fault = refused_member(size, member.compress_size, limits)
                fault = fault or ("the zip unpacks to more than it may; it looks like a zip bomb" * (size > left))
                if fault:
                    break
                out.write(chunk)
            else:
                return size, ""
    except BROKEN as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
            raise UsageError(f"cannot be unpacked ({error.strerror})") from error
        fault = f"broken in the zip ({error}); hand it in again"
    disk.unlink(missing_ok=True)
    return 0, fault


def _name(member: zipfile.ZipInfo) -> str:
    """The member's name: UTF-8 where it says so or reads so, else cp437, as the format has it; "/" separates."""
    name = member.filename
    if not member.flag_bits & 0x800:
        raw = _extra(member, UTF8_NAME)[5:] or name.encode("cp437", "replace")
        with contextlib.suppress(UnicodeDecodeError):  # an old zip: cp437 it is
            name = raw.decode("utf-8")
    return name.replace("\\", "/")


def _pieces(name: str, *, above: int) -> tuple[list[str], str]:
    """The pieces of a member's name from the top down, and why they are not used: "" when they are."""
    everything = name.split("/")
    pieces = [piece for piece in everything if piece not in ("", ".")]
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in (piece.strip() for piece in pieces):
        return [], "leads out of the zip; refused"
    if above + len(pieces) > DEEPEST:
        return [], f"more than {DEEPEST} folders deep"
    if any(len(piece.encode("utf-8", "replace")) > LONGEST for piece in pieces):
        return [], f"a name of more than {LONGEST} bytes, which no system allows"
    return pieces, ""


def _shown(above: Parts, name: str) -> str:
    return "/".join((*above, clean(name if len(name) <= LONGEST else f"{name[:LONGEST]}…")))


def _spelt(pieces: list[str], speller: Speller) -> Parts:
    inside: Parts = ()
    for piece in pieces:
        inside = (*inside, speller.spell(inside, piece))
    return inside


def _modified(member: zipfile.ZipInfo) -> datetime.datetime | None:
    """When the file was changed. The format's own field knows no zone and is read as UTC; 1980 means unknown."""
    stamp = _extra(member, TIMESTAMP)
    if len(stamp) >= 5 and stamp[0] & 1:
        return datetime.datetime.fromtimestamp(struct.unpack("<i", stamp[1:5])[0], datetime.UTC)
    try:
        when = datetime.datetime(*member.date_time, tzinfo=datetime.UTC)
    except ValueError:
        return None
    return when if when.year > 1980 else None


def _extra(member: zipfile.ZipInfo, wanted: int) -> bytes:
    rest = member.extra
    while len(rest) >= 4:
        kind, length = struct.unpack("<HH", rest[:4])
        if kind == wanted:
            return rest[4 : 4 + length]
        rest = rest[4 + length :]
    return b""
