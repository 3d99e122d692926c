"""The files that a batch leaves in its folder beside the gradebook."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, overload

from grader.classroom.gradebook import Gradebook
from grader.classroom.names import slug
from grader.classroom.nouns import Graded, LeftOut
from grader.errors import UsageError
from grader.model import Lesson


class Latest(Sequence[Graded]):
    """The latest gradings of a lesson as a sequence that stays on disk: each pass reads them again."""

    def __init__(self, gradebook: Gradebook, lesson: str) -> None:
        self._gradebook, self._lesson = gradebook, lesson

    def __len__(self) -> int:
        return self._gradebook.count(self._lesson)

    def __iter__(self) -> Iterator[Graded]:
        return self._gradebook.latest(self._lesson)

    @overload
    def __getitem__(self, index: int) -> Graded: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Graded]: ...
    def __getitem__(self, index: int | slice) -> Graded | Sequence[Graded]:
        if isinstance(index, slice):
            return list(islice(self, *index.indices(len(self))))
        place = index + len(self) if index < 0 else index
        for graded in islice(self, max(place, 0), max(place, 0) + 1):
            if place >= 0:
                return graded
        raise IndexError(index)


def write_outputs(
    out: Path,
    gradebook: Gradebook,
    *,
    lesson: Lesson,
    left_out: Sequence[LeftOut] = (),
    missing: Sequence[str] = (),
    site: str = "",
) -> None:
    """Write reports/, grades.csv, class.html and timing.json from the latest gradings of ``lesson``.

    Each file is replaced whole: a reader never sees half of one. The reports link to the pages of ``site``.
    """

    try:
        _write_all(out, gradebook, lesson=lesson, left_out=left_out, missing=missing, site=site)
    except OSError as error:
        where = error.filename2 or error.filename or out
        raise UsageError(
            f"{where}: cannot be written ({error.strerror}); all gradings are kept: make room and run the same again"
        ) from error


def _write_all(
    out: Path, gradebook: Gradebook, *, lesson: Lesson, left_out: Sequence[LeftOut], missing: Sequence[str], site: str
) -> None:
    from grader.classroom.exports.table import write_grades
    from grader.classroom.pages.course import class_page
    from grader.classroom.pages.feedback import feedback_page

    reports = out / "reports"
    reports.mkdir(parents=True, exist_ok=True)
    latest = Latest(gradebook, lesson.id)
    for graded in latest:
        name = slug(graded.student)
        _replace(reports / f"{name}.json", json.dumps(for_student(graded.report), ensure_ascii=False, indent=2) + "\n")
        _replace(reports / f"{name}.html", feedback_page(graded, lesson, site=site))
    fresh = out / ".grades.csv.new"
    write_grades(fresh, latest, lesson)
    fresh.replace(out / "grades.csv")
    timing = {student: round(sum(stages.values()), 4) for student, stages in gradebook.timings(lesson.id) if stages}
    page = class_page(latest, lesson, left_out=left_out, missing=missing, timing=timing)
    _replace(out / "class.html", page)
    _write_timing(out / "timing.json", gradebook, lesson=lesson)


def for_student(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report without the course's seed: who knows it can foresee the inputs of the next attempt."""
    return {key: value for key, value in report.items() if key != "seed"}


def common_misconceptions(graded: Iterable[Graded], most: int = 5) -> list[tuple[str, int]]:
    """Titles of the mistakes that most students show, with the number of students."""
    counts: Counter[str] = Counter()
    for one in graded:
        counts.update({each["title"] for outcome in one.report["outcomes"] for each in outcome["diagnosis"]})
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]


def _write_timing(path: Path, gradebook: Gradebook, *, lesson: Lesson) -> None:
    """Seconds per submission and stage, a line per student."""
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("w", encoding="utf-8") as stream:
        stream.write(f'{{"lesson": {json.dumps(lesson.id)}, "unit": "s", "submissions": {{')
        for number, (student, stages) in enumerate(gradebook.timings(lesson.id)):
            stream.write(("," if number else "") + f"\n{json.dumps(student)}: {json.dumps(stages)}")
        stream.write("\n}}\n")
    fresh.replace(path)


def _replace(path: Path, text: str) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(text, encoding="utf-8", newline="")
    fresh.replace(path)
