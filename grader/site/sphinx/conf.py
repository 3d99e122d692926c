"""Sphinx's settings for the site; everything it needs lies beside the pages."""

project = "Headwork"
author = "Headwork"
copyright = ""
extensions = ["myst_parser", "sphinx_copybutton", "grader.site.mathml"]
source_suffix = {".md": "markdown"}
exclude_patterns: list[str] = []
myst_enable_extensions = ["dollarmath", "attrs_block"]
myst_heading_anchors = 4
nitpicky = True
html_math_renderer = "mathml"
html_theme = "furo"
html_title = "Headwork"
html_static_path = ["_generated"]
html_css_files = ["headwork.css"]
html_js_files = [("headwork.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True, "sidebar_hide_name": False}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
copybutton_exclude = ".linenos, .gp, .go"
