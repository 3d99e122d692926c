"""The real command `grade batch` on generated classes, for the tests that interrupt it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from grader.classroom.gradebook import Gradebook
from grader.lesson import load_lesson
from grader.preparing import compiled
from grader.running.compile_cache import cache_root

LESSON = "transformers-01"


def make_class(folder: Path, count: int) -> Path:
    """``count`` submissions of three kinds, no two alike: right, wrong scale, unfinished."""
    lesson = load_lesson(LESSON)
    right = lesson.solution.read_text(encoding="utf-8")
    wrong = right.replace(" / jnp.sqrt(k.shape[-1])", "")
    assert wrong != right
    kinds = (right, wrong, lesson.scaffold.read_text(encoding="utf-8"))
    for number in range(count):
        (folder / f"s{number:03}").mkdir(parents=True)
        source = f"{kinds[number % len(kinds)]}\n# {number}\n"
        (folder / f"s{number:03}" / "main.py").write_text(source, encoding="utf-8")
    return folder


def start(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start `grade` in a process group of its own, with this machine's compile cache filled."""
    compiled(load_lesson(LESSON))
    environment = {**os.environ, "HEADWORK_CACHE": str(cache_root()), "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.Popen(
        [sys.executable, "-m", "grader.cli.app", *map(str, arguments)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
        **options,
    )


def batch(source: Path, out: Path, *more: object) -> subprocess.Popen[str]:
    """Start `grade batch` on ``source``."""
    return start("batch", source, "--lesson", LESSON, "--out", out, *more)


def scores_and_checks(out: Path) -> dict[str, list[tuple[int | None, tuple[tuple[str, str], ...]]]]:
    """Student -> every grading in the gradebook: score, and verdict by check."""
    found: dict[str, list[tuple[int | None, tuple[tuple[str, str], ...]]]] = {}
    with Gradebook.read(out) as gradebook:
        for one in gradebook.attempts():
            checks = tuple((outcome["check"], outcome["verdict"]) for outcome in one.report["outcomes"])
            found.setdefault(one.student, []).append((one.score, checks))
    return found
