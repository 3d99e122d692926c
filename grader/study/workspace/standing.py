"""How far each lesson has come, for people who choose what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.lesson import find_lesson, lesson_ids, read_facts
from grader.study.progress.nouns import LessonProgress, Progress
from grader.study.reading.outline import declared_checks


@dataclass(frozen=True)
class Standing:
    """One lesson as its files describe it, with what is kept of it."""

    lesson_id: str
    title: str
    phase: str
    minutes: int
    points: int
    requires: tuple[str, ...]
    proved: tuple[str, ...]
    kept: LessonProgress

    @property
    def begun(self) -> bool:
        """Whether it was laid out or graded."""
        return bool(self.kept.folder or self.kept.gradings)

    @property
    def done(self) -> bool:
        """Whether everything passed once."""
        return self.kept.passed_at is not None

    @property
    def state(self) -> str:
        """In a word or two."""
        if self.done:
            return "done"
        return f"{self.kept.best or 0}/{self.kept.max_score or self.points}" if self.begun else "not started"


def standing(lesson_id: str, progress: Progress) -> Standing:
    """One lesson; none of its code is run."""
    folder = find_lesson(lesson_id)
    facts, kept, checks = read_facts(folder), progress.lesson(lesson_id), declared_checks(folder)
    return Standing(
        lesson_id=lesson_id,
        title=facts["title"],
        phase=facts["phase"],
        minutes=facts["minutes"],
        points=sum(check.points for check in checks),
        requires=tuple(facts["requires"]),
        proved=tuple(check.proves for check in checks if check.name in kept.proved and check.proves),
        kept=kept,
    )


def all_standings(progress: Progress) -> list[Standing]:
    """All lessons, in order."""
    return [standing(lesson_id, progress) for lesson_id in lesson_ids()]


def unmet(one: Standing, progress: Progress) -> list[str]:
    """The lessons that it builds on and that are not done."""
    return [needed for needed in one.requires if progress.lesson(needed).passed_at is None]


def solved_names(folder: Path, kept: LessonProgress) -> dict[str, bool]:
    """For every name that an exercise asks for: whether all checks of that exercise have passed."""
    worth = [check for check in declared_checks(folder) if check.points]
    waiting = {check.exercise for check in worth if check.name not in kept.proved}
    exercises = read_facts(folder)["exercises"]
    return {name: one["name"] not in waiting for one in exercises for name in one["names"]}
