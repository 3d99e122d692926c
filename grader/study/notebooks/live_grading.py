"""The process in which the names of a live kernel are graded; kernel.py starts it."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
from rich.console import Console

from grader.errors import GraderError
from grader.grading import grade_live, new_seed
from grader.lesson import load_lesson
from grader.reporting.html import report_html
from grader.reporting.text import print_report
from grader.running.live import LiveProgram

THEN = "change your cell, run it"
ONWARD = "a kernel keeps no progress; save the notebook, and in a terminal: grade lesson {} NOTEBOOK"
WIDTH = 100


def main(lesson_id: str, *, seed: int | None, verbose: bool) -> None:
    """Grade what the kernel at the other end of the pipes defines, and send it the report as text and HTML."""
    program = LiveProgram()
    lesson = load_lesson(lesson_id)
    report = grade_live(lesson, program, seed=new_seed() if seed is None else seed)
    command = f"%grade {lesson_id}"
    text = io.StringIO()
    console = Console(file=text, width=WIDTH, highlight=False, color_system=None)
    onward = ONWARD.format(lesson_id)
    print_report(report, lesson, console, command=command, then=THEN, onward=onward, verbose=verbose)
    shown = {"text/plain": text.getvalue(), "text/html": report_html(report, lesson, command=command, then=THEN)}
    program.hand_over(np.frombuffer(json.dumps(shown).encode(), np.uint8))


if __name__ == "__main__":
    try:
        main(sys.argv[1], **json.loads(sys.argv[2]))
    except GraderError as error:
        sys.exit(f"{error}")
