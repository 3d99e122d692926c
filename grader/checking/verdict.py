"""What outcomes add up to; pure."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model import Exercise, ExerciseState, Outcome, State, Verdict


def overall(outcomes: Sequence[Outcome]) -> Verdict:
    """The verdict of a submission: pass, internal, or that of the first check that stands in the way."""
    counted = [one.verdict for one in outcomes if one.max_points]
    if Verdict.INTERNAL in (one.verdict for one in outcomes):
        return Verdict.INTERNAL
    causes = [verdict for verdict in counted if verdict not in (Verdict.PASS, Verdict.SKIP)]
    done_in_part = any(verdict is Verdict.PASS for verdict in counted)
    started = [verdict for verdict in causes if verdict is not Verdict.TODO]
    if started:
        return started[0]
    return Verdict.TODO if causes or not done_in_part else Verdict.PASS


def score(outcomes: Sequence[Outcome]) -> int | None:
    """Points of all checks that passed; None when the grader failed anywhere."""
    if overall(outcomes) is Verdict.INTERNAL:
        return None
    return sum(one.points for one in outcomes)


def exercise_state(exercise: Exercise, outcomes: Sequence[Outcome]) -> ExerciseState:
    """How far one exercise has come, from the outcomes of its checks."""
    mine = [one for one in outcomes if one.exercise == exercise.name and one.max_points]
    verdicts = {one.verdict for one in mine}
    state: State = (
        "done" if verdicts == {Verdict.PASS} else "not started" if verdicts == {Verdict.TODO} else "attempted"
    )
    return ExerciseState(
        exercise.name, exercise.title, state, sum(one.points for one in mine), sum(one.max_points for one in mine)
    )
