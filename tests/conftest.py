"""Fixtures that many tests share: the lesson, its texts, graded once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from grader.lesson import load_lesson
from grader.model import Lesson

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def lesson() -> Lesson:
    """transformers-01."""
    return load_lesson("transformers-01")


@pytest.fixture(scope="session")
def solution(lesson: Lesson) -> str:
    """The text of the reference."""
    return lesson.solution.read_text(encoding="utf-8")


@pytest.fixture
def run_grade(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the real command in a folder of the test's own, with an empty home."""

    def run(*args: str, cwd: Path = tmp_path, env: Sequence[tuple[str, str]] = ()) -> subprocess.CompletedProcess[str]:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        return subprocess.run(
            [sys.executable, "-m", "grader.cli.app", *args],
            cwd=cwd,
            env={
                **os.environ,
                "HOME": str(home),
                "HEADWORK_PROGRESS": os.environ.get("HEADWORK_PROGRESS", str(home / "progress.toml")),
                "NO_COLOR": "1",
                "COLUMNS": "100",
                **dict(env),
            },
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=300,
            stdin=subprocess.DEVNULL,
        )

    return run
