"""Evidence: all of the work in one folder and on one page, which needs and fetches nothing."""

from __future__ import annotations

import functools
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from grader.authoring.numpy_student import NumpyProgram, student_with
from grader.errors import Failure, UsageError
from grader.preparing import compiled
from grader.reporting.report import from_dict
from grader.running.compile_cache import read_environment
from grader.running.process import PlainProcess
from grader.study.evidence.collect import Evidence, draw, gather
from grader.study.evidence.folder import write
from grader.study.evidence.page import page
from grader.study.material import read_material
from grader.study.progress.record import Answered, LessonProgress, Predicted
from grader.submission import read_submission

HOSTILE = "<script>alert(1)</script> \x1b[31m </pre>"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def main(tmp_path_factory, solution) -> Path:
    """A learner's main.py: the reference, and something printed that a page must not take for its own."""
    path = tmp_path_factory.mktemp("mine") / "main.py"
    path.write_text(f"{solution}\nprint({HOSTILE!r})\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def evidence(lesson, main) -> Evidence:
    """Graded once: three predictions and two answers of the lesson, one of each wrong."""
    material = read_material(lesson.folder)
    at = "2026-11-30T09:00:00Z"
    kept = LessonProgress(
        predictions={
            "uniform-weights": Predicted("1/3 1/3 1/3", HOSTILE, at, lesson.digest),
            "uniform-output": Predicted("3 3", "", at, lesson.digest),
            "shift-weights": Predicted("They do not change", "", at, "another"),
        },
        quiz={
            question.name: Answered(1, "2026-12-01", 1, 0, at, option.text)
            for question in material.quiz[:2]
            for option in question.options[:1]
        },
    )
    cache = compiled(lesson)
    start = functools.partial(PlainProcess, extra_environment=read_environment(cache) if cache else None)
    return gather(lesson, replace(read_submission(main), path="main.py"), kept, open_worker=start)


class Tags(HTMLParser):
    """Every tag of a page with its attributes, and that tags are closed in order."""

    VOID = frozenset({"meta", "br", "hr", "img"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.all: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_folder_holds_every_piece_as_a_file(evidence, main, tmp_path):
    folder = write(evidence, tmp_path / "out" / "evidence", main=main)
    assert folder == tmp_path / "out" / "evidence"
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()) == [
        "figures/two-heatmaps.json",
        "figures/two-heatmaps.svg",
        "figures/two-heatmaps.txt",
        "index.html",
        "main.py",
        "output.txt",
        "predictions.md",
        "quiz.md",
        "report.json",
        "report.txt",
    ]
    assert (folder / "main.py").read_bytes() == main.read_bytes()
    report = from_dict(json.loads((folder / "report.json").read_text(encoding="utf-8")))
    assert (report.score, report.path) == (31, "main.py")
    assert "<script>alert(1)</script>" in (folder / "output.txt").read_text(encoding="utf-8")
    assert "Your predictions: 2 of 3 right" in (folder / "report.txt").read_text(encoding="utf-8")
    said = (folder / "predictions.md").read_text(encoding="utf-8")
    assert "- predicted: 3 3\n" in said and "- happened: [2, 2]\n" in said and "13 not made." in said
    assert "6 not asked yet." in (folder / "quiz.md").read_text(encoding="utf-8")
    for path in (folder / name for name in ("output.txt", "predictions.md", "report.txt")):
        text = path.read_text(encoding="utf-8")
        assert "\x1b" not in text and str(main.parent) not in text
    assert list(folder.parent.iterdir()) == [folder]


def test_what_was_handed_in_before_stays(evidence, main, tmp_path):
    made = [write(evidence, tmp_path / "evidence", main=main) for _ in range(3)]
    at = f"{evidence.at:%Y-%m-%dT%H-%M-%S}"
    assert [one.name for one in made] == ["evidence", f"evidence-{at}", f"evidence-{at}-2"]
    assert all((one / "index.html").exists() for one in made)


def test_a_file_saved_during_the_grading_is_not_passed_off_as_what_was_graded(evidence, tmp_path):
    other = tmp_path / "main.py"
    other.write_text("something else", encoding="utf-8")
    with pytest.raises(UsageError, match="changed while it was graded"):
        write(evidence, tmp_path / "evidence", main=other)
    assert not (tmp_path / "evidence").exists()


def test_a_place_that_cannot_be_written_is_named_and_nothing_stays_behind(evidence, main, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"file.evidence: cannot be written .*--out"):
        write(evidence, tmp_path / "file" / "evidence", main=main)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_page_needs_nothing_else_and_takes_no_text_for_markup(evidence):
    text = page(evidence)
    tags = Tags(text).all
    assert not {tag for tag, _ in tags} & {"script", "link", "iframe", "img", "object", "embed", "base", "form"}
    assert not [attributes for _, attributes in tags if any(name.startswith("on") for name in attributes)]
    fetched = [value for _, one in tags for name, value in one.items() if name in ("src", "href", "xlink:href")]
    assert all(value and value.startswith("#") for value in fetched)
    assert "url(http" not in text
    assert text.count("&lt;script&gt;") >= 3  # the reason, the code, the output
    assert "\x1b" not in text
    ids = [one["id"] for _, one in tags if "id" in one]
    assert len(ids) == len(set(ids))
    used = re.findall(r'(?:url\(|href=")#([^)"]+)', text)
    assert used and set(used) <= set(ids)


def test_the_page_tells_the_work_in_the_order_of_doing(evidence):
    text = page(evidence)
    order = [
        text.index(f'<h2 id="{name}">') for name in ("predicted", "written", "printed", "drawn", "graded", "answered")
    ]
    assert order == sorted(order)
    assert "31 <small>of 31 points</small>" in text
    assert "Predictions: 2 of 3 right." in text
    assert "the lesson has changed since you predicted" in text
    assert text.count('class="prediction is-right"') == 2
    assert text.count('class="prediction is-wrong"') == 1
    assert "13 predictions were not made." in text


def test_an_answer_is_shown_with_the_one_that_is_right(evidence, lesson):
    text = page(evidence)
    for question, answered in evidence.answers:
        right = next(option for option in question.options if option.right)
        assert f'<dd class="mine">{answered.chosen}</dd>' in text
        assert right.reason.split("`")[0][:40] in text


def test_a_question_that_was_not_asked_is_not_answered(evidence, lesson):
    for question in read_material(lesson.folder).quiz[2:]:
        assert question.question not in page(evidence)


def test_the_figure_is_drawn_from_the_learners_own_function(lesson):
    mistake = next(one for one in lesson.misconceptions if one.name == "softmax-over-queries")
    (right,), (wrong,) = draw(lesson, student_with(lesson)), draw(lesson, student_with(lesson, mistake))
    assert json.loads(right.data)["panels"][0]["weights"] == [[0.333333] * 3] * 2
    assert json.loads(wrong.data)["panels"][0]["weights"] == [[0.5] * 3] * 2
    assert ">0.333<" in right.svg and ">0.333<" not in wrong.svg


def test_a_function_that_cannot_be_drawn_is_said_in_place_of_the_figure(lesson, evidence):
    with pytest.raises(Failure):
        draw(lesson, NumpyProgram({"attend": lambda q, k, v: q}, {}))
    text = page(replace(evidence, figures=(), undrawn="attend needs <something> that is not written yet."))
    assert "No figure: attend needs &lt;something&gt; that is not written yet." in text


def test_numbers_that_are_none_are_drawn_without_a_warning(lesson):
    import numpy as np

    nothing = NumpyProgram({"attend": lambda q, k, v: (v[:1] * np.nan, np.full((len(q), len(k)), np.nan))}, {})
    with pytest.raises(Failure, match="shape"):
        draw(lesson, nothing)
    nan = NumpyProgram({"attend": lambda q, k, v: (q @ k.T @ v * np.nan, (q @ k.T) * np.nan)}, {})
    assert draw(lesson, nan)[0].svg.startswith("<?xml")


def test_what_is_missing_is_said_with_the_command_that_adds_it(evidence):
    assert evidence.lacks == [
        "the other predictions (13 to go): grade predict transformers-01",
        "the rest of the quiz (6 to go): grade quiz transformers-01",
    ]


def test_evidence_of_nothing_but_a_scaffold_is_whole_too(evidence):
    bare = replace(evidence, predictions=(), unmade=16, answers=(), unasked=8, figures=(), undrawn="not yet")
    text = page(bare)
    Tags(text)
    assert "16 predictions were not made." in text
    assert "8 questions were not asked yet." in text


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page with")
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (1200, "dark"), (360, "light")])
def test_in_a_browser_the_page_fits_and_fetches_nothing(evidence, browser, tmp_path, width, scheme):
    path = tmp_path / "index.html"
    path.write_text(page(evidence), encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    opened = context.new_page()
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("request", lambda request: said.append(request.url))
    opened.goto(path.as_uri())
    assert said == [path.as_uri()]
    assert opened.evaluate("document.documentElement.scrollWidth") == width
    light = opened.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(251, 250, 247)"
    assert light == (scheme == "light")
    assert opened.locator("figure svg").bounding_box()["width"] >= 500
    context.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--headless", "--no-sandbox"])
        yield browser
        browser.close()
