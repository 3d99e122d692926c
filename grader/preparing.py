"""Making a machine ready for a lesson: the reference runs once and leaves its compiled programs behind."""

from __future__ import annotations

import ast
import functools
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np

from grader.checking.examine import examine
from grader.checking.student import Student
from grader.checking.verdict import overall
from grader.lesson import lesson_digest
from grader.model import Lesson, Verdict
from grader.running import compile_cache
from grader.running.process import PlainProcess
from grader.running.program import WorkerProgram
from grader.submission import read_submission

# Libraries that a submission may use and that are slow to import: once in the warm worker, not in each child.
SLOW_MODULES = {b"matplotlib": "matplotlib.pyplot", b"scipy.special": "scipy.special", b"scipy.stats": "scipy.stats"}


def modules_used(source: bytes) -> list[str]:
    """The slow modules that a source mentions."""
    return [module for name, module in SLOW_MODULES.items() if name in source]


def compiled_already(folder: Path) -> Path | None:
    """The folder with compiled programs of the lesson in ``folder``, if it is there."""
    target = compile_cache.lesson_folder(folder.name, lesson_digest(folder))
    return target if (target / compile_cache.MANIFEST).exists() else None


def compiled(lesson: Lesson) -> Path | None:
    """The folder with the programs that grading ``lesson`` compiles, filled now if it is not there.

    The reference answers all checks and all probes of the diagnosis in a process of its own, which alone writes.
    None where the folder cannot be written or the reference does not pass: grading then only takes longer.
    """
    if there := compiled_already(lesson.folder):
        return there
    target = compile_cache.lesson_folder(lesson.id, lesson.digest)
    try:
        filling = compile_cache.new_folder()
    except OSError:
        return None
    try:
        if _fill(lesson, filling):
            statements = ast.walk(ast.parse(lesson.solution.read_bytes()))
            functions = [statement.name for statement in statements if isinstance(statement, ast.FunctionDef)]
            compile_cache.publish(filling, target, without=functions)
            return target
        return None
    finally:
        shutil.rmtree(filling, ignore_errors=True)


def _fill(lesson: Lesson, folder: Path) -> bool:
    """Run the reference with JAX writing into ``folder``; whether it passed.

    Advice is left out: what it compiles is the submission as a whole, which is no other's, and would
    show how the reference is written.
    """
    lesson = replace(lesson, checks=tuple(check for check in lesson.checks if not check.advice))
    environment = compile_cache.fill_environment(folder)
    start = functools.partial(PlainProcess, extra_environment=environment)
    with WorkerProgram(read_submission(lesson.solution), open_worker=start) as program:
        outcomes = examine(lesson, program, seed=0)
        student = Student(program, lesson.functions)
        for family in lesson.families.values():
            for args in family.probes(lesson.probe(np.random.default_rng(0))) if family.probes else ():
                student.observe(family.function, *args)
    return overall(outcomes) is Verdict.PASS
