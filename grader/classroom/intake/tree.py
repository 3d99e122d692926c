"""The tree of a source: its folders and files, wherever their bytes lie."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.classroom.intake.names import junk
from grader.classroom.nouns import LeftOut

DEEPEST = 40  # folders in folders; far above what a course needs, far below Python's recursion limit

Parts = tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """A file of the source: ``path`` as an instructor sees it there, ``disk`` where its bytes lie now.

    ``fault`` says why it cannot be read (a link, a pipe, a broken zip); then ``disk`` must not be opened.
    """

    name: str
    path: str
    disk: Path
    size: int = 0
    modified: datetime.datetime | None = None
    fault: str = ""


@dataclass(frozen=True)
class Folder:
    """A folder of the source; an opened zip is one too, whose name ends in .zip."""

    name: str
    path: str
    folders: tuple[Folder, ...] = ()
    files: tuple[Found, ...] = ()
    repository: bool = False

    def every(self, above: Parts = ()) -> Iterator[tuple[Parts, Found]]:
        """All files at any depth with their path inside this folder, in the order of their names."""
        for file in self.files:
            yield (*above, file.name), file
        for folder in self.folders:
            yield from folder.every((*above, folder.name))


@dataclass
class Listing:
    """What a walk or a zip brings to light, piece by piece, before it is a tree."""

    files: list[tuple[Parts, Found]] = field(default_factory=list)
    folders: set[Parts] = field(default_factory=set)
    repositories: set[Parts] = field(default_factory=set)
    left_out: list[LeftOut] = field(default_factory=list)
    junk: dict[str, tuple[str, str, int]] = field(default_factory=dict)

    def is_junk(self, parts: Parts) -> bool:
        """Whether no submission lies at ``parts`` because a system or a tool made it; remembers that it was there."""
        for depth, name in enumerate(parts):
            kind = junk(name)
            if kind is None:
                continue
            if name == ".git":
                self.folders.add(parts[:depth])
                self.repositories.add(parts[:depth])
            path = "/".join(parts[: depth + 1])
            label, reason = kind
            first, _, count = self.junk.get(label, (path, reason, 0))
            self.junk[label] = (first, reason, count + (path != first or count == 0))
            return True
        return False

    def all_left_out(self) -> tuple[LeftOut, ...]:
        """What is nobody's submission: the junk, each kind once, then what was refused."""
        kinds = [
            LeftOut(first, reason if count == 1 else f"{reason}; there are more of its kind")
            for first, reason, count in self.junk.values()
        ]
        faults = [LeftOut(file.path, file.fault) for _, file in self.files if file.fault]
        return (*kinds, *self.left_out, *faults)


def tree_of(listing: Listing, *, name: str) -> Folder:
    """The listing as a tree whose root is called ``name``; names in the order of their characters."""
    folders: dict[Parts, set[str]] = {(): set()}
    files: dict[Parts, list[Found]] = {}

    def add(parts: Parts) -> None:
        for depth in range(len(parts)):
            folders.setdefault(parts[:depth], set()).add(parts[depth])
        folders.setdefault(parts, set())

    for parts in listing.folders:
        add(parts)
    for parts, file in listing.files:
        add(parts[:-1])
        files.setdefault(parts[:-1], []).append(file)

    def grown(parts: Parts) -> Folder:
        return Folder(
            name=parts[-1] if parts else name,
            path="/".join(parts),
            folders=tuple(grown((*parts, child)) for child in sorted(folders[parts])),
            files=tuple(sorted(files.get(parts, ()), key=lambda file: (file.name, file.path))),
            repository=parts in listing.repositories,
        )

    return grown(())


def newest(files: Sequence[Found]) -> datetime.datetime | None:
    """The latest time at which one of the files was changed; None when none says so."""
    return max((file.modified for file in files if file.modified), default=None)
