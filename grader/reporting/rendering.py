"""Filling templates: nothing of a submission reaches a page as markup, as a hidden character or as a machine's path."""

from __future__ import annotations

import datetime
import re
import unicodedata
from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

# A folder from the root, "/tmp/x/" or "C:\x\": what stays is the file's name behind it.
FOLDERS = re.compile(r"(?<![\w/:.\\])(?:[A-Za-z]:[\\/]|\\\\|/)(?:[^\s/\\\"'<>:|]+[\\/])+")
CONTROL_PICTURES = 0x2400
JOINERS = "\u200c\u200d"  # spelling needs them, in Persian names for one


def render(template: str, *, package: str = "grader.reporting", **facts: Any) -> str:
    """The page that ``template`` of ``package`` gives, with the templates here at hand; every fact is escaped."""
    return _environment(package).get_template(template).render(**facts)


@cache
def _environment(package: str) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("grader.reporting")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(shown=shown, moment=moment, number=number)
    return environment


def shown(text: str) -> str:
    """``text`` with all characters visible: controls as pictures, none that changes the direction, no folders."""
    return "".join(map(_visible, FOLDERS.sub("…/", text.replace("\r\n", "\n"))))


def _visible(character: str) -> str:
    kind = unicodedata.category(character)
    if character in "\n\t" + JOINERS or kind not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return character
    return chr(CONTROL_PICTURES + ord(character)) if kind == "Cc" and character < " " else "\N{REPLACEMENT CHARACTER}"


def moment(when: datetime.datetime) -> str:
    """A time as people read it, in UTC: 30 November 2026, 07:50 UTC."""
    utc = when.astimezone(datetime.UTC)
    return f"{utc.day} {utc:%B %Y, %H:%M} UTC"


def number(value: float | None, digits: int = 0) -> str:
    """``value`` rounded to ``digits``; a dash when there is none."""
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")
