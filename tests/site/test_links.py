"""What leads into the site: sections from `grade read`, mistakes from hints and feedback pages."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from grader.authoring.prose import without_code
from grader.lesson import content_root, lesson_ids, load_lesson
from grader.study.reading.page import anchor

ID = "transformers-01"
URL = "https://course.example/headwork/"


@pytest.fixture
def wrong_axis(solution) -> str:
    """The reference with the denominator summed over the queries."""
    text = solution.replace("exponentials.sum(axis=-1, keepdims=True)", "exponentials.sum(axis=0, keepdims=True)", 1)
    assert text != solution
    return text


def leads_somewhere(link: str) -> bool:
    parts = urlsplit(link)
    return f'id="{parts.fragment}"' in Path(unquote(parts.path)).read_text(encoding="utf-8")


def test_read_opens_the_section_that_is_named(run_grade, site):
    environment = [("HEADWORK_SITE", str(site)), ("PATH", ""), ("BROWSER", "")]
    done = run_grade("read", "1", "exercise 1", "--web", env=environment)  # no browser: the address is said
    link = done.stdout.strip()
    assert link.endswith(f"/{ID}/index.html#exercise-1-make-it-yours")
    assert leads_somewhere(link)
    assert run_grade("read", "1", "--web", env=environment).stdout.strip().endswith("/index.html")
    assert "did you mean" in run_grade("read", "1", "exercice 9", "--web", env=environment).stderr


@pytest.mark.parametrize("lesson_id", lesson_ids())
def test_every_section_that_can_be_named_has_its_anchor_on_the_page(site, lesson_id):
    page = (site / lesson_id / "index.html").read_text(encoding="utf-8")
    text = without_code((content_root() / "lessons" / lesson_id / "lesson.md").read_text(encoding="utf-8"))
    titles = re.findall(r"^#{1,4} (.+)$", text, re.MULTILINE)
    assert len(titles) > 10
    assert [title for title in titles if f'id="{anchor(title)}"' not in page] == []


@pytest.mark.parametrize("lesson_id", lesson_ids())
def test_every_misconception_has_its_place_in_the_gallery(site, lesson_id):
    page = (site / lesson_id / "mistakes.html").read_text(encoding="utf-8")
    places = re.findall(r'id="mistake-([^"]+)"', page)
    assert sorted(places) == sorted({one.name for one in load_lesson(lesson_id).misconceptions})


def test_a_hint_leads_to_the_mistake_where_a_site_is_known(run_grade, site, tmp_path, wrong_axis):
    assert run_grade("start", ID).returncode == 0
    (tmp_path / ID / "main.py").write_text(wrong_axis, encoding="utf-8")
    said = run_grade("hint", ID, env=[("HEADWORK_SITE", str(site))]).stdout
    assert leads_somewhere(re.search(r"beside what is right: (\S+)", said)[1])
    assert "beside what is right" not in run_grade("hint", ID).stdout
    assert "hint 3 of 3" in run_grade("hint", ID, env=[("HEADWORK_SITE", str(tmp_path / "gone"))]).stdout


def test_feedback_pages_link_to_the_site_that_the_batch_names(run_grade, tmp_path, wrong_axis):
    student = tmp_path / "class" / "s1"
    student.mkdir(parents=True)
    (student / "main.py").write_text(wrong_axis, encoding="utf-8")
    batch = ("batch", str(tmp_path / "class"), "--lesson", ID, "--out", str(tmp_path / "out"), "--jobs", "1")
    done = run_grade(*batch, "--site", URL)
    assert done.returncode == 0, done.stderr
    (page,) = (tmp_path / "out" / "reports").glob("*.html")
    links = re.findall(r'href="([^"]+)"', page.read_text(encoding="utf-8"))
    assert f"{URL}{ID}/index.html" in links
    assert [link for link in links if link.startswith(f"{URL}{ID}/mistakes.html#mistake-")]
    run_grade(*batch)
    assert URL not in page.read_text(encoding="utf-8")
    refused = run_grade(*batch, "--site", "file:///home")
    assert refused.returncode == 2
    assert "no address that students can open" in refused.stderr
