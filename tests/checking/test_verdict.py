"""What outcomes add up to: verdict, score, state of an exercise."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from grader.checking.verdict import exercise_state, overall, score
from grader.model import Exercise, Outcome, Verdict

EXERCISE = Exercise("attend", "The mechanism", ("attend",))


def outcome(verdict: Verdict, max_points: int = 1, exercise: str = "attend") -> Outcome:
    points = max_points if verdict is Verdict.PASS else 0
    return Outcome("a-check", exercise, "A check.", verdict, points, max_points, ())


SCORED = st.builds(outcome, st.sampled_from(Verdict), st.integers(1, 5), st.sampled_from(["attend", "other"]))
FINE = SCORED.filter(lambda one: one.verdict is not Verdict.INTERNAL)
ADVICE = st.builds(outcome, st.sampled_from([one for one in Verdict if one is not Verdict.INTERNAL]), st.just(0))


@settings(deadline=None)
@given(st.lists(FINE), st.lists(ADVICE), st.integers(0, 5), st.data())
def test_a_fault_of_the_grader_anywhere_leaves_no_score(scored, advice, points, data):
    outcomes = data.draw(st.permutations([*scored, *advice, outcome(Verdict.INTERNAL, points)]))
    assert overall(outcomes) is Verdict.INTERNAL
    assert score(outcomes) is None


@settings(deadline=None)
@given(st.lists(FINE, min_size=1))
def test_a_submission_passes_exactly_when_every_scored_check_passes(outcomes):
    assert (overall(outcomes) is Verdict.PASS) == all(one.verdict is Verdict.PASS for one in outcomes)


@settings(deadline=None)
@given(st.lists(FINE), st.lists(ADVICE), st.data())
def test_advice_never_matters(scored, advice, data):
    mixed = data.draw(st.permutations([*scored, *advice]))
    kept = [one for one in mixed if one.max_points]
    assert overall(mixed) is overall(kept)
    assert score(mixed) == score(kept)
    assert exercise_state(EXERCISE, mixed) == exercise_state(EXERCISE, kept)


@settings(deadline=None)
@given(st.lists(FINE))
def test_the_score_is_the_sum_of_the_points(outcomes):
    assert score(outcomes) == sum(one.max_points for one in outcomes if one.verdict is Verdict.PASS)


@settings(deadline=None)
@given(st.lists(FINE), st.sampled_from([Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT]))
def test_the_first_check_that_went_wrong_names_the_verdict(later, wrong):
    waiting = [outcome(Verdict.PASS), outcome(Verdict.TODO), outcome(Verdict.SKIP)]
    assert overall([*waiting, outcome(wrong), *later]) is wrong


def test_what_is_merely_unwritten_is_todo_with_or_without_points():
    assert overall([outcome(Verdict.TODO), outcome(Verdict.TODO)]) is Verdict.TODO
    assert overall([outcome(Verdict.PASS), outcome(Verdict.TODO), outcome(Verdict.SKIP)]) is Verdict.TODO


@settings(deadline=None)
@given(st.lists(FINE))
def test_an_exercise_is_done_when_all_its_scored_checks_pass_and_counts_only_its_own_points(outcomes):
    mine = [one for one in outcomes if one.exercise == "attend"]
    state = exercise_state(EXERCISE, outcomes)
    assert state == exercise_state(EXERCISE, mine)
    assert (state.name, state.title) == ("attend", "The mechanism")
    assert (state.points, state.max_points) == (score(mine), sum(one.max_points for one in mine))
    assert (state.state == "done") == (bool(mine) and state.points == state.max_points)
    assert (state.state == "not started") == (bool(mine) and all(one.verdict is Verdict.TODO for one in mine))


def test_an_exercise_that_waits_or_is_half_written_is_attempted():
    for verdict in (Verdict.SKIP, Verdict.FAIL, Verdict.PASS):
        assert exercise_state(EXERCISE, [outcome(verdict), outcome(Verdict.TODO)]).state == "attempted"


def test_points_of_a_fault_of_the_grader_are_not_claimed_by_a_state():
    broken = replace(outcome(Verdict.INTERNAL, 3), message="The check itself broke")
    assert exercise_state(EXERCISE, [broken]).state == "attempted"
    assert exercise_state(EXERCISE, [broken]).points == 0
