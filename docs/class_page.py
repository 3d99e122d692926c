"""Takes class-page.png for the README from a real grading of examples/class: python docs/class_page.py.

Needs playwright (pip install playwright) and a Chromium on the path.
"""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright

from grader.classroom.nouns import Graded
from grader.classroom.pages.course import class_page
from grader.errors import UsageError
from grader.grading import grade, report_without_run
from grader.lesson import load_lesson
from grader.model import Lesson, Report, Verdict
from grader.reporting.report import to_dict
from grader.running.runner import Runner
from grader.submission import read_submission

CLASS = Path(__file__).parent.parent / "examples" / "class"
SEED = 1
WHEN = datetime.datetime(2026, 1, 15, 12, 0, tzinfo=datetime.UTC)
SIZE = {"width": 1120, "height": 2040}
OPTIONS = ["--headless", "--no-sandbox", "--disable-background-networking"]


def graded_class(lesson: Lesson) -> Iterator[Graded]:
    """Every submission of the class, as a gradebook would give it back."""
    with Runner() as runner:
        for folder in sorted(CLASS.glob("s*")):
            report = graded(lesson, folder, runner)
            student, name = folder.name, f"Student {folder.name[1:]}"
            yield Graded(
                student, name, f"{student}/main.py", report.sha256, WHEN, False, 1, {}, WHEN,
                to_dict(report), report.score, report.max_score,
            )  # fmt: skip


def graded(lesson: Lesson, folder: Path, runner: Runner) -> Report:
    """The report on one submission, readable or not."""
    try:
        return grade(lesson, read_submission(folder), seed=SEED, open_worker=runner.open)
    except UsageError as error:
        reason = str(error)
        return report_without_run(lesson, Verdict.ERROR, reason, path=folder.name, sha256="0" * 64, seed=SEED)


def main() -> None:
    """Grade the class and take the picture."""
    lesson = load_lesson("transformers-01")
    page_source = class_page(graded_class(lesson), lesson)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.set_content(page_source)
        clip = {"x": 0, "y": 0, **SIZE, "height": page.locator("#checks").bounding_box()["y"] - 20}
        page.screenshot(path=Path(__file__).with_name("class-page.png"), full_page=True, clip=clip)
        browser.close()


if __name__ == "__main__":
    main()
