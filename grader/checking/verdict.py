"""What outcomes add up to; pure."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model import Exercise, ExerciseState, Outcome, State, Verdict


def overall(outcomes: Sequence[Outcome]) -> Verdict:
    """The verdict of a submission: pass, internal, or that of the first check that stands in the way."""
    if Verdict.INTERNAL in (one.verdict for one in outcomes):
        return Verdict.INTERNAL
    open_ones = [one.verdict for one in outcomes if one.max_points and one.verdict is not Verdict.PASS]
    causes = [verdict for verdict in open_ones if verdict not in (Verdict.SKIP, Verdict.TODO)]
    if causes:
        return causes[0]
    return Verdict.TODO if Verdict.TODO in open_ones else Verdict.SKIP if open_ones else Verdict.PASS


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
