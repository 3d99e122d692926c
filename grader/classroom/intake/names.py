"""Names: of students, files and folders, as people and systems spell them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

CODE = (".py", ".ipynb")
RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)")
JOINERS = "\u200c\u200d"  # part of the spelling of Persian and Indic names
MACOS = "made by macOS; holds no submission"
WINDOWS = "made by Windows; holds no submission"
TOOL = "made by a tool, not by the student; holds no submission"
JUNK = {
    "__macosx": MACOS,
    ".ds_store": MACOS,
    "thumbs.db": WINDOWS,
    "ehthumbs.db": WINDOWS,
    "desktop.ini": WINDOWS,
    "$recycle.bin": WINDOWS,
    **dict.fromkeys((".git", "__pycache__", ".ipynb_checkpoints", ".pytest_cache", ".mypy_cache", ".ruff_cache"), TOOL),
    **dict.fromkeys((".venv", "venv", "node_modules", ".idea", ".vscode"), TOOL),
}


def clean(name: str) -> str:
    """``name`` composed (NFC), without control characters or bytes that are no text: fit for a terminal and a file."""
    text = unicodedata.normalize("NFC", name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    odd = (c not in JOINERS and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in text)
    return "".join("\ufffd" if is_odd else c for c, is_odd in zip(text, odd, strict=True))


class Speller:
    """Cleans the names of one source, and keeps names apart that only differ in what cleaning takes away."""

    def __init__(self) -> None:
        self._given: dict[tuple[tuple[str, ...], str], str] = {}
        self._taken: set[tuple[str, ...]] = set()

    def spell(self, above: tuple[str, ...], name: str) -> str:
        """The clean name of ``name`` in the folder ``above``; the second that would get the same one ends in ~2."""
        if (above, name) not in self._given:
            unique, number = clean(name), 1
            while (*above, unique) in self._taken:
                number += 1
                stem, extension = split(clean(name))
                unique = f"{stem}~{number}{extension}"
            self._taken.add((*above, unique))
            self._given[above, name] = unique
        return self._given[above, name]


def junk(name: str) -> tuple[str, str] | None:
    """The kind of a name that a system or tool makes, with the reason to leave it out; None for all other names."""
    if name.startswith("._"):
        return "._*", MACOS
    if name.startswith("~$"):
        return "~$*", "the lock of an open document; holds no submission"
    reason = JUNK.get(name.casefold())
    return (name.casefold(), reason) if reason else None


def split(name: str) -> tuple[str, str]:
    """A file name as stem and extension in lower case: "Main.PY" is ("Main", ".py")."""
    stem, dot, extension = name.rpartition(".")
    return (stem, dot + extension.casefold()) if stem else (name, "")


def is_code(name: str) -> bool:
    """Whether a name is a Python file's or a notebook's."""
    return split(name)[1] in CODE


def without_zip(name: str) -> str:
    """The name of an opened zip without its ending; every other name as it is."""
    return name[:-4] if name.casefold().endswith(".zip") else name


def alike(name: str) -> str:
    """``name`` without what people vary: case, spaces, ``_`` and ``-``. "Transformers_01" is like "transformers-01"."""
    return re.sub(r"[\s_-]+", "", name.casefold())


def numbered(stem: str) -> tuple[str, int]:
    """A stem without the number of a copy, and that number: "main (1)", "main-1" and "main_1" are ("main", 1).

    A stem without one is copy 0.
    """
    match = re.fullmatch(r"(.+?)(?:\s*\((\d{1,4})\)|[\s_-]+(\d{1,4}))", stem)
    return (match[1], int(match[2] or match[3])) if match else (stem, 0)


def shared(names: Sequence[str], *, separator: str) -> str:
    """What all names begin with, in whole pieces between separators, so that something is left of each."""
    pieces = [name.split(separator) for name in names]
    common = []
    for column in zip(*(each[:-1] for each in pieces), strict=False):
        if len(set(column)) > 1:
            break
        common.append(column[0])
    return separator.join(common)


def portable(name: str) -> bool:
    """Whether a file may bear this name on every system."""
    return not (
        RESERVED.match(name)
        or name in ("", ".", "..")
        or name != name.rstrip(" .")
        or re.search(r'[<>:"|?*\\/\x00-\x1f]', name)
        or len(name.encode("utf-8", "replace")) > 240
    )


def key(name: str) -> str:
    """A student's key from the name of a folder: no separators, and no name that a system reserves."""
    text = re.sub(r"[\\/]", "_", clean(name)).strip().rstrip(".") or "_"
    return f"{text}_" if RESERVED.match(text) else text


def distinct(names: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """A key for each name, no two alike even where case does not count, and notes that say who shares a name.

    The first of a name keeps it, the others get ~2, ~3 in the order given.
    """
    keys = [key(name) for name in names]
    spelt = set(keys)
    bases = (re.sub(r"~\d+$", "", each) for each in keys)  # what spelling kept apart is of one name here
    keys = [base if base in spelt else each for each, base in zip(keys, bases, strict=True)]
    count = Counter(each.casefold() for each in keys)
    taken: set[str] = {each for each, times in count.items() if times == 1}
    given: list[tuple[str, tuple[str, ...]]] = []
    for each in keys:
        if count[each.casefold()] == 1:
            given.append((each, ()))
            continue
        unique, number = each, 1
        while unique.casefold() in taken:
            number += 1
            unique = f"{each}~{number}"
        taken.add(unique.casefold())
        note = f"{count[each.casefold()]} submissions bear the name {each}; this one is kept apart as {unique}"
        given.append((unique, (note,)))
    return given
