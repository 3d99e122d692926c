"""Formulas as MathML: nothing to load, nothing to run."""

from __future__ import annotations

import re
from typing import Any

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

RENDERER = "mathml"
NOT_CONVERTED = re.compile(r">(\\[A-Za-z]+)<")  # a command that the converter does not know stays as it is


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer with Sphinx; select it with html_math_renderer."""
    app.add_html_math_renderer(RENDERER, (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True}


def visit_inline(translator: Any, node: Any) -> None:
    """A formula inside a line."""
    translator.body.append(_mathml(node.astext(), display="inline"))
    raise SkipNode


def visit_block(translator: Any, node: Any) -> None:
    """A formula on lines of its own, in a box of its own, which scrolls where the page is too narrow for it."""
    formula = _mathml(node.astext(), display="block")
    translator.body.append(f'<div class="math">{formula}</div>\n')
    raise SkipNode


def _mathml(tex: str, *, display: str) -> str:
    try:
        formula = str(convert(tex, display=display))
    except Exception as error:
        raise ExtensionError(f"formula {tex}: not TeX that can be drawn ({type(error).__name__})") from error
    if unknown := NOT_CONVERTED.findall(formula):
        raise ExtensionError(f"formula {tex}: {', '.join(unknown)} cannot be drawn; write it otherwise")
    return formula
