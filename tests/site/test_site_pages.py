"""Every page of the site in a browser: silent, self-contained, readable, usable on any width and without a mouse."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from grader.lesson import lesson_ids

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")

NAMES = ["index.html", "search.html", *(f"{one}/{page}.html" for one in lesson_ids() for page in ("index", "mistakes"))]
AXE = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
UNFOLD = """() => {
  document.querySelectorAll("details, .reason").forEach((one) => { one.open = true; one.hidden = false; });
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


class Anchors(HTMLParser):
    """The ids and the addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        facts = dict(attrs)
        if "id" in facts:
            self.ids.append(facts["id"])
        # an <img> is fetched, an <a> or a <use> is followed
        self.links += [facts[name] for name in ("href", "src") if facts.get(name)]


def unfolded(page: Any) -> Any:
    """The page with all that it hides, two frames later: what scrolls is known by then."""
    page.evaluate(UNFOLD)
    return page


@pytest.fixture(scope="session")
def pages(site) -> dict[Path, Anchors]:
    return {path: Anchors(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_the_pages_are_those_of_the_lessons(pages, site):
    assert {str(path.relative_to(site)) for path in pages} == set(NAMES)


def test_every_address_within_the_site_leads_somewhere(pages, site):
    lost = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "data"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages[target].ids if target in pages else []
            if not target.is_file() or (parts.fragment and target.suffix == ".html" and parts.fragment not in known):
                lost.append(f"{path.relative_to(site)}: {link}")
    assert not lost


def test_no_id_stands_twice(pages, site):
    assert not [
        f"{path.relative_to(site)}: {one}"
        for path, page in pages.items()
        for one in page.ids
        if page.ids.count(one) > 1
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_silent_and_fetches_only_from_disk(opened, name):
    page = opened(name)
    assert page.said == []
    assert [url for url in page.fetched if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing_with_all_folds_open(opened, name, scheme):
    page = opened(name, color_scheme=scheme)
    page.evaluate(
        "document.querySelectorAll('details, .reason').forEach((one) => { one.open = true; one.hidden = false; })"
    )
    found = axe.Axe().run(page, options=AXE).response["violations"]
    assert [
        f"{one['id']}: {node['html'][:200]} {node['failureSummary']}" for one in found for node in one["nodes"][:3]
    ] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_page_does_not_scroll_sideways(opened, name):
    page = unfolded(opened(name, width=375))
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.set_viewport_size({"width": 1280, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_light_and_dark_have_different_paper_and_the_reader_can_choose(opened):
    papers = [
        opened("index.html", color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    ]
    assert papers[0] != papers[1]
    page = opened("index.html", color_scheme="light")
    page.locator(".theme-toggle-content button").click()
    page.locator(".theme-toggle-content button").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") in papers
    assert page.evaluate("document.body.dataset.theme") in ("light", "dark")


def test_the_bundled_font_is_the_one_that_is_shown(opened):
    page = opened("index.html")
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px \"Source Serif 4\"'))")
    assert "Source Serif 4" in page.locator("article p").first.evaluate("(one) => getComputedStyle(one).fontFamily")


def test_search_finds_softmax_from_disk(opened):
    page = opened("index.html")
    page.get_by_role("textbox", name="Search").fill("softmax")
    page.keyboard.press("Enter")
    page.get_by_text(re.compile(r"found \d+ page")).wait_for()
    page.locator("#search-results").get_by_role("link", name="Attention from small pieces").first.click()
    assert "/transformers-01/index.html" in page.url
    assert page.said == []


def test_a_formula_is_drawn_by_the_browser_itself(opened):
    page = opened("transformers-01/index.html")
    box = page.locator("div.math math").first.bounding_box()
    assert box["width"] > 100 and box["height"] > 20


def test_code_can_be_copied_without_prompts(opened):
    page = opened("index.html", permissions=["clipboard-read", "clipboard-write"])
    page.locator("div.highlight").hover()
    page.get_by_role("button", name="Copy").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "grade start transformers-01" in copied
    assert "$" not in copied


def test_previous_and_next_lead_through_the_lessons(opened):
    page = opened("index.html")
    seen = [page.url]
    while following := page.locator("a.next-page").evaluate_all("(links) => links.map((link) => link.href)"):
        page.goto(following[0])
        seen.append(page.url)
        assert page.locator("a.prev-page").evaluate("(link) => link.href") == seen[-2]
    assert len(seen) == len(set(seen)) == len(NAMES) - 1  # all but the search


def test_the_skip_link_is_first_and_leads_to_the_text(opened):
    page = opened("transformers-01/index.html")
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.classList.contains('sidebar-toggle')"):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent").strip() == "Skip to content"
    assert page.locator(":focus").is_visible()
    page.keyboard.press("Enter")
    assert page.url.endswith("#furo-main-content")


def test_paper_has_the_text_and_the_questions_but_no_figure_that_moves(opened):
    page = opened("transformers-01/index.html")
    page.emulate_media(media="print")
    assert page.get_by_text("Can you reconstruct the head's output").first.is_visible()
    assert not page.locator("figure.interactive").first.is_visible()
    assert not page.get_by_role("button", name="Keep it").first.is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_the_pages_show_what_the_checks_catch(opened):
    page = opened("transformers-01/index.html")
    facts = page.locator("p.facts").inner_text()
    found = re.search(r"134 of 134 mutants of the solution and (\d+ mistakes) by name", facts)
    assert found, facts
    page.locator("p.facts").get_by_role("link").click()
    assert f"knows {found[1]} of this lesson" in page.locator("article p").first.inner_text()


def test_the_gallery_can_be_filtered(opened):
    page = opened("transformers-01/mistakes.html")
    page.get_by_label("Find a mistake").fill("keepdims")
    shown = page.locator(".mistake:visible")
    assert 0 < shown.count() < page.locator(".mistake").count()
    assert all("keepdims" in text for text in shown.all_inner_texts())
    page.get_by_label("Find a mistake").fill("no such words")
    assert shown.count() == 0 and page.locator(".given:visible").count() == 0
    page.get_by_label("Find a mistake").fill("")
    assert shown.count() == page.locator(".mistake").count()


def test_the_gallery_shows_the_wrong_axis_beside_the_right_one(opened):
    page = opened("transformers-01/mistakes.html")
    mistake = page.locator("#mistake-softmax-over-queries")
    assert mistake.locator("td.differs").count() > 0
    assert "Each query distributes a weight of 1" in mistake.inner_text()
    right = page.locator(".given .right").first.locator("table.heat td").all_inner_texts()
    assert sum(map(float, right[:3])) == pytest.approx(1, abs=2e-3)
