"""A lesson's page as Markdown that a terminal can show: answers folded, formulas as text."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.cells import names_set
from grader.errors import UsageError
from grader.study.reading.mathematics import readable

HEADING = re.compile(r"^(#+) +(.+?) *$")
FENCED = r"^(?P<fence>```+|~~~+).*?^(?P=fence) *$"
FOLD = re.compile(
    rf"{FENCED}|(?:^<!-- *predict:(?P<names>[^>]*)-->\s*)?"
    r"^<details[^>]*>\s*<summary>(?P<summary>.*?)</summary>(?P<text>.*?)^</details>[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
PROSE = re.compile(
    rf"{FENCED}|(?P<code>`[^`\n]+`)|(?P<comment>[ \t]*<!--.*?-->)"
    r"|\$\$(?P<display>.+?)\$\$|(?<![\\$])\$(?P<inline>[^$\n]+)\$"
    r"|!\[(?P<words>[^\]]*)\]\((?P<figure>[^)]+)\)|(?<=\]\()(?P<link>[^)#:]+)(?=\))",
    re.MULTILINE | re.DOTALL,
)
OTHER_LESSON = re.compile(r"\.\./([\w-]+)/lesson\.md")
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Fold:
    """What a page shows only when it is opened, under a heading; ``predictions`` are to be recorded before."""

    summary: str
    text: str
    predictions: tuple[str, ...]
    section: str = ""

    @property
    def is_reference(self) -> bool:
        """Whether it holds the reference solution of an exercise."""
        return self.summary.startswith("Reference solution")

    @property
    def names(self) -> frozenset[str]:
        """The names that its code sets."""
        trees = (ast.parse(code) for code in PYTHON.findall(self.text))
        return frozenset(name for tree in trees for statement in tree.body for name in names_set(statement))


@dataclass(frozen=True)
class Reader:
    """What one learner has done and asks for; ``solved`` says of every name of an exercise whether that passed."""

    lesson_id: str
    predicted: frozenset[str]
    solved: Mapping[str, bool]
    answers: bool = False
    reveal: bool = False


def why_hidden(fold: Fold, reader: Reader) -> str:
    """Why ``reader`` does not see what is in ``fold``; nothing when they do. A prediction comes before its answer."""
    if missing := [name for name in fold.predictions if name not in reader.predicted]:
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        return f"hidden until you predict: `grade predict {reader.lesson_id} {missing[0]}`{more}"
    if fold.is_reference:
        mine = reader.solved.keys() & fold.names or reader.solved.keys()
        solved = all(reader.solved[name] for name in mine)
        return "" if solved or reader.reveal else "hidden until the exercise passes; `--reveal` opens it"
    if fold.predictions or reader.answers:
        return ""
    only = f' "{fold.section}"' if fold.section else ""
    return f"hidden; `grade read {reader.lesson_id}{only} --answers` opens it"


def section_of(text: str, wanted: str) -> str:
    """The part of a page under one heading, found by its words, their beginning or its anchor.

    Raises UsageError when there is none, or more than one that could be meant.
    """
    lines = text.splitlines(keepends=True)
    found = [(n, match) for n, line in enumerate(_without_code(text)) if (match := HEADING.match(line))]
    titles = {n: match[2] for n, match in found}
    first = _chosen(titles, wanted)
    level = next(len(match[1]) for n, match in found if n == first)
    last = next((n for n, match in found if n > first and len(match[1]) <= level), len(lines))
    return "".join(lines[first:last])


def for_terminal(text: str, folder: Path, *, hidden: Callable[[Fold], str]) -> str:
    """A page as Markdown without HTML: folds as a marked line or marked content, the rest as a terminal shows it."""

    def shown(match: re.Match[str]) -> str:
        if match["fence"]:
            return match.group()
        above = [heading[2] for line in _without_code(text[: match.start()]) if (heading := HEADING.match(line))]
        predictions = tuple((match["names"] or "").split())
        fold = Fold(match["summary"].strip(), match["text"].strip(), predictions, above[-1] if above else "")
        if reason := hidden(fold):
            return f"▸ **{fold.summary}** ({reason})"
        return f"▾ **{fold.summary}**\n\n{fold.text}\n\n▴ *{fold.summary}: the end*"

    return PROSE.sub(lambda match: _plain(match, folder), FOLD.sub(shown, text))


def anchor(title: str) -> str:
    """A heading as the end of an address: small letters, hyphens for spaces, nothing else."""
    return re.sub(r"[^\w\- ]", "", title.casefold()).strip().replace(" ", "-")


def _plain(match: re.Match[str], folder: Path) -> str:
    if match["comment"]:
        return "*(an interactive figure: `grade read --web` opens it)*" if "interactive:" in match["comment"] else ""
    if match["display"]:
        return f"```text\n{readable(match['display'])}\n```"
    if match["inline"]:
        line = readable(match["inline"]).replace("\n", "; ").replace("|", "\N{DIVIDES}")
        return re.sub(r"([*_<`\[\]])", r"\\\1", line)
    if match["figure"]:
        return f"**Figure.** {match['words']}\n\nIt is drawn in: {folder / match['figure']}"
    if other := OTHER_LESSON.fullmatch(match["link"] or ""):
        return f"grade read {other[1]}"
    if match["link"]:
        return str(folder / match["link"])
    return match.group()


def _without_code(text: str) -> list[str]:
    """The lines of a page, those of code blocks empty."""
    fenced = re.compile(FENCED, re.MULTILINE | re.DOTALL)
    return fenced.sub(lambda match: "\n" * match.group().count("\n"), text).split("\n")


def _chosen(titles: Mapping[int, str], wanted: str) -> int:
    """The line whose title is meant by ``wanted``."""
    asked = anchor(wanted.lstrip("# "))
    anchors = {n: anchor(title) for n, title in titles.items()}
    for fits in (asked.__eq__, lambda one: one.startswith(asked), lambda one: asked in one):
        found = [n for n, one in anchors.items() if fits(one)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(f"{wanted}: could be {_listed(titles[n] for n in found)}; write more of it")
    close = difflib.get_close_matches(asked, anchors.values(), n=1, cutoff=0.5)
    if close:
        raise UsageError(
            f"{wanted}: no such section; did you mean {next(t for n, t in titles.items() if anchors[n] == close[0])!r}?"
        )
    raise UsageError(f"{wanted}: no such section; there are {_listed(titles.values())}")


def _listed(titles: Iterable[str]) -> str:
    return ", ".join(map(repr, titles))
