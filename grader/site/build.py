"""Building the site: sources for Sphinx from the lessons, then one run of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from grader.authoring.mutation_score import Score, kept
from grader.authoring.prose import page_problems
from grader.errors import LessonError, UsageError
from grader.lesson import import_file
from grader.model import Lesson
from grader.reporting.rendering import render
from grader.site import fonts, gallery, page, scripts
from grader.site.markup import html
from grader.study.material import answer_of, read_material

HERE = Path(__file__).parent
MARK = ".headwork-site"
COPIED = (".svg", ".json", ".txt")
LEFT_OVER = ("objects.inv", ".buildinfo", "_sources")
PROBLEMS_SHOWN = 5


@dataclass(frozen=True)
class Entry:
    """A lesson as the index names it."""

    lesson: Lesson
    mistakes: int
    score: Score | None

    @property
    def number(self) -> str:
        """The lesson's number within its phase, as its id ends."""
        return self.lesson.id.rpartition("-")[2]


def build_site(lessons: Sequence[Lesson], out: Path) -> None:
    """Write the site of ``lessons`` into ``out``, in place of an earlier one.

    Raises UsageError when something else is there, LessonError when a page does not hold what it computes.
    """
    out = out.expanduser().resolve()
    _hold_free(out)
    problems = [f"{lesson.id}/{problem}" for lesson in lessons for problem in _problems(lesson)]
    if problems:
        more = f"; and {len(problems) - PROBLEMS_SHOWN} more" if len(problems) > PROBLEMS_SHOWN else ""
        raise LessonError(f"the site was not built: {'; '.join(problems[:PROBLEMS_SHOWN])}{more}")
    with tempfile.TemporaryDirectory(prefix="headwork-site-") as folder:
        source, built = Path(folder, "source"), Path(folder, "built")
        write_sources(lessons, source)
        _run_sphinx(source, built)
        (built / MARK).write_text("Written by grade site; it may be replaced.\n", encoding="utf-8")
        for name in LEFT_OVER:
            path = built / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        try:
            _put(built, out)
        except OSError as error:
            raise UsageError(f"{out}: cannot be written ({error.strerror}); name another folder") from error


def _problems(lesson: Lesson) -> list[str]:
    text = (lesson.folder / "lesson.md").read_text(encoding="utf-8")
    return [*page.undrawn(text), *page_problems(lesson)]


def write_sources(lessons: Sequence[Lesson], source: Path) -> None:
    """What Sphinx reads: a page for each lesson, its mistakes, an index, and beside them script, style and fonts."""
    generated = source / "_generated"
    generated.mkdir(parents=True)
    (generated / "headwork.js").write_text(scripts.bundle(), encoding="utf-8")
    (generated / "fonts.css").write_text(fonts.style_sheet(), encoding="utf-8")
    shutil.copyfile(fonts.LICENSE, generated / "fonts-license.txt")
    shutil.copyfile(HERE / "static" / "headwork.css", generated / "headwork.css")
    shutil.copyfile(HERE / "sphinx" / "conf.py", source / "conf.py")
    shutil.copytree(HERE / "sphinx" / "templates", source / "_templates")
    entries = [Entry(lesson, len(gallery.named_mistakes(lesson)), kept(lesson.folder)) for lesson in lessons]
    phases = [(phase, list(group)) for phase, group in groupby(entries, key=lambda entry: entry.lesson.phase)]
    _write(source / "index.md", render("index.md.j2", package="grader.site", phases=phases, first=lessons[0].id))
    for entry in entries:
        lesson = entry.lesson
        folder = source / lesson.id
        _write(folder / "index.md", lesson_page(entry, beside={one.id for one in lessons}))
        _write(folder / "mistakes.md", gallery.mistakes_page(lesson))
        for path in [*sorted((lesson.folder / "figures").iterdir()), lesson.folder / "recorded.txt"]:
            if path.suffix in COPIED:
                target = folder / path.relative_to(lesson.folder)
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(path, target)


def lesson_page(entry: Entry, *, beside: Collection[str]) -> str:
    """The page of one lesson as MyST; ``beside`` are the lessons that it can link to."""
    lesson = entry.lesson
    path = lesson.folder / "lesson.md"
    text = path.read_text(encoding="utf-8")
    material = read_material(lesson.folder)
    predictions = {one.name: one for one in material.predictions}
    data = _interactive_data(lesson, page.interactive_names(text))

    def predict(name: str) -> str:
        if name not in predictions:
            raise LessonError(f"{path}: prediction {name}: not in study.toml; add it there")
        answer = answer_of(predictions[name], lesson.folder)
        plain = answer if isinstance(answer, str) else np.asarray(answer, dtype=np.float64).ravel().tolist()
        return html("predict.html.j2", prediction=predictions[name], answer=plain)

    def interactive(name: str) -> str:
        return html("interactive.html.j2", name=name, data=data[name])

    facts = html("facts.html.j2", entry=entry)
    quiz = html("quiz.html.j2", quiz=material.quiz)
    body = page.page_source(text, facts=facts, predict=predict, interactive=interactive, quiz=quiz, lessons=beside)
    head = f'---\nmyst:\n  html_meta:\n    headwork-lesson: "{lesson.id}"\n---\n'
    return f"{head}{body}\n\n```{{toctree}}\n:hidden:\n\nThe mistakes <mistakes>\n```\n"


def _interactive_data(lesson: Lesson, names: Sequence[str]) -> dict[str, Any]:
    if not names:
        return {}
    data: dict[str, Any] = import_file(lesson.folder / "figures.py").interactive()
    for name in names:
        if name not in data or name not in scripts.figure_names():
            known = ", ".join(scripts.figure_names())
            raise LessonError(
                f"{lesson.folder / 'lesson.md'}: interactive figure {name}: no data or no script; {known}"
            )
    return data


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _run_sphinx(source: Path, built: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(source), str(built)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(HERE.parent.parent), os.environ.get("PYTHONPATH")])),
    }
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, env=environment)
    if done.returncode:
        said = done.stderr.strip().replace(f"{source}{os.sep}", "")
        if "No module named sphinx" in said:
            raise UsageError('the site needs Sphinx; install it with: pip install "headwork[site]"')
        raise LessonError(f"Sphinx did not build the site:\n{said[-4000:]}")


def _hold_free(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: a file; name a folder for the site")
    if out.is_dir() and any(out.iterdir()) and not (out / MARK).exists():
        raise UsageError(f"{out}: holds something that grade site did not write; name another folder")


def _put(built: Path, out: Path) -> None:
    """Move the new site to its place; the old one is there until the new one is beside it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as folder:
        new, old = Path(folder, "new"), Path(folder, "old")
        shutil.copytree(built, new)
        if out.exists():
            out.rename(old)
        try:
            new.rename(out)
        except OSError:
            if old.exists():
                old.rename(out)
            raise
