"""Predictions that gate, the quiz, the numbers that people type: by keyboard alone, kept in the browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grader.site
from grader.study.predicting.typed_numbers import NotUnderstood, agree, numbers

PAGE = "transformers-01/index.html"
TYPED = (Path(grader.site.__file__).parent / "static" / "typed-numbers.js").read_text(encoding="utf-8")
JUDGE = """async ([source, cases]) => {
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return cases.map(([text, right]) => {
    try {
      return String(module.agree(module.typedNumbers(text, right.length), right));
    } catch (error) {
      if (!(error instanceof module.NotUnderstood)) throw error;
      return error.message;
    }
  });
}"""
THIRD = 1 / 3
TEXTS = """2 | .33 | 0.333 | 0.3 | 0.34 | 0.32 | 1/3 | 1 / 3 | -1 / 4 | 33% | 33 % | 3.3e-1 | +2 | 1e-3 | [2] | 2, | 1.
|1_000|0|0.0|-0|0.66|0.67|0.7|12|2.7|1,5|0,33 0,67|a third|1/0|1/2/3|nan|inf|1e999|1e-999|[]| |1/3%|100/3 %|%|/|1//3
|- 2|--2|\N{MINUS SIGN}2|\N{EN DASH}1/4|[[2], [2]]|(2; 2)|4/2 200%|2 2 2|_1|1_|1__0|.|e3|0x1|1e3.5|1e1_0|½|49000|.1"""
RIGHTS = (
    [THIRD],
    [2.0],
    [0.0],
    [1e-17],
    [2 / 3],
    [-0.25],
    [0.0333],
    [12.4],
    [49152.0],
    [2.675],
    [2.0, 2.0],
    [THIRD, 2.0],
)
TABLE = [(text.strip("\n"), right) for text in TEXTS.split("|") for right in RIGHTS] + [("1" * 201, [1.0])]


def by_python(text: str, right: list[float]) -> str:
    try:
        return str(agree(numbers(text, count=len(right)), right)).lower()
    except NotUnderstood as error:
        return str(error)


@pytest.fixture(scope="module")
def judge(browser):
    """What the page's script says to each (text, right) of a list: true, false, or what is expected."""
    page = browser.new_page()
    yield lambda cases: page.evaluate(JUDGE, [TYPED, [list(case) for case in cases]])
    page.close()


def test_the_page_understands_numbers_as_the_terminal_does(judge):
    said = judge(TABLE)
    assert {"true", "false"} < set(said)
    assert dict(zip(map(str, TABLE), said, strict=True)) == {str(case): by_python(*case) for case in TABLE}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.text("0123456789./%-+e_,[ ]", max_size=8), st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=2)),
        min_size=1,
        max_size=30,
    )
)
def test_whatever_is_typed_is_judged_alike(judge, cases):
    assert judge(cases) == [by_python(*case) for case in cases]


def test_an_answer_opens_with_its_prediction_by_keyboard_and_stays_open(opened):
    page = opened(PAGE)
    answer = page.locator("details.gated").nth(1)  # asks for two predictions
    forms = [page.locator(f'form.predict[data-name="{name}"]') for name in ("uniform-weights", "uniform-output")]
    assert not answer.is_visible()
    forms[0].get_by_role("textbox").focus()
    page.keyboard.type("1/3 1/3")
    page.keyboard.press("Enter")
    assert "expected are 3 numbers" in forms[0].inner_text()
    page.keyboard.type(" 1/3")
    page.keyboard.press("Enter")
    assert "That is what comes out" in forms[0].inner_text()
    assert not answer.is_visible()
    forms[1].get_by_role("textbox").focus()
    page.keyboard.type("[1, 1]")
    page.keyboard.press("Enter")
    assert "find where it parts" in forms[1].inner_text()
    assert answer.is_visible()
    page.reload()
    assert answer.is_visible()
    assert "You wrote 1/3 1/3 1/3" in forms[0].inner_text()
    assert forms[0].get_by_role("textbox").is_disabled()
    assert page.said == []


def test_a_choice_is_predicted_by_keyboard(opened):
    page = opened(PAGE)
    form = page.locator('form.predict[data-name="heatmap-alone"]')
    form.get_by_role("button").click()
    assert "choose an answer first" in form.inner_text()
    form.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowUp")  # to the last one
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert "That is what comes out" in form.inner_text()
    page.reload()
    assert form.get_by_role("radio").last.is_checked()


def test_an_answer_can_be_had_without_a_prediction_and_the_focus_goes_there(opened):
    page = opened(PAGE)
    page.get_by_role("button", name="Show it without one").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.localName") == "summary"
    page.keyboard.press("Enter")
    assert page.get_by_text("You need the values too").is_visible()


def test_the_quiz_says_why_by_keyboard_and_remembers(opened):
    page = opened(PAGE)
    question = page.locator("fieldset.question").first
    options = question.get_by_role("radio").all()
    reasons = question.locator(".reason")
    options[0].focus()
    page.keyboard.press("Space")
    assert reasons.nth(0).is_visible()
    page.keyboard.press("ArrowDown")
    assert options[1].is_checked()
    assert not reasons.nth(0).is_visible() and reasons.nth(1).is_visible()
    assert reasons.nth(1).inner_text().startswith(("Right.", "Not this one."))
    page.reload()
    assert options[1].is_checked() and reasons.nth(1).is_visible()


def test_what_is_kept_belongs_to_its_lesson(opened):
    page = opened(PAGE)
    form = page.locator('form.predict[data-name="uniform-weights"]')
    form.get_by_role("textbox").fill("1/3 1/3 1/3")
    form.get_by_role("button").click()
    assert json.loads(page.evaluate("JSON.stringify(localStorage)")) == {
        "headwork:transformers-01:predict:uniform-weights": "1/3 1/3 1/3"
    }


def test_without_script_everything_can_be_read(opened):
    page = opened(PAGE, java_script_enabled=False)
    answer = page.locator("details.gated").first
    assert answer.is_visible()
    answer.locator("summary").click()
    assert page.get_by_text("You need the values too").is_visible()
