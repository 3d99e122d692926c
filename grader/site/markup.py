"""Templates of the site filled in: markup that can stand in a Markdown page."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from grader.reporting.rendering import render

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


def html(template: str, **facts: Any) -> str:
    """Markup without blank lines, which would end the block; ``code`` is there for texts with code in them."""
    text = render(template, package="grader.site", code=code, **facts)
    return "\n".join(line for line in text.splitlines() if line.strip())


def code(text: str) -> Markup:
    """A text of lesson.toml or study.toml: what stands between backticks is code, everything else as it is."""
    return Markup(_code_spans().renderInline(text))  # noqa: S704 - the library escapes


@cache
def _code_spans() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("zero").enable("backticks")
