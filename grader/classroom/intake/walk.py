"""Walking a folder that is a source, without following anything out of it."""

from __future__ import annotations

import datetime
import os
import stat
from pathlib import Path

from grader.classroom.intake.names import Speller
from grader.classroom.intake.tree import DEEPEST, Found, Listing, Parts
from grader.classroom.nouns import LeftOut
from grader.errors import UsageError

OWN_RESULTS = "gradebook.sqlite"
OWN_NAMES = ("gradebook.sqlite", "reports", "exports", "class.html", "grades.csv", "timing.json", ".running")


def walk(source: Path, *, workspace: Path) -> Listing:
    """Every file and folder of ``source``: links are named, not followed; pipes and devices are never opened.

    Raises UsageError when the folder itself cannot be read.
    """
    listing = Listing()
    try:
        os.scandir(source).close()
    except OSError as error:
        raise UsageError(f"{source}: cannot be read ({error.strerror}); check its permissions") from error
    _into(listing, source, (), workspace.resolve(), Speller())
    return listing


def _into(listing: Listing, folder: Path, above: Parts, workspace: Path, speller: Speller) -> None:
    shown = "/".join(above)
    try:
        with os.scandir(folder) as entries:
            inside = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        listing.left_out.append(LeftOut(shown, f"a folder that cannot be read ({error.strerror})"))
        return
    if above and any(entry.name == OWN_RESULTS for entry in inside):
        listing.left_out.append(LeftOut(shown, "results of an earlier grading, no submissions"))
        listing.folders.discard(above)
        return
    if any(entry.name == OWN_RESULTS for entry in inside):  # the source is the --out of an earlier run, too
        inside = [entry for entry in inside if not entry.name.startswith(OWN_NAMES)]
    for entry in inside:
        parts = (*above, speller.spell(above, entry.name))
        if listing.is_junk(parts):
            continue
        if not entry.is_dir(follow_symlinks=False):
            listing.files.append((parts, _file(entry, parts)))
        elif workspace.is_relative_to(Path(entry.path).resolve()):
            listing.left_out.append(LeftOut("/".join(parts), "where this grading writes, no submissions"))
        elif len(parts) > DEEPEST:
            listing.left_out.append(LeftOut("/".join(parts), f"more than {DEEPEST} folders deep"))
        else:
            listing.folders.add(parts)
            _into(listing, Path(entry.path), parts, workspace, speller)


def _file(entry: os.DirEntry[str], parts: Parts) -> Found:
    path = Path(entry.path)
    try:
        info = entry.stat(follow_symlinks=False)
    except OSError as error:
        return Found(parts[-1], "/".join(parts), path, fault=f"cannot be read ({error.strerror})")
    fault = ""
    if stat.S_ISLNK(info.st_mode):
        fault = "a link; links are not followed"
    elif not stat.S_ISREG(info.st_mode):
        fault = "not a regular file (a pipe, socket or device); it was not opened"
    elif not os.access(path, os.R_OK):
        fault = "cannot be read (no permission)"
    modified = datetime.datetime.fromtimestamp(info.st_mtime, datetime.UTC)
    return Found(parts[-1], "/".join(parts), path, info.st_size, modified, fault)
