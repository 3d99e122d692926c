"""Generated parts of a lesson: the recorded run of the reference, figures, the page's quiz, the mutation score."""

from __future__ import annotations

import datetime
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from grader.authoring.execution import execute, printed
from grader.authoring.mutation_score import keep, measure
from grader.authoring.quiz_block import with_quiz
from grader.errors import LessonError
from grader.grading import grade
from grader.lesson import import_file
from grader.model import Lesson, Report, Verdict
from grader.percent import to_notebook
from grader.study.material import read_material
from grader.submission import read_submission


def record(lesson: Lesson) -> list[Path]:
    """Run the reference and its mutants, draw the figures, set the quiz, and write all of it; the files written.

    Raises LessonError when the reference does not pass.
    """
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    report = _graded_solution(lesson)
    versions = ", ".join(
        f"{name.capitalize() if name == 'python' else name.upper() if name == 'jax' else 'NumPy'} {version}"
        for name, version in report.versions.items()
    )
    written = lesson.folder / "recorded.txt"
    written.write_text(f"Recorded on {today} with {versions}, on the CPU.\n\n{recorded_body(lesson)}", encoding="utf-8")
    figures = lesson.folder / "figures"
    figures.mkdir(exist_ok=True)
    import_file(lesson.folder / "figures.py").draw(figures)
    page = lesson.folder / "lesson.md"
    page.write_text(with_quiz(page.read_text(encoding="utf-8"), read_material(lesson.folder)), encoding="utf-8")
    score, _ = measure(lesson)
    return [written, page, *sorted(figures.iterdir()), keep(lesson.folder, score)]


def recorded_body(lesson: Lesson) -> str:
    """What recorded.txt holds below its first line: what the reference prints when it is run as a notebook."""
    notebook = to_notebook(lesson.solution.read_text(encoding="utf-8"))
    return f"{printed(execute(notebook, name=str(lesson.solution))).rstrip()}\n\nPASS: {lesson.id}\n"


def _graded_solution(lesson: Lesson) -> Report:
    report = grade(lesson, read_submission(lesson.solution), seed=0)
    if report.verdict is not Verdict.PASS:
        raise LessonError(
            f"{lesson.solution}: the reference does not pass ({report.verdict}); see: grade verify {lesson.id}"
        )
    return report


def stale_files(lesson: Lesson) -> list[str]:
    """Generated files that are not what would be generated now."""
    problems = []
    recorded = lesson.folder / "recorded.txt"
    body = recorded.read_text(encoding="utf-8").partition("\n\n")[2] if recorded.exists() else ""
    if body != recorded_body(lesson):
        problems.append(f"recorded.txt: not what the reference prints now; run: grade record {lesson.id}")
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        import_file(lesson.folder / "figures.py").draw(fresh)
        now, then = _contents(fresh), _contents(lesson.folder / "figures")
    problems += [
        f"figures/{name}: not what figures.py draws now; run: grade record {lesson.id}"
        for name in sorted(now.keys() | then.keys())
        if not _same(now.get(name, ""), then.get(name, ""))
    ]
    return problems


def _contents(folder: Path) -> Mapping[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} if folder.is_dir() else {}


def _same(now: str, then: str) -> bool:
    """Equal text; drawings of two matplotlib versions are compared by the words and numbers on them."""
    version = re.compile(r"Matplotlib v[\d.]+")
    if now and then and version.findall(now) != version.findall(then):
        words = re.compile(r">([^<>\s][^<>]*)<")
        return words.findall(version.sub("", now)) == words.findall(version.sub("", then))
    return now == then
