"""The pages in a real browser: widths, contrast, folding, paper, and that nothing is fetched or run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contrast import LOWEST_CONTRAST

from grader.classroom.names import slug
from grader.classroom.pages.course import class_page
from grader.classroom.pages.feedback import feedback_page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the pages with")

OPTIONS = ["--headless", "--no-sandbox", "--disable-background-networking"]
STUDENTS = ("s001", "s005", "s008", "s010", "s012", "s015", "s017", "s018")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, example_class, lesson) -> Path:
    """Pages of the example class, laid out as a batch does."""
    out = tmp_path_factory.mktemp("graded")
    (out / "reports").mkdir()
    for student in STUDENTS:
        page = feedback_page(example_class[student], lesson)
        (out / "reports" / f"{slug(student)}.html").write_text(page, encoding="utf-8")
    (out / "class.html").write_text(class_page(example_class.values(), lesson), encoding="utf-8")
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, folder) -> Iterator[Any]:
    contexts = []

    def opened(name: str, *, width: int = 1280, scheme: str = "light") -> Any:
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.said, page.fetched = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("dialog", lambda dialog: (page.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: page.fetched.append(request.url))
        page.goto((folder / name).as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()


NAMES = ["class.html", *(f"reports/{student}.html" for student in STUDENTS)]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_fetches_nothing_and_the_console_stays_silent(open_page, folder, name):
    page = open_page(name)
    assert page.fetched == [(folder / name).as_uri()]
    assert page.said == []


@pytest.mark.parametrize("name", NAMES)
def test_a_page_fits_a_phone_with_everything_unfolded(open_page, name):
    page = open_page(name, width=390)
    page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["class.html", "reports/s005.html", "reports/s010.html", "reports/s015.html"])
def test_every_text_can_be_read_in_either_scheme(open_page, name, scheme):
    ratio, text = open_page(name, scheme=scheme).evaluate(LOWEST_CONTRAST)
    assert ratio >= 4.5, text


def test_light_and_dark_have_different_paper(open_page):
    papers = {
        open_page("class.html", scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    }
    assert len(papers) == 2


def test_the_second_hint_shows_when_it_is_asked_for(open_page):
    page = open_page("reports/s005.html")
    second = page.get_by_text("With the 2 zero queries and 3 keys", exact=False).first
    assert page.get_by_text("Who shares out a total of 1 among whom", exact=False).first.is_visible()
    assert not second.is_visible()
    page.get_by_text("Another hint").first.click()
    assert second.is_visible()


def test_a_student_of_the_misconception_table_leads_to_the_row_and_the_row_to_the_report(open_page):
    page = open_page("class.html")
    page.locator("#mistake-no-scale").get_by_role("link", name="s008").click()
    page.locator("tr:target").get_by_role("link", name="s008").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Attention from small pieces"
    assert page.get_by_text("Student 008").is_visible()


def test_a_row_of_the_heatmap_leads_to_the_students_report(open_page):
    page = open_page("class.html")
    page.locator("svg.heat").get_by_text("s012", exact=True).click()
    assert page.url.endswith("reports/s012.html")


def test_paper_shows_the_checks_that_the_screen_folds_but_no_further_hint(open_page):
    page = open_page("reports/s005.html")
    page.emulate_media(media="print")
    assert page.get_by_text("q = [[", exact=False).first.is_visible()
    assert not page.get_by_text("The line with the softmax", exact=False).first.is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")
