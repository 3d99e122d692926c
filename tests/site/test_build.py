"""`grade site OUT`: what stops it, what it leaves alone, and that a failed build loses nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the site needs the extra site")

ROOT = Path(__file__).parent.parent.parent
ID = "transformers-01"


@pytest.fixture
def grade_site(tmp_path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Builds lesson 01 from a copy of everything, with the changes of the test in it."""
    for part in ("lessons", "scaffolds", "solutions"):
        shutil.copytree(ROOT / part / ID, tmp_path / part / ID)
    shutil.copytree(ROOT / "grader", tmp_path / "grader", ignore=shutil.ignore_patterns("__pycache__"))

    def build(out: Path, *changes: tuple[str, str]) -> subprocess.CompletedProcess[str]:
        page = tmp_path / "lessons" / ID / "lesson.md"
        text = page.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        page.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "grader.cli.app", "site", str(out)]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NO_COLOR": "1", "COLUMNS": "400"}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=300
        )

    return build


def line_of(old: str) -> int:
    text = (ROOT / "lessons" / ID / "lesson.md").read_text(encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_stale_number_stops_the_build_and_the_earlier_site_stays(grade_site, tmp_path):
    out = tmp_path / "out"
    assert grade_site(out).returncode == 0
    before = contents(out)
    old = "[0.5, 3]<!--= mixture_output -->"
    done = grade_site(out, (old, "[0.5, 4]<!--= mixture_output -->"))
    assert done.returncode == 2
    assert f"{ID}/lesson.md:{line_of(old)}: [0.5, 4] where mixture_output gives [0.5 3. ]" in done.stderr
    assert contents(out) == before
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".out")) == []


def test_a_site_is_replaced_whole(grade_site, tmp_path):
    out = tmp_path / "deep" / "out"
    assert grade_site(out).returncode == 0
    (out / "left-over.html").write_text("old", encoding="utf-8")
    done = grade_site(out)
    assert done.returncode == 0
    assert f"wrote {out / 'index.html'}" in done.stdout
    assert not (out / "left-over.html").exists()
    assert not [name for name in contents(out) if name.startswith("_sources")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("## The idea", "```mermaid\ngraph LR\n```\n\n## The idea"), "a mermaid block, which is not drawn here"),
        (("<!-- interactive: query-heatmap -->", "<!-- interactive: queries -->"), "interactive figure queries"),
        (("<!-- predict: heatmap-alone -->", "<!-- predict: heatmap -->"), "prediction heatmap: not in study.toml"),
        (("figures/two-heatmaps.json)", "figures/three-heatmaps.json)"), "three-heatmaps.json"),
        (("$$\nS = \\frac{", "$$\nS = \\unknown{"), "cannot be drawn: \\unknown is not known"),
        (("$$\nS = \\frac{Q", "$$\nS = \\frac{{Q"), "cannot be drawn: a brace has no partner"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_page_that_cannot_be_shown_stops_the_build(grade_site, tmp_path, change, said):
    done = grade_site(tmp_path / "out", change)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_other_peoples_files_are_left_alone(grade_site, tmp_path):
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.write_text("mine", encoding="utf-8")
    folder.mkdir()
    (folder / "thesis.tex").write_text("mine", encoding="utf-8")
    for out, said in ((file, "a file; name a folder"), (folder, "holds something that grade site did not write")):
        done = grade_site(out)
        assert done.returncode == 2
        assert said in done.stderr
    assert file.read_text(encoding="utf-8") == (folder / "thesis.tex").read_text(encoding="utf-8") == "mine"
