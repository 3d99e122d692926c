"""The page in the terminal: what is folded, what is opened, how a section is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.lesson import find_lesson, lesson_ids, read_facts
from grader.study.reading.page import Fold, Reader, anchor, for_terminal, section_of, why_hidden

PAGE = """# A page

Both are 1/3<!--= w[0] -->, so $d_k$ and `$HOME` differ.

## First part

<!-- predict: mean spread -->
<details><summary>Answer</summary>

It is 2.

</details>

```text
# no heading
<!-- kept: a block is code -->
```

### Under it

![Two panels](figures/two.svg) and [the run](recorded.txt), [elsewhere](https://example.org/x).

## Second: the part

<details><summary>Reference solution, with reasons</summary>

```python
order = 1
```

</details>

<details><summary>Hint</summary>

Look up.

</details>

$$
a = \\frac{1}{2} \\\\ b
$$
"""
READER = Reader("x-01", frozenset(), {"order": False, "attend": True})


def shown(reader: Reader = READER, text: str = PAGE) -> str:
    return for_terminal(text, Path("/lesson"), hidden=lambda fold: why_hidden(fold, reader))


def test_answers_stay_folded_and_say_what_opens_them():
    text = shown()
    assert "▸ **Answer** (hidden until you predict: `grade predict x-01 mean`, and 1 more)" in text
    assert "▸ **Reference solution, with reasons** (hidden until the exercise passes; `--reveal` opens it)" in text
    assert '▸ **Hint** (hidden; `grade read x-01 "Second: the part" --answers` opens it)' in text
    assert not any(secret in text for secret in ("It is 2.", "order = 1", "Look up."))


def test_an_answer_opens_when_all_its_predictions_are_recorded_and_not_before():
    assert "It is 2." not in shown(Reader("x-01", frozenset({"mean"}), {}, answers=True, reveal=True))
    assert "It is 2." in shown(Reader("x-01", frozenset({"mean", "spread"}), {}))


def test_a_reference_opens_when_its_own_exercise_passed():
    assert "order = 1" in shown(Reader("x-01", frozenset(), {"order": True, "attend": False}))
    assert "order = 1" not in shown(Reader("x-01", frozenset(), {"order": False, "attend": True}, answers=True))
    assert "order = 1" in shown(Reader("x-01", frozenset(), {"order": False}, reveal=True))


def test_a_reference_without_names_of_exercises_waits_for_all_of_them():
    fold = Fold("Reference solution", "words", ())
    assert why_hidden(fold, READER)
    assert not why_hidden(fold, Reader("x-01", frozenset(), {"order": True, "attend": True}))


def test_a_reference_that_answers_a_prediction_asks_for_that_first():
    fold = Fold("Reference solution", "words", ("mean",))
    assert "predict" in why_hidden(fold, Reader("x-01", frozenset(), {"order": True}, reveal=True))
    assert "passes" in why_hidden(fold, Reader("x-01", frozenset({"mean"}), {"order": False}))


def test_markup_that_a_terminal_cannot_show_is_gone_and_code_stays():
    text = shown()
    assert "Both are 1/3, so dₖ and `$HOME` differ." in text
    assert "# no heading\n<!-- kept: a block is code -->" in text
    assert "**Figure.** Two panels\n\nIt is drawn in: " + str(Path("/lesson/figures/two.svg")) in text
    assert f"[the run]({Path('/lesson/recorded.txt')})" in text
    assert "(https://example.org/x)" in text
    assert "```text\na = 1/2\nb\n```" in text
    assert "predict: mean" not in text


@pytest.mark.parametrize("wanted", ["First part", "first-part", "first", "irst p", "## First part"])
def test_a_section_is_found_by_its_words_their_beginning_or_its_anchor(wanted):
    part = section_of(PAGE, wanted)
    assert part.startswith("## First part\n")
    assert "### Under it" in part
    assert "## Second" not in part


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("part", "part: could be 'First part', 'Second: the part'; write more of it"),
        ("frist part", "frist part: no such section; did you mean 'First part'?"),
        ("zzz", "zzz: no such section; there are 'A page', 'First part', 'Under it', 'Second: the part'"),
        ("no heading", "no heading: no such section"),
    ],
)
def test_a_section_that_is_not_there_is_met_with_what_is(wanted, message):
    with pytest.raises(UsageError) as caught:
        section_of(PAGE, wanted)
    assert str(caught.value).startswith(message)


def test_an_anchor_is_that_of_code_hosts():
    assert anchor("Exercise 1: make it yours") == "exercise-1-make-it-yours"


@pytest.mark.parametrize("lesson_id", lesson_ids())
def test_a_lesson_gives_away_no_answer_to_a_newcomer_and_everything_in_the_end(lesson_id):
    folder = find_lesson(lesson_id)
    page = (folder / "lesson.md").read_text(encoding="utf-8")
    names = [name for exercise in read_facts(folder)["exercises"] for name in exercise["names"]]
    nothing = Reader(lesson_id, frozenset(), dict.fromkeys(names, False))
    text = for_terminal(page, folder, hidden=lambda fold: why_hidden(fold, nothing))
    assert text.count("▸ ") == page.count("<details")
    assert "▾" not in text
    assert not any(mark in text for mark in ("<details", "<!--", "</summary"))
    assert "▸" not in for_terminal(page, folder, hidden=lambda fold: "")
