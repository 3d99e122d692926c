"""Formulas as MathML: nothing to load, nothing to run."""

from __future__ import annotations

import re
from typing import Any

from docutils.nodes import Element, SkipNode
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

RENDERER = "mathml"
OPENING, CLOSING = re.compile(r"(?<!\\){"), re.compile(r"(?<!\\)}")
NOT_CONVERTED = re.compile(r">(\\[A-Za-z]+)<")  # a command that the converter does not know stays as it is


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer with Sphinx; select it with html_math_renderer."""
    app.add_html_math_renderer(RENDERER, (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True}


def visit_inline(translator: Any, node: Element) -> None:
    """A formula inside a line."""
    translator.body.append(_mathml(node, display="inline"))
    raise SkipNode


def visit_block(translator: Any, node: Element) -> None:
    """A formula on lines of its own, in a box of its own, which scrolls where the page is too narrow for it."""
    translator.body.append(f'<div class="math">{_mathml(node, display="block")}</div>\n')
    raise SkipNode


def _mathml(node: Element, *, display: str) -> str:
    """The formula of ``node``; a warning, which stops the build, where it cannot be drawn."""
    tex = node.astext()
    formula, problem = "", ""
    try:
        formula = convert(tex, display=display)
    except Exception as error:
        problem = type(error).__name__
    if len(OPENING.findall(tex)) != len(CLOSING.findall(tex)):  # the converter closes what is open
        problem = "a brace has no partner"
    elif unknown := NOT_CONVERTED.findall(formula):
        problem = f"{', '.join(unknown)} is not known"
    if problem:
        getLogger(__name__).warning("formula %s: cannot be drawn: %s", tex, problem, location=node)
    return formula
