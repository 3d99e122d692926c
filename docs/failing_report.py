"""Draws failing-report.svg for the README from a real grading: python docs/failing_report.py."""

from __future__ import annotations

import hashlib
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from grader.grading import grade
from grader.lesson import load_lesson
from grader.model import Submission
from grader.reporting.text import print_report
from grader.running.runner import Runner

SEED = 1
# No font is fetched from anywhere: the reader's own monospace font is used.
FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>A report of grade lesson: softmax over the queries is named</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
<rect width="100%" height="100%" rx="8" fill="#0c0c0c"/>
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""


def wrong_axis(solution: str) -> bytes:
    """The reference with softmax over the queries."""
    return solution.replace("max(axis=-1", "max(axis=0", 1).replace("sum(axis=-1", "sum(axis=0", 1).encode()


def main() -> None:
    """Grade the wrong program and write the picture."""
    lesson = load_lesson("transformers-01")
    source = wrong_axis(lesson.solution.read_text(encoding="utf-8"))
    submission = Submission("main.py", source, hashlib.sha256(source).hexdigest())
    console = Console(record=True, width=96, force_terminal=True, color_system="truecolor", highlight=False)
    with Runner(strict=True) as runner:
        report = grade(lesson, submission, seed=SEED, open_worker=runner.open)
    print_report(report, lesson, console, command="grade lesson transformers-01")
    svg = console.export_svg(theme=MONOKAI, code_format=FORMAT, unique_id="report")
    Path(__file__).with_name("failing-report.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
