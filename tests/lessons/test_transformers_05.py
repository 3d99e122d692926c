"""transformers-05: its figures, and names that are its own."""

from __future__ import annotations

import json

import numpy as np
import pytest

from grader.lesson import import_file, load_lesson
from grader.model import Lesson

ID = "transformers-05"


@pytest.fixture(scope="module")
def block_lesson() -> Lesson:
    return load_lesson(ID)


def test_every_exercise_is_worth_something_and_every_mistake_has_a_title_of_its_own_per_function(block_lesson):
    for exercise in block_lesson.exercises:
        assert sum(check.points for check in block_lesson.checks if check.exercise == exercise.name) >= 2
    titles: dict[tuple[str, str], set[str]] = {}
    for one in block_lesson.misconceptions:
        titles.setdefault((one.function, one.title), set()).add(one.name)
    assert all(len(names) == 1 for names in titles.values())


def test_figures_follow_the_functions_they_are_drawn_from(block_lesson, tmp_path):
    figures = import_file(block_lesson.folder / "figures.py")
    figures.draw(
        tmp_path,
        swiglu=lambda x, gate, up, down: (np.maximum(x @ gate, 0) * (x @ up)) @ down,
        block=lambda params, x, heads, kv_heads: 2 * x,
    )
    gates = json.loads((tmp_path / "gates.json").read_text(encoding="utf-8"))
    assert gates["SiLU"] == gates["ReLU"]
    sizes = json.loads((tmp_path / "stream-size.json").read_text(encoding="utf-8"))
    np.testing.assert_allclose(np.diff(np.log2(sizes["pre-norm"])), 1, atol=1e-3)


def test_without_norms_the_stream_leaves_float32_and_with_pre_norm_it_stays_small(block_lesson):
    figures = import_file(block_lesson.folder / "figures.py")
    assert 4 <= figures.overflow_layer <= 12
    np.testing.assert_allclose(figures.with_post_norm[1:], 1, atol=1e-4)
    assert 3 < figures.with_pre_norm[-1] < 8
    assert (np.diff(figures.with_pre_norm) > 0).all()


def test_the_interactive_figure_starts_from_the_drawn_row(block_lesson):
    figures = import_file(block_lesson.folder / "figures.py")
    start = figures.interactive()["norms"]
    assert start["row"] == figures.SHOWN.tolist()
    assert len(start["gain"]) == len(start["bias"]) == 6
    assert "<!-- interactive: norms -->" in (block_lesson.folder / "lesson.md").read_text(encoding="utf-8").splitlines()
