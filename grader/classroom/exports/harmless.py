"""Text of students made harmless for whatever reads an export: terminals, spreadsheets, XML, runners of workflows."""

from __future__ import annotations

import re

# Controls but tab and newline, lone surrogates, marks that turn the reading direction, and what XML 1.0 forbids.
UNSHOWABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
# What a spreadsheet takes for the start of a formula, in the widths that it accepts.
FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")  # noqa: RUF001 - the wide forms are meant


def cleaned(text: str) -> str:
    """``text`` without control characters, each shown as U+FFFD; line ends become "\\n"."""
    return UNSHOWABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """``cleaned`` text on one line."""
    return " ".join(cleaned(text).split())


def cell(text: str) -> str:
    """``text`` for a spreadsheet: cleaned, with an apostrophe before what would be read as a formula."""
    shown = "\t" + one_line(text) if text[:1] in ("\t", "\r", "\n") else one_line(text)
    return "'" + shown.lstrip("\t") if FORMULA.match(shown) else shown


def no_command(text: str) -> str:
    """``cleaned`` text in whose lines GitHub's runner finds no workflow command (``::name::`` or ``##[name]``)."""
    broken = re.sub(r"(?m)^(\s*):(?=:)", r"\1: ", cleaned(text))
    return broken.replace("##[", "## [")
