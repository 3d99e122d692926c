"""What a watch makes of events: grades what was saved last, jumps nowhere by itself, resets only when sure."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.grading import report_without_run
from grader.model import Lesson, Report, Verdict
from grader.study.watching.state import (
    Event,
    Failed,
    Grade,
    Graded,
    Leave,
    Pressed,
    Record,
    Resized,
    Resumed,
    Run,
    Saved,
    Show,
    State,
    Waited,
    open_outcome,
    status,
    step,
)

START = State(frozenset("hxl"), following="transformers-02")


@pytest.fixture(scope="module")
def wrong(lesson: Lesson) -> Report:
    return report_without_run(lesson, Verdict.ERROR, "no", path="main.py", sha256="0" * 64, seed=1)


@pytest.fixture(scope="module")
def right(wrong: Report) -> Report:
    return replace(wrong, verdict=Verdict.PASS)


def after(state: State, *events: Event) -> State:
    return reduce(lambda now, event: step(now, event)[0], events, state)


def test_a_save_is_graded_and_its_report_is_recorded_and_shown(wrong):
    state, effects = step(START, Saved("main.py"))
    assert effects == (Grade(1), Show.STATUS)
    state, effects = step(state, Graded(1, wrong))
    assert effects == (Show.ALL, Record(wrong))
    assert status(state) == "watching main.py: save it, or press r"


def test_what_a_cancelled_grading_came_to_is_thrown_away(wrong):
    state = after(START, Saved("main.py"), Saved("main.py"))
    assert step(state, Graded(1, wrong)) == (state, ())
    assert step(state, Failed(1, "killed")) == (state, ())
    assert after(state, Graded(2, wrong)).report is wrong


def test_a_slow_grading_says_how_long_it_has_been_at_it(wrong):
    state = after(START, Saved("main.py"), Waited(3))
    assert status(state) == "starting JAX … (3 s)"
    state = after(state, Graded(1, wrong), Pressed("r"), Waited(2))
    assert status(state) == "grading main.py … (2 s)"
    assert step(state, Waited(2)) == (state, ()), "nothing new to draw"


def test_n_goes_on_only_after_a_pass_and_says_before_what_is_open(wrong, right):
    state = after(START, Saved("main.py"))
    assert status(after(state, Graded(1, wrong), Pressed("n"))) == "next: The mechanism"
    passed = after(state, Graded(1, right))
    assert status(passed) == "all checks pass: n goes on to transformers-02"
    assert step(passed, Pressed("n"))[1] == (Leave(onward=True),)
    assert status(after(replace(passed, following=""), Pressed("n"))) == "that was the last lesson"
    assert not after(passed, Failed(1, "no such file")).passed


@pytest.mark.parametrize("answer", ["n", "\r", "x", " "])
def test_a_reset_is_asked_about(answer):
    asked = after(START, Pressed("x"))
    assert status(asked) == "reset main.py? It is copied first. y/n"
    assert step(asked, Pressed("y"))[1] == (Run("x"),)
    state, effects = step(asked, Pressed(answer))
    assert (effects, status(state)) == ((Show.STATUS,), "nothing was reset")


def test_the_output_of_an_action_stays_until_a_key_or_a_save(wrong):
    state = after(START, Saved("main.py"), Pressed("h"))
    state, effects = step(state, Graded(1, wrong))
    assert effects == (Show.STATUS, Record(wrong))
    assert step(state, Resized())[1] == (Show.STATUS,)
    assert step(state, Pressed(" "))[1] == (Show.ALL,)
    saved = after(state, Saved("main.py"))
    assert step(saved, Graded(2, wrong))[1] == (Show.ALL, Record(wrong))


def test_after_a_stop_a_running_grading_starts_again(wrong):
    state = after(START, Saved("main.py"))
    assert step(state, Resumed())[1] == (Grade(2), Show.STATUS, Show.ALL)
    assert step(after(state, Graded(1, wrong)), Resumed())[1] == (Show.ALL,)


@pytest.mark.parametrize("key", ["q", "\x03", "\x04", ""])
def test_every_way_out_leads_out_even_of_a_question(key):
    assert step(START, Pressed(key))[1] == (Leave(),)
    assert step(after(START, Pressed("x")), Pressed(key))[1] == (Leave(),)


def test_what_is_explained_is_the_first_check_that_waits_for_no_other(wrong):
    first, second = wrong.outcomes[:2]
    outcomes = (replace(first, verdict=Verdict.PASS), replace(second, verdict=Verdict.SKIP), *wrong.outcomes[2:])
    assert open_outcome(replace(wrong, outcomes=outcomes)) is wrong.outcomes[2]
    assert open_outcome(replace(wrong, outcomes=outcomes[:1])) is None


EVENTS = st.one_of(
    st.just(Saved("main.py")),
    st.builds(Pressed, st.sampled_from([*"nhlxryq \r\x03zé[A", ""])),
    st.builds(Graded, st.integers(0, 6), st.sampled_from(["right", "wrong"])),
    st.builds(Failed, st.integers(0, 6), st.just("no such file")),
    st.builds(Waited, st.integers(0, 1000)),
    st.just(Resized()),
    st.just(Resumed()),
)


@given(st.lists(EVENTS, max_size=30))
def test_whatever_happens_only_keys_lead_away_and_the_status_fits_a_narrow_terminal(wrong, right, events):
    state, started = replace(START, following=""), 0
    for one in events:
        event = replace(one, report=right if one.report == "right" else wrong) if isinstance(one, Graded) else one
        before = state
        state, effects = step(state, event)
        for effect in effects:
            if isinstance(effect, Leave | Run):
                assert isinstance(event, Pressed)
            if effect == Run("x"):
                assert before.asking
                assert event == Pressed("y")
            if isinstance(effect, Record):
                assert isinstance(event, Graded)
                assert event.number == started
            if isinstance(effect, Grade):
                assert effect.number > started
                started = effect.number
        assert started == state.number
        assert len(status(state)) < 40
