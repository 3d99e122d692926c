"""Building the site: sources for Sphinx from the lessons, then one run of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from grader.authoring.prose import page_problems
from grader.errors import LessonError, UsageError
from grader.lesson import import_file
from grader.model import Lesson
from grader.reporting.rendering import render
from grader.site import gallery, page, scripts
from grader.study.material import Material, answer_of, read_material

HERE = Path(__file__).parent
MARK = ".headwork-site"
KEPT = (".svg", ".json", ".txt")


def build_site(lessons: Sequence[Lesson], out: Path) -> None:
    """Write the site of ``lessons`` into ``out``, in place of an earlier one.

    Raises UsageError when something else is there, LessonError when a page does not hold what it computes.
    """
    _hold_free(out)
    problems = [f"{lesson.folder.name}/{problem}" for lesson in lessons for problem in page_problems(lesson)]
    if problems:
        raise LessonError("the site was not built: " + "; ".join(problems[:5]))
    with tempfile.TemporaryDirectory(prefix="headwork-site-") as folder:
        source, built = Path(folder, "source"), Path(folder, "built")
        write_sources(lessons, source)
        _run_sphinx(source, built)
        (built / MARK).write_text("Written by grade site; it may be replaced.\n", encoding="utf-8")
        for left_over in ("objects.inv", ".buildinfo"):
            (built / left_over).unlink(missing_ok=True)
        _put(built, out)


def write_sources(lessons: Sequence[Lesson], source: Path) -> None:
    """What Sphinx reads: a page for each lesson, its mistakes, an index, the bundled script."""
    generated = source / "_generated"
    generated.mkdir(parents=True)
    (generated / "headwork.js").write_text(scripts.bundle(), encoding="utf-8")
    shutil.copyfile(HERE / "static" / "headwork.css", generated / "headwork.css")
    shutil.copyfile(HERE / "sphinx" / "conf.py", source / "conf.py")
    phases = [(phase, list(group)) for phase, group in groupby(lessons, key=lambda lesson: lesson.phase)]
    _write(source / "index.md", render("index.md.j2", package="grader.site", phases=phases, first=lessons[0].id))
    for lesson in lessons:
        folder = source / lesson.id
        _write(folder / "index.md", lesson_page(lesson))
        _write(folder / "mistakes.md", gallery.mistakes_page(lesson))
        for path in [*sorted((lesson.folder / "figures").iterdir()), lesson.folder / "recorded.txt"]:
            if path.suffix in KEPT:
                target = folder / path.relative_to(lesson.folder)
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(path, target)


def lesson_page(lesson: Lesson) -> str:
    """The page of one lesson as MyST."""
    text = (lesson.folder / "lesson.md").read_text(encoding="utf-8")
    material = read_material(lesson.folder)
    predictions = {one.name: one for one in material.predictions}
    data = _interactive_data(lesson, page.interactive_names(text))

    def predict(name: str) -> str:
        answer = answer_of(predictions[name], lesson.folder)
        plain = answer if isinstance(answer, str) else np.asarray(answer, dtype=np.float64).ravel().tolist()
        return _html("predict.html.j2", prediction=predictions[name], answer=plain)

    def interactive(name: str) -> str:
        return _html("interactive.html.j2", name=name, data=data[name])

    body = page.page_source(text, predict=predict, interactive=interactive, quiz=_quiz(material))
    head = f'---\nmyst:\n  html_meta:\n    headwork-lesson: "{lesson.id}"\n---\n'
    return f"{head}{body}\n\n```{{toctree}}\n:hidden:\n\nThe mistakes <mistakes>\n```\n"


def _quiz(material: Material) -> str:
    return _html("quiz.html.j2", quiz=material.quiz)


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


def _html(template: str, **facts: Any) -> str:
    """Markup for a Markdown page: without blank lines, which would end the block."""
    return "\n".join(line for line in render(template, package="grader.site", **facts).splitlines() if line.strip())


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
    beside = out.with_name(f".{out.name}.new-{os.getpid()}")
    shutil.copytree(built, beside)
    if out.exists():
        old = out.with_name(f".{out.name}.old-{os.getpid()}")
        out.rename(old)
        beside.rename(out)
        shutil.rmtree(old)
    else:
        beside.rename(out)
