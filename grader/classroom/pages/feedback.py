"""The page that a student gets: what is proved, what is not, the mistake by name."""

from __future__ import annotations

from grader.classroom.nouns import Graded
from grader.model import Lesson
from grader.reporting.rendering import render
from grader.reporting.report import from_dict
from grader.reporting.site_links import lesson_link, mistake_link
from grader.reporting.view import facts, file_name


def feedback_page(graded: Graded, lesson: Lesson, *, site: str = "") -> str:
    """The feedback on one submission as HTML that needs nothing else: no network, no script, no other file.

    Holds neither the seed nor a path of the machine nor anything about another student. Where ``site`` says the address
    of the lessons' pages, it links to them.
    """
    return render(
        "feedback.html.j2",
        package="grader.classroom.pages",
        graded=graded,
        file=file_name(graded.file),
        site=site,
        lesson_link=lesson_link,
        mistake_link=mistake_link,
        **facts(from_dict(graded.report), lesson),
    )
