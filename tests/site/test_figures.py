"""Every interactive figure against the NumPy oracle, set through its own controls."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator

from grader.lesson import content_root, import_file
from grader.oracle.attention import scaled_dot_product_attention, softmax, softmax_jacobian
from grader.oracle.causal import masked_softmax
from grader.oracle.losses import cost_gradient, perplexity, token_costs
from grader.oracle.norms import layer_norm, rms_norm
from grader.oracle.positions import rope
from grader.site.scripts import figure_names

SETTINGS = 20
Facts = Mapping[str, Any]
Expected = Callable[[Facts, Facts], list[Any]]


def query_heatmap(data: Facts, state: Facts) -> list[Any]:
    keys = np.array(data["keys"])
    return [scaled_dot_product_attention(np.array(state["queries"]), keys, keys)[1]]


def sentence_heatmap(data: Facts, state: Facts) -> list[Any]:
    scores = np.array(data["scores"]) / state["temperature"]
    visible = np.tri(len(scores), dtype=bool) if state["masked"] else np.ones_like(scores, dtype=bool)
    weights = masked_softmax(scores, visible)
    row = state["word"]
    return [np.where(visible, scores, -np.inf)[row], weights[row], weights]


def saturation(data: Facts, state: Facts) -> list[Any]:
    scores = np.array(data["normals"]) * (1 if state["scaled"] else np.sqrt(state["width"]))
    weights = softmax(scores)
    return [scores.std(), weights.max(), np.linalg.norm(softmax_jacobian(weights))]


def heads(data: Facts, state: Facts) -> list[Any]:
    parts = np.array(data["parts"])[:, state["position"]]
    left, whole = parts[state["on"]].sum(axis=0), parts.sum(axis=0)
    return [np.array(data["weights"]), left, np.linalg.norm(whole - left) / np.linalg.norm(whole)]


def rope_wheel(data: Facts, state: Facts) -> list[Any]:
    rows = np.array([data["query"], data["key"]])[:, None]
    query, key = rope(rows, np.array([state["m"], state["n"]]), state["base"])[:, 0]
    return [state["m"] - state["n"], query @ key]


def norms(data: Facts, state: Facts) -> list[Any]:
    row = np.array(state["row"]) * state["factor"] + state["added"]
    layer = layer_norm(row, data["gain"], data["bias"], data["eps"])
    rows = (row, layer, rms_norm(row, data["gain"], data["eps"]))
    return [[*one, one.mean(), np.sqrt(np.square(one).mean())] for one in rows]


def logit_loss(data: Facts, state: Facts) -> list[Any]:
    logits, target = np.array(state["logits"]), state["target"]
    loss = token_costs(logits, target)
    return [softmax(logits), cost_gradient(logits, target), loss, perplexity(loss)]


EXPECTED: Mapping[str, tuple[str, Expected]] = {
    "query-heatmap": ("transformers-01", query_heatmap),
    "sentence-heatmap": ("transformers-02", sentence_heatmap),
    "saturation": ("transformers-02", saturation),
    "heads": ("transformers-03", heads),
    "rope-wheel": ("transformers-04", rope_wheel),
    "norms": ("transformers-05", norms),
    "logit-loss": ("transformers-06", logit_loss),
}


def state_of(figure: Locator) -> Facts:
    return json.loads(figure.locator(".stage").get_attribute("data-state"))


def holds(figure: Locator, name: str) -> None:
    """Every number on the figure is the oracle's, for the settings that the figure says it has."""
    lesson, expected = EXPECTED[name]
    data = import_file(content_root() / "lessons" / lesson / "figures.py").interactive()[name]
    parts = expected(data, state_of(figure))
    wanted = np.concatenate([np.ravel(np.asarray(part, dtype=np.float64)) for part in parts])
    shown = figure.evaluate("(one) => [...one.querySelectorAll('[data-value]')].map((cell) => cell.dataset.value)")
    np.testing.assert_allclose(np.array(shown, dtype=np.float64), wanted, rtol=0, atol=1e-6)


def set_at_random(figure: Locator, draw: random.Random) -> None:
    """Move every control of the figure to some place of its own."""
    for slider in figure.locator("input[type=range]").all():
        low, high, step = (float(slider.get_attribute(name)) for name in ("min", "max", "step"))
        slider.fill(f"{low + step * draw.randint(0, round((high - low) / step)):.10g}")
    for box in figure.locator("input[type=checkbox]").all():
        box.set_checked(draw.random() < 0.5)
    for select in figure.locator("select").all():
        select.select_option(index=draw.randrange(select.locator("option").count()))
    for handle in figure.locator("[role=slider].handle").all():
        handle.focus()
        for _ in range(draw.randrange(8)):
            handle.press(draw.choice(("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")))


@pytest.fixture
def figure(opened):
    """A figure on its lesson's page, with everything unfolded."""

    def there(name: str) -> Locator:
        page = opened(f"{EXPECTED[name][0]}/index.html")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; one.hidden = false; })")
        return page.locator(f'figure[data-figure="{name}"]')

    return there


def test_every_figure_is_tested():
    assert set(EXPECTED) == set(figure_names())


@pytest.mark.parametrize("name", EXPECTED)
def test_the_numbers_are_those_of_the_oracle(figure, name):
    shown = figure(name)
    holds(shown, name)
    draw, seen = random.Random(name), set()
    for _ in range(SETTINGS):
        set_at_random(shown, draw)
        holds(shown, name)
        seen.add(json.dumps(state_of(shown)))
    assert len(seen) > SETTINGS / 2
    assert shown.page.said == []


def test_a_query_follows_the_pointer_and_stays_in_the_plane(figure):
    shown = figure("query-heatmap")
    handle, page = shown.get_by_role("slider", name="Query q0"), shown.page
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 60, box["y"] + 40, steps=4)
    dragged = state_of(shown)["queries"][0]
    assert dragged != [3.0, 0.0]
    holds(shown, "query-heatmap")
    page.mouse.move(2000, -500)
    page.mouse.up()
    assert state_of(shown)["queries"][0] == [4, 4]
    holds(shown, "query-heatmap")
    page.mouse.move(box["x"], box["y"])
    assert state_of(shown)["queries"][0] == [4, 4]


def test_a_query_moves_by_arrow_keys_says_so_and_the_page_stays(figure):
    shown = figure("query-heatmap")
    handle, page = shown.get_by_role("slider", name="Query q1"), shown.page
    before, address = state_of(shown)["queries"][1], page.url
    handle.focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
    assert state_of(shown)["queries"][1] == pytest.approx([before[0] - 0.2, before[1] + 0.1])
    assert handle.get_attribute("aria-valuetext") == "\N{MINUS SIGN}0.2, 3.1"
    assert "gives most" in shown.locator("[aria-live]").inner_text()
    assert page.url == address


def test_the_causal_mask_leaves_exactly_nothing_for_later_words(figure):
    shown = figure("sentence-heatmap")
    shown.get_by_label("Hide what comes later").check()
    words = shown.locator("table").last.locator("tbody tr")
    for number, row in enumerate(words.all()):
        values = row.locator("td").evaluate_all("(cells) => cells.map((cell) => cell.dataset.value)")
        assert values[number + 1 :] == ["0"] * (len(values) - number - 1)


def test_both_positions_moved_alike_leave_the_score(figure):
    shown = figure("rope-wheel")
    first, second = shown.locator("input[type=range]").all()
    score = shown.locator('[data-name="score"]')
    first.fill("20"), second.fill("5")
    before = float(score.get_attribute("data-value"))
    first.fill("50"), second.fill("35")
    assert float(score.get_attribute("data-value")) == pytest.approx(before, abs=1e-9)


def test_a_slider_moves_by_keyboard_and_speaks_its_own_unit(figure):
    shown = figure("saturation")
    slider = shown.get_by_label("Width Dk")
    slider.focus()
    slider.press("End")
    assert slider.get_attribute("aria-valuetext") == "1024"
    assert state_of(shown)["width"] == 1024
    holds(shown, "saturation")
