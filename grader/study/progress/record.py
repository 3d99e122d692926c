"""Progress: what a learner has done so far, read from its file, changed in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import UsageError
from grader.study.progress.file import change_document, progress_path, read_document
from grader.study.progress.nouns import Answered, LessonProgress, Predicted, Progress, graded
from grader.study.progress.tables import from_document, into_document

if TYPE_CHECKING:  # NumPy comes with it
    from grader.model import Report

__all__ = ["Answered", "LessonProgress", "Predicted", "Progress", "progress_path", "read_progress", "update"]


def now() -> str:
    """This second, in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_progress(path: Path | None = None) -> Progress:
    """What is kept, in the learner's file or in ``path``. Creates nothing; raises UsageError for a broken file."""
    path = path or progress_path()
    return from_document(read_document(path), f"{path}")


def update(lesson_id: str, change: Callable[[LessonProgress], LessonProgress]) -> None:
    """Change what is kept of one lesson; whatever others wrote meanwhile stays. Raises UsageError."""
    update_all(lambda progress: {lesson_id: change(progress.lesson(lesson_id))})


def update_all(change: Callable[[Progress], Mapping[str, LessonProgress]]) -> None:
    """Change what is kept of the lessons that ``change`` returns. Raises UsageError."""
    path = progress_path()

    def changed(document: dict[str, Any]) -> dict[str, Any]:
        return into_document(document, change(from_document(document, f"{path}")), f"{path}")

    change_document(path, changed)


def record_grading(report: Report, folder: Path) -> str:
    """Keep what a grading came to; ``folder`` is where the main.py lies. Why that is impossible, or nothing.

    Nothing is kept when the grader failed, and when it was the reference that was graded.
    """
    from grader.lesson import content_root

    if report.score is None or folder.resolve() == (content_root() / "solutions" / report.lesson).resolve():
        return ""
    here = str(folder.absolute()) if Path(report.path).name.startswith("main.") or Path(report.path).is_dir() else ""
    try:
        update(report.lesson, lambda before: graded(before, report, folder=here, at=now()))
    except UsageError as error:
        return f"this grading is not in your progress: {error}"
    return ""
