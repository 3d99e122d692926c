"""Asking one program every question of a lesson: checks in order, then the diagnosis."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grader.checking.compare import expect_close
from grader.checking.misconception import diagnose, evaluate, fitting
from grader.checking.student import Observation, Student
from grader.errors import Failure, GraderError
from grader.model import Check, Diagnosis, Lesson, Outcome, Program, Verdict, Witness
from grader.signature import arrays_in, named_inputs


@dataclass(frozen=True)
class Examined:
    """An outcome and what was asked for it."""

    outcome: Outcome
    asked: tuple[Observation, ...]


def caught(lesson: Lesson, program: Program, *, seed: int) -> bool:
    """Whether a check of ``lesson`` that counts does not pass; what comes after the first of these is not asked."""
    return any(one.max_points and one.verdict is not Verdict.PASS for one in _outcomes(lesson, program, seed=seed))


def _outcomes(lesson: Lesson, program: Program, *, seed: int) -> Iterator[Outcome]:
    """The outcomes of the checks, one after another, without diagnosis."""
    student = Student(program, lesson.functions)
    with np.errstate(all="ignore"):
        probe = lesson.probe(np.random.default_rng(seed))
        earlier: dict[str, Outcome] = {}
        for check in lesson.checks:
            earlier[check.name] = _outcome(lesson, check, student, probe, earlier)
            yield earlier[check.name]


def examine(lesson: Lesson, program: Program, *, seed: int, diagnosing: bool = True) -> tuple[Outcome, ...]:
    """The outcome of every check of ``lesson``, with diagnoses where checks failed.

    A fault of ours becomes an outcome with the verdict internal; GraderError goes through.
    Without ``diagnosing`` a failed check costs no more than one that passes.
    """
    with np.errstate(all="ignore"):  # infinite answers are for the comparisons to judge
        probe = lesson.probe(np.random.default_rng(seed))
        student = Student(program, lesson.functions)
        examined: dict[str, Examined] = {}
        for check in lesson.checks:
            started, before = time.perf_counter(), len(student.asked)
            outcome = _outcome(lesson, check, student, probe, {name: one.outcome for name, one in examined.items()})
            asked = tuple(student.asked[before:])
            if check.advice:  # it may ask what the contract leaves open: that names no mistake
                del student.asked[before:]
            examined[check.name] = Examined(replace(outcome, duration_s=time.perf_counter() - started), asked)
        if not diagnosing:
            return tuple(one.outcome for one in examined.values())
        return _with_diagnoses(lesson, student, probe, list(examined.values()))


def _outcome(lesson: Lesson, check: Check, student: Student, probe: Any, earlier: dict[str, Outcome]) -> Outcome:
    def outcome(verdict: Verdict, message: str = "", witness: Witness | None = None) -> Outcome:
        points = check.points if verdict is Verdict.PASS else 0
        needs = (*check.needs, *check.leans_on)
        return Outcome(check.name, check.exercise, check.title, verdict, points, check.points, needs, message, witness)

    waits_for = [earlier[name] for name in check.needs if earlier[name].verdict is not Verdict.PASS]
    if waits_for:
        if _not_started(lesson, check, student, waits_for):
            return outcome(Verdict.TODO)
        return outcome(Verdict.SKIP, f"Waits for: {waits_for[0].title}")
    before = len(student.asked)
    try:
        remark = check.run(student, probe)
    except Failure as failure:
        leans_on = [earlier[name] for name in check.leans_on if earlier[name].verdict is not Verdict.PASS]
        if leans_on and failure.verdict is not Verdict.TODO:
            return outcome(Verdict.SKIP, f"Waits for: {leans_on[0].title}")
        asked = student.asked[before:]
        notes = dict.fromkeys(one.reply.message for one in asked if one.reply.kind == "values" and one.reply.message)
        message = " ".join([failure.message, *notes])
        return outcome(failure.verdict, message, _with_inputs(failure.witness, asked, lesson))
    except GraderError:
        raise
    except Exception:
        return outcome(Verdict.INTERNAL, "The check itself broke:\n" + traceback.format_exc(limit=-3))
    return outcome(Verdict.PASS, remark or "")


def _not_started(lesson: Lesson, check: Check, student: Student, waits_for: Sequence[Outcome]) -> bool:
    if any(one.verdict is Verdict.TODO and one.exercise == check.exercise for one in waits_for):
        return True
    return any(student.is_unfilled(name) for name in lesson.exercise(check.exercise).names)


def _with_inputs(witness: Witness | None, asked: Sequence[Observation], lesson: Lesson) -> Witness | None:
    """The witness with the arguments of the last call before the failure."""
    if witness is None or witness.inputs:
        return witness
    for observation in reversed(asked):
        if observation.name in lesson.functions:
            return replace(witness, inputs=named_inputs(lesson.functions[observation.name], observation.args))
    return witness


def _with_diagnoses(lesson: Lesson, student: Student, probe: Any, examined: list[Examined]) -> tuple[Outcome, ...]:
    found: dict[str, tuple[Diagnosis, ...]] = {}
    smallest: dict[str, Witness | None] = {}
    outcomes = []
    for one in examined:
        outcome = one.outcome
        if outcome.verdict in (Verdict.FAIL, Verdict.ERROR) and outcome.max_points:
            for name in dict.fromkeys(
                observation.name for observation in one.asked if observation.name in lesson.families
            ):
                if name not in found:
                    found[name] = _diagnose(lesson, name, student, probe)
                    smallest[name] = None if found[name] else _smallest_witness(lesson, name, student)
                outcome = replace(outcome, diagnosis=outcome.diagnosis + found[name])
                if outcome.witness is not None and smallest[name] is not None:
                    outcome = replace(outcome, witness=smallest[name])
        outcomes.append(outcome)
    return tuple(outcomes)


def _diagnose(lesson: Lesson, name: str, student: Student, probe: Any) -> tuple[Diagnosis, ...]:
    family = lesson.families[name]
    for args in family.probes(probe) if family.probes else ():
        student.observe(name, *args)
    return diagnose(family, lesson.misconceptions, student.observations(name))


def _smallest_witness(lesson: Lesson, name: str, student: Student) -> Witness | None:
    """The observation with the fewest numbers in it whose answer is wrong."""
    if name not in lesson.functions:
        return None
    signature = lesson.functions[name]
    reference = fitting(lesson.families[name], student.observations(name))
    for observation in sorted(student.observations(name), key=lambda one: sum(arg.size for arg in arrays_in(one.args))):
        right = evaluate(reference, observation.args)
        if right is None or observation.reply.kind != "values":
            continue
        inputs = named_inputs(signature, observation.args)
        for value, got, wanted in zip(signature.gives, observation.reply.values, right, strict=True):
            try:
                expect_close(got, wanted, "", what=value.name, tolerance=1e-3, inputs=inputs)
            except Failure as failure:
                if failure.witness is not None:
                    return failure.witness
    return None
