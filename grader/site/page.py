"""A lesson's page as Sphinx reads it: tags taken out, predictions, questions and figures made interactive."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

COMPUTED = re.compile(r"<!--=.*?-->")
PREDICT = re.compile(r"<!-- predict: (?P<names>[\w -]+?) -->")
INTERACTIVE = re.compile(r"<!-- interactive: (?P<name>[\w-]+) -->")
QUIZ_OPENS, QUIZ_CLOSES = re.compile(r"<!-- quiz:"), re.compile(r"<!-- /quiz -->")
OTHER_LESSON = re.compile(r"\]\(\.\./([\w-]+)/lesson\.md")
FENCE = re.compile(r"^\s*(```|~~~)")

Widget = Callable[[str], str]


def page_source(text: str, *, predict: Widget, interactive: Widget, quiz: str) -> str:
    """``lesson.md`` as MyST: ``predict`` and ``interactive`` give the HTML for a name, ``quiz`` stands for the quiz."""
    out: list[str] = []
    gate = ""
    in_quiz = False
    for line, is_code in _with_code(text):
        if is_code:
            out.append(line)
        elif in_quiz:
            in_quiz = not QUIZ_CLOSES.search(line)
        elif QUIZ_OPENS.match(line):
            in_quiz = True
            out += ["", quiz, ""]
        elif match := PREDICT.fullmatch(line.strip()):
            names = match["names"].split()
            out += ["", "".join(predict(name) for name in names), ""]
            gate = " ".join(names)
        elif match := INTERACTIVE.fullmatch(line.strip()):
            out += ["", interactive(match["name"]), ""]
        elif gate and line.startswith("<details>"):
            out.append(line.replace("<details>", f'<details class="gated" data-gated-by="{gate}">', 1))
            gate = ""
        else:
            out.append(OTHER_LESSON.sub(r"](../\1/index.md", COMPUTED.sub("", line)))
    return "\n".join(out) + "\n"


def interactive_names(text: str) -> list[str]:
    """The interactive figures that a page asks for, in order."""
    return [match["name"] for line, is_code in _with_code(text) if not is_code and (match := INTERACTIVE.search(line))]


def headings(text: str) -> Mapping[str, str]:
    """Heading -> anchor, as the site gives it to the sections of the page."""
    found = (
        line.lstrip("#").strip() for line, is_code in _with_code(text) if not is_code and re.match(r"#{1,6} ", line)
    )
    return {heading: anchor(heading) for heading in found}


def anchor(heading: str) -> str:
    """The anchor of a heading, by the rule of code hosts: small letters, hyphens for blanks, no other signs."""
    kept = re.sub(r"[^\w\- ]", "", COMPUTED.sub("", heading).lower())
    return kept.strip().replace(" ", "-")


def _with_code(text: str) -> Iterator[tuple[str, bool]]:
    """Every line, with whether it belongs to a code block."""
    inside = False
    for line in text.splitlines():
        fence = bool(FENCE.match(line))
        yield line, inside or fence
        inside ^= fence
