"""Opening a source: a folder or a zip, with the zips inside it, as one tree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grader.classroom.intake.limits import INNER, MIB, SOURCE
from grader.classroom.intake.names import clean, without_zip
from grader.classroom.intake.tree import Folder, Listing, tree_of
from grader.classroom.intake.unzip import unzip
from grader.classroom.intake.walk import walk
from grader.classroom.nouns import LeftOut
from grader.errors import UsageError

TOO_DEEP = "a zip in a zip in a zip; unpack it by hand"


def open_source(source: Path, *, workspace: Path) -> tuple[Folder, tuple[LeftOut, ...]]:
    """The tree of ``source`` and what in it is nobody's; zips are unpacked below ``workspace``.

    A zip in the source is opened too, and counts as a folder of its name; a zip in a zip in a zip is not. Raises
    UsageError when the source is not there, neither a folder nor a zip, or a zip that cannot be opened.
    """
    unpacked = workspace / "unpacked"
    if source.is_dir():
        listing = walk(source, workspace=workspace)
        outer = False
    elif not source.exists():
        raise UsageError(f"{source}: no such file or folder; name the download of your class")
    elif not source.is_file() or source.suffix.lower() != ".zip":
        raise UsageError(f"{source}: neither a folder nor a zip; unpack it, or put the submissions into a folder")
    else:
        listing = Listing()
        outer = True
        try:
            unzip(source, unpacked / "source", above=(), limits=SOURCE, listing=listing)
        except UsageError as error:
            raise UsageError(f"{source}: {error}") from error
    _open_inner(listing, unpacked)
    name = clean(without_zip(source.name) if outer else source.resolve().name)
    return tree_of(listing, name=name), listing.all_left_out()


def _open_inner(listing: Listing, unpacked: Path) -> None:
    """Put what the zips of the listing hold in their place; one that cannot be opened stays, with its fault."""
    outer, listing.files = listing.files, []
    zips = [file for _, file in outer if file.name.casefold().endswith(".zip")]
    code = any(not file.name.casefold().endswith(".zip") for _, file in outer)
    wrapper = len(zips) == 1 and not code  # the whole class in a zip of a zip
    left = SOURCE.total_mib * MIB  # of all inner zips together
    for number, (parts, file) in enumerate(outer):
        if file.fault or not file.name.casefold().endswith(".zip"):
            listing.files.append((parts, file))
            continue
        inner = Listing()
        try:
            limits = SOURCE if wrapper else replace(INNER, total_mib=min(INNER.total_mib, left // MIB))
            unzip(file.disk, unpacked / f"inner-{number:06}", above=parts, limits=limits, listing=inner)
        except UsageError as error:
            listing.files.append((parts, replace(file, fault=str(error))))
            continue
        left -= sum(found.size for _, found in inner.files)
        listing.folders |= inner.folders | {parts}
        listing.repositories |= inner.repositories
        listing.left_out += inner.left_out
        for kind, (path, reason, count) in inner.junk.items():
            first, _, before = listing.junk.get(kind, (path, reason, 0))
            listing.junk[kind] = (first, reason, before + count)
        for deeper, found in inner.files:
            nested = found.name.casefold().endswith(".zip") and not found.fault
            listing.files.append((deeper, replace(found, fault=TOO_DEEP) if nested else found))
