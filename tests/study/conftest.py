"""A small lesson to practise with, and a learner's own progress file."""

from __future__ import annotations

from pathlib import Path

import pytest

STUDY = """
[[predictions]]
name = "third"
section = "Shares"
question = "Which share does each of three keys get?"
kind = "number"
options = []
answer = "share"
observed = "w[0]"
reason = "Three equal parts make one."

[[predictions]]
name = "row"
section = "Shares"
question = "What is the row?"
kind = "numbers"
options = []
answer = "row"
observed = ""
reason = "It counts."

[[predictions]]
name = "axis"
section = "Axes"
question = "Over which axis?"
kind = "choice"
options = ["The queries", "The keys"]
answer = "The keys"
observed = ""
reason = "Each query shares out one."

[[quiz]]
name = "colour"
section = "Shares"
question = "Which is right?"
options = [
  { text = "this", right = true, reason = "it is" },
  { text = "that", right = false, reason = "it is not" },
  { text = "neither", right = false, reason = "one is" },
]

[[quiz]]
name = "number"
section = "Axes"
question = "How many?"
options = [
  { text = "two", right = false, reason = "too few" },
  { text = "three", right = true, reason = "count them" },
]
"""


@pytest.fixture
def progress_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "progress.toml"
    monkeypatch.setenv("HEADWORK_PROGRESS", str(path))
    return path


@pytest.fixture
def small_lesson(tmp_path: Path) -> Path:
    """The folder of a lesson with three predictions and two questions."""
    folder = tmp_path / "content" / "lessons" / "small-01"
    solution = tmp_path / "content" / "solutions" / "small-01" / "main.py"
    for path in (folder, solution.parent):
        path.mkdir(parents=True)
    solution.write_text("w = [1 / 3] * 3\n", encoding="utf-8")
    (folder / "lesson.toml").write_text("", encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "figures.py").write_text(
        "import numpy as np\nshare = np.float64(1) / 3\nrow = np.array([[1.0, 2.5]])\n", encoding="utf-8"
    )
    return folder
