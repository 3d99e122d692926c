"""Formulas as a terminal shows them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.lesson import find_lesson, lesson_ids
from grader.study.reading.mathematics import readable


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        (r"d_k", "dₖ"),
        (r"K^\top", "Kᵀ"),
        (r"A_{ij}", "Aᵢⱼ"),
        (r"e^{S_{ij} - m_i}", "e^(Sᵢⱼ - mᵢ)"),
        (r"\frac{Q K^\top}{\sqrt{d_k}}", "Q Kᵀ / √dₖ"),
        (r"\frac{x-\mu}{\sqrt{\sigma^2+\epsilon}}", "(x-μ) / √(σ²+ϵ)"),
        (r"\tfrac12 x", "1/2 x"),
        (r"\sum_{i=1}^n x_i^2", "∑ᵢ₌₁ⁿ xᵢ²"),
        (r"\mathbb{R}^{T \times d}", "\N{DOUBLE-STRUCK CAPITAL R}^(T × d)"),
        (r"W^{(h)}_Q", "W^(h)_Q"),
        (r"\hat{x} \ne \bar{y}", "x\u0302 ≠ ȳ"),
        (r"\operatorname{softmax}(z)", "softmax(z)"),
        (r"\left( a \right), \qquad b", "( a),\nb"),
        (r"\begin{cases} 0 & i \ge j \\ -\infty & \text{otherwise} \end{cases}", "0 i ≥ j\n-∞ otherwise"),
        (r"\unheardof{x}", "unheardofx"),
    ],
)
def test_a_formula_becomes_text(tex, shown):
    assert readable(tex) == shown


@given(st.text(alphabet=r"\{}^_&x2 frac", max_size=30))
def test_whatever_stands_between_dollars_is_shown_somehow(tex):
    assert "{" not in readable(tex.replace(r"\{", ""))


@pytest.mark.parametrize("lesson_id", lesson_ids())
def test_no_formula_of_a_lesson_keeps_its_markup(lesson_id):
    text = (find_lesson(lesson_id) / "lesson.md").read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```|`[^`\n]+`", "", text, flags=re.MULTILINE | re.DOTALL)
    formulas = re.findall(r"\$\$(.+?)\$\$", text, re.DOTALL) + re.findall(r"(?<!\$)\$([^$\n]+)\$(?!\$)", text)
    left = {tex: shown for tex in formulas if re.search(r"\\|[{}]|\$", shown := readable(tex)) and r"\{" not in tex}
    assert not left
