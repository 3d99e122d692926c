"""The report in a notebook: what it says, that nothing of a submission is markup, its looks in a browser."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from contrast import LOWEST_CONTRAST

from grader.grading import grade
from grader.model import Event, Lesson, Report, Verdict
from grader.reporting.html import report_html
from grader.reporting.report import from_dict, to_dict
from grader.submission import read_submission

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
NASTY = '<script>alert(1)</script><img src=x onerror="alert(2)">\u202e{{ 7 * 7 }}'


@pytest.fixture(scope="module")
def wrong(lesson: Lesson, solution: str, tmp_path_factory: pytest.TempPathFactory) -> Report:
    path = tmp_path_factory.mktemp("submission") / "main.py"
    path.write_text(solution.replace("axis=-1", "axis=0"), encoding="utf-8")
    return grade(lesson, read_submission(path), seed=7)


def html_of(report: Report, lesson: Lesson) -> str:
    return report_html(report, lesson, command="%grade transformers-01", then="change your cell, run it")


def test_it_names_the_mistake_asks_and_says_how_to_go_on(wrong, lesson):
    html = html_of(wrong, lesson)
    hints = next(one.hints for one in lesson.misconceptions if one.name == "softmax-over-queries")
    assert '<p class="mistake bad">softmax over the queries (axis 0)</p>' in html
    assert all(hint.partition(" ")[0] in html for hint in hints)
    assert "Change your cell, run it, then: <code>%grade transformers-01</code>" in html
    assert "<code>--seed 7</code> repeats this grading" in html


def test_nothing_of_a_submission_becomes_markup(wrong, lesson):
    outcomes = tuple(replace(one, message=NASTY) for one in wrong.outcomes)
    events = (Event(2, "raised", f"raised {NASTY}", cell=3), Event(None, "note", NASTY))
    html = html_of(replace(wrong, outcomes=outcomes, events=events, stdout=NASTY, stderr=NASTY, path=NASTY), lesson)
    assert "<script" not in html
    assert "<img" not in html
    assert "\u202e" not in html
    assert "{{ 7 * 7 }}" in html
    assert "cell 3, line 2" in html


def test_it_is_one_block_of_html_without_script_or_network(wrong, lesson):
    html = html_of(wrong, lesson)
    assert not re.search(r"<script|https?:|url\(|@import|\son\w+=", html)
    assert html.count("<div") == html.count("</div>")
    ids = re.findall(r' id="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'aria-labelledby="([^"]*)"', html)) <= set(ids)


def test_an_internal_fault_blames_nobody(wrong, lesson):
    html = html_of(replace(wrong, verdict=Verdict.INTERNAL, score=None), lesson)
    assert "no fault of yours" in html
    assert "Start here" not in html


def test_a_report_read_back_says_the_same(wrong, lesson):
    assert html_of(from_dict(to_dict(wrong)), lesson) == html_of(wrong, lesson)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the report with")
@pytest.mark.parametrize(
    ("place", "dark"),
    [
        ('<body data-jp-theme-light="true">', False),
        ('<body data-jp-theme-light="false">', True),
        ('<body class="vscode-light">', False),
        ('<body class="vscode-dark">', True),
        ("<body>", False),
    ],
)
@pytest.mark.parametrize("width", [360, 1000])
def test_it_can_be_read_in_every_theme_and_width(wrong, lesson, place, dark, width, tmp_path: Path):
    playwright: Any = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    file = tmp_path / "output.html"
    file.write_text(f"<!DOCTYPE html><html lang=en><title>x</title>{place}{html_of(wrong, lesson)}", encoding="utf-8")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--headless", "--no-sandbox"])
        # The notebook's theme decides, whatever the system prefers.
        scheme = "light" if dark or place == "<body>" else "dark"
        opened = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        opened.goto(file.as_uri())
        opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        background = opened.evaluate("getComputedStyle(document.querySelector('.headwork')).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 3 * 128) == dark
        ratio, text = opened.evaluate(LOWEST_CONTRAST)
        assert ratio >= 4.5, text
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        browser.close()
