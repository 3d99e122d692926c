"""The page of a lesson as a notebook that stands alone: prose as Markdown, its Python as cells, figures inside."""

from __future__ import annotations

import base64
import copy
import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.errors import LessonError
from grader.percent import METADATA

COMMENT = re.compile(r"(?P<kept>^```.*?^```$|`[^`\n]+`)|^<!--.*?-->\n|<!--.*?-->", re.MULTILINE | re.DOTALL)
OPENS = re.compile(r"<details[^>]*>\s*<summary>(?P<summary>.*?)</summary>")
FIGURE = re.compile(r"!\[(?P<words>[^\]]*)\]\((?P<path>[^):]+)\)")
LINK = re.compile(r"(?<!!)\[(?P<words>[^\]]+)\]\((?P<path>[^):#]+)\)")
FOLLOWS = "It goes on in the next cell, whose code is folded: click on it to see it."


def lesson_notebook(folder: Path) -> Any:
    """The notebook (nbformat) of the lesson in ``folder``, which needs no other file."""
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    page = folder / "lesson.md"
    if not page.exists():
        raise LessonError(f"{page}: missing; a lesson folder needs it")
    text = COMMENT.sub(lambda found: found["kept"] or "", page.read_text(encoding="utf-8"))
    cells = []
    for kind, part, hidden in _with_whole_folds(_parts(text)):
        if kind == "code":
            # What an answer computes is folded too.
            metadata = {"jupyter": {"source_hidden": True}} if hidden else {}
            cells.append(new_code_cell(part, metadata=metadata))
        elif part.strip():
            cells.append(new_markdown_cell(_standing_alone(part.strip(), folder)))
    return new_notebook(cells=cells, metadata=copy.deepcopy(METADATA))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """("code", block) for the Python of the page and ("prose", section) for what is between, a section each."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        starts = not fence and line.startswith("```")
        if (starts and line == "```python") or (not fence and line.startswith("## ")):
            yield "prose", "\n".join(lines)
            lines = []
        if starts:
            fence = line
        elif fence and line == "```":
            if fence == "```python":
                yield "code", "\n".join(lines[1:])
                lines, fence = [], ""
                continue
            fence = ""
        lines.append(line)
    yield "prose", "\n".join(lines)


def _with_whole_folds(parts: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str, bool]]:
    """The parts with every ``<details>`` closed in the cell that it is opened in, and whether it was open there."""
    summary = ""
    for kind, part in parts:
        if kind == "code":
            yield kind, part, bool(summary)
            continue
        if summary:
            before, closing, after = part.partition("</details>")
            if before.strip():
                before = f"<details><summary>{summary} (continued)</summary>\n\n{before.strip()}\n\n"
                part = f"{before}{closing}{after}"
            else:
                part = after if closing else ""
            summary = "" if closing else summary
        opened = OPENS.findall(part)
        if len(opened) > part.count("</details>"):
            summary = opened[-1]
            part = f"{part.rstrip()}\n\n{FOLLOWS}\n\n</details>"
        elif summary and part.strip():
            part = f"{part.rstrip()}\n\n</details>"
        yield kind, part, False


def _standing_alone(text: str, folder: Path) -> str:
    """Markdown with the figures and files of the lesson that it refers to inside it."""
    files: list[Path] = []

    def figure(found: re.Match[str]) -> str:
        data = base64.b64encode((folder / found["path"]).read_bytes()).decode()
        kind = "svg+xml" if found["path"].endswith(".svg") else Path(found["path"]).suffix[1:]
        return f'<img alt="{html.escape(found["words"])}" src="data:image/{kind};base64,{data}">'

    def link(found: re.Match[str]) -> str:
        path = folder / found["path"]
        if path.suffix in (".txt", ".json", ".csv") and path.is_file():
            files.append(path)
        return found["words"]

    blocks = []
    for block in re.split(r"(\n\n(?=\S)|^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL):
        blocks.append(block if block.startswith("```") else LINK.sub(link, FIGURE.sub(figure, block)))
        while files and not block.isspace():
            path = files.pop(0)
            content = html.escape(path.read_text(encoding="utf-8").rstrip())
            blocks.append(f"\n\n<details><summary>{path.name}</summary>\n\n<pre>\n{content}\n</pre>\n\n</details>")
    return "".join(blocks)
