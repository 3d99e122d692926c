"""Sphinx's settings for the site; everything it needs lies beside the pages."""

from __future__ import annotations

from typing import Any

project = "Headwork"
author = "Headwork"
copyright = ""
extensions = ["myst_parser", "sphinx_copybutton", "grader.site.mathml"]
templates_path = ["_templates"]
source_suffix = {".md": "markdown"}
exclude_patterns: list[str] = []
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
nitpicky = True
html_math_renderer = "mathml"
html_theme = "furo"
html_title = "Headwork"
html_static_path = ["_generated"]
html_css_files = ["fonts.css", "headwork.css"]
html_js_files = [("headwork.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_show_search_summary = False  # it would fetch pages, which a browser does not do from disk
html_use_index = False
html_domain_indices = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
copybutton_exclude = ".linenos, .gp, .go"


def setup(app: Any) -> None:
    """Let the empty corner of a table be no heading: there is nothing that it could head."""

    def corners(_app: Any, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
        context["body"] = context.get("body", "").replace('<th class="head"><p></p></th>', "<td></td>")

    app.connect("html-page-context", corners)
