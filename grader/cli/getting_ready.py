"""Making this machine ready for a lesson before its first grading, with a word to whoever waits."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from grader.lesson import load_lesson


def prepared(folder: Path, progress: Console) -> list[Path]:
    """The compiled programs of the lesson in ``folder``, for a Runner; none where they cannot be kept."""
    from grader.preparing import compiled, compiled_already  # only a grading pays for NumPy

    cache = compiled_already(folder)
    if cache is None:
        with progress.status("preparing this machine for the lesson, once …"):
            cache = compiled(load_lesson(folder.name))
    return [cache] if cache else []
