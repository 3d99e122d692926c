"""Formulas as MathML: nothing to load, nothing to run."""

from __future__ import annotations

import html
from typing import Any

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

RENDERER = "mathml"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer with Sphinx; select it with html_math_renderer."""
    app.add_html_math_renderer(RENDERER, (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True}


def visit_inline(translator: Any, node: Any) -> None:
    """A formula inside a line."""
    translator.body.append(_mathml(node.astext(), display="inline"))
    raise SkipNode


def visit_block(translator: Any, node: Any) -> None:
    """A formula on lines of its own; it can be scrolled to by keyboard where it is wider than the page."""
    formula = _mathml(node.astext(), display="block")
    translator.body.append(f'<div class="math" tabindex="0" role="group" aria-label="Formula">{formula}</div>\n')
    raise SkipNode


def _mathml(tex: str, *, display: str) -> str:
    try:
        return str(convert(tex, display=display))
    except Exception as error:
        raise ExtensionError(f"formula {html.escape(tex)}: not TeX that can be drawn ({error})") from error
