"""A lesson's page as Sphinx reads it: tags taken out, predictions, questions and figures made interactive."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

COMPUTED = re.compile(r"<!--=.*?-->")
PREDICT = re.compile(r"<!-- predict: (?P<names>[\w -]+?) -->")
INTERACTIVE = re.compile(r"<!-- interactive: (?P<name>[\w-]+) -->")
QUIZ_OPENS, QUIZ_CLOSES = re.compile(r"<!-- quiz:"), re.compile(r"<!-- /quiz -->")
OTHER_LESSON = re.compile(r"\[(?P<words>[^\]]*)\]\(\.\./(?P<id>[\w-]+)/lesson\.md(?P<anchor>#[\w-]+)?\)")
FENCE = re.compile(r"^\s*(```|~~~)")
DRAWN_ELSEWHERE = re.compile(r"^\s*(?:```|~~~)\s*\{?mermaid\b")

Widget = Callable[[str], str]


def page_source(
    text: str, *, facts: str, predict: Widget, interactive: Widget, quiz: str, lessons: Collection[str]
) -> str:
    """``lesson.md`` as MyST: ``facts`` below its title, ``quiz`` where its quiz is; the others make HTML of a name.

    Links to lessons lead to those of ``lessons``, which are in the site; of the others the words stay.
    """

    def other_lesson(match: re.Match[str]) -> str:
        there = f"](../{match['id']}/index.md{match['anchor'] or ''})"
        return f"[{match['words']}{there}" if match["id"] in lessons else match["words"]

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
            out.append(OTHER_LESSON.sub(other_lesson, COMPUTED.sub("", line)))
            if facts and line.startswith("# "):
                out += ["", facts, ""]
                facts = ""
    return "\n".join(out) + "\n"


def interactive_names(text: str) -> list[str]:
    """The interactive figures that a page asks for, in order."""
    return [match["name"] for line, is_code in _with_code(text) if not is_code and (match := INTERACTIVE.search(line))]


def undrawn(text: str) -> Iterator[str]:
    """Blocks that would need a drawing program, each as `lesson.md:line: what`."""
    for number, line in enumerate(text.splitlines(), start=1):
        if DRAWN_ELSEWHERE.match(line):
            yield f"lesson.md:{number}: a mermaid block, which is not drawn here; draw it in figures.py, as SVG"


def _with_code(text: str) -> Iterator[tuple[str, bool]]:
    """Every line, with whether it belongs to a code block."""
    inside = False
    for line in text.splitlines():
        fence = bool(FENCE.match(line))
        yield line, inside or fence
        inside ^= fence
