"""The site, built once by the command, and pages of it in a real browser without a network."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = ["--headless", "--no-sandbox", "--disable-background-networking"]


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """All lessons as `grade site OUT` builds them; a warning of Sphinx would have stopped it."""
    pytest.importorskip("sphinx", reason="the site needs the extra site")
    out = tmp_path_factory.mktemp("site") / "out"
    command = [sys.executable, "-m", "grader.cli.app", "site", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=600)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium to open the pages with")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, site) -> Iterator[Callable[..., Any]]:
    """Opens a page from disk, offline; ``said`` and ``fetched`` of the page note what it should not do."""
    contexts = []

    def open_page(name: str, *, width: int = 1280, **options: Any) -> Any:
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, offline=True, **options))
        page = contexts[-1].new_page()
        page.said, page.fetched = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda request: page.fetched.append(request.url))
        page.goto(f"{site.as_uri()}/{name}")
        return page

    yield open_page
    for context in contexts:
        context.close()
