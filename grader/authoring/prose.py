"""The page of a lesson held to what it computes: numbers, code results, cells of the solution."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from grader.cells import split_cells
from grader.errors import LessonError
from grader.lesson import import_file
from grader.model import Lesson, Submission
from grader.running.limits import Limits
from grader.running.program import WorkerProgram

NUMBER = r"[-\u2212+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?"
COMPUTED = re.compile(rf"(?P<literal>\[[-\d.,\[\]\s]*\]|{NUMBER}(?:/\d+)?)<!--=\s*(?P<expression>.+?)\s*-->")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DECIMAL = re.compile(r"(?<![\w.<])-?\d+\.\d+(?!\.?\w|/)")  # also at the end of a sentence; not 1.2.3
OURS = Limits(run_s=120, total_s=240, cpu_s=240)  # a whole page, on a busy machine
ARROW = re.compile(r"^(?P<indent>\s*)(?P<code>print\(.*\))  # → (?P<text>.*)$")


def page_problems(lesson: Lesson) -> list[str]:
    """Everything on the page that is not so, each as `lesson.md:line: what`."""
    text = (lesson.folder / "lesson.md").read_text(encoding="utf-8")
    return [
        *stale_numbers(text, vars(import_file(lesson.folder / "figures.py"))),
        *stale_cells(text, lesson),
        *stale_code(text),
    ]


def stale_numbers(text: str, names: dict[str, Any]) -> Iterator[str]:
    """Numbers whose expression gives something else, and decimals without an expression."""
    for number, line in enumerate(without_code(text).splitlines(), start=1):
        for match in COMPUTED.finditer(line):
            try:
                value = eval(match["expression"], {"np": np, **names})  # noqa: S307 - the lesson's own code
            except Exception as error:
                yield f"lesson.md:{number}: {match['expression']}: {type(error).__name__}: {error}"
                continue
            if not agrees(match["literal"], value):
                yield f"lesson.md:{number}: {match['literal']} where {match['expression']} gives {value}"
        for decimal in DECIMAL.findall(COMPUTED.sub("", line)):
            yield f"lesson.md:{number}: {decimal} has no expression behind it: write {decimal}<!--= … -->"


def without_code(text: str) -> str:
    """The page with its code blocks empty, every line where it was."""
    return FENCE.sub(lambda block: "\n" * block.group().count("\n"), text)


def agrees(literal: str, value: Any) -> bool:
    """Whether a printed number, fraction or nested list is ``value`` at the printed decimals."""
    literal = literal.replace("\u2212", "-")
    if literal.startswith("["):
        numbers = re.findall(NUMBER, literal)
        wanted = np.asarray(value, dtype=float)
        depth = len(literal) - len(literal.lstrip("["))
        return wanted.ndim == depth and wanted.size == len(numbers) and all(map(agrees, numbers, wanted.ravel()))
    if "/" in literal:
        return abs(float(Fraction(literal)) - float(value)) < 1e-9
    literal = literal.replace(",", "")
    decimals = len(literal.partition(".")[2])
    return abs(float(literal) - float(value)) <= 0.5 * 10.0**-decimals * (1 + 1e-9)


def stale_cells(text: str, lesson: Lesson) -> Iterator[str]:
    """Cells of the solution that the page does not show word for word, and TODO cells of the scaffold."""
    blocks = [block.strip() for _, block in FENCE.findall(text)]
    for path in (lesson.solution, lesson.scaffold):
        for cell in split_cells(path.read_text(encoding="utf-8")):
            if cell.text not in blocks:
                where = f"{path.parent.parent.name}/{lesson.id}/main.py"
                yield f"lesson.md: no code block is the cell {cell.title!r} of {where}"


def stale_code(text: str) -> Iterator[str]:
    """`print(…)  # → text` lines of the page that print something else, run in order as one program."""
    lines: list[str] = []
    expected: dict[int, tuple[int, str]] = {}
    for match in FENCE.finditer(text):
        if match[1] != "python":
            continue
        first = text.count("\n", 0, match.start(2)) + 1
        for offset, line in enumerate(match[2].splitlines()):
            if arrow := ARROW.match(line):
                expected[len(expected)] = (first + offset, arrow["text"])
                mark = f"{arrow['indent']}print('@@{len(expected) - 1}')"
                lines += [mark, arrow["indent"] + arrow["code"], f"{arrow['indent']}print('@@')"]
            else:
                lines.append(line)
    source = "\n".join(lines).encode()
    submission = Submission("lesson.md", source, hashlib.sha256(source).hexdigest())
    with WorkerProgram(submission, limits=OURS) as program:
        events = program.events
    for event in events:
        yield f"lesson.md: a code block does not run: {event.message} ({lines[(event.line or 1) - 1].strip()})"
    printed = dict(re.findall(r"^@@(\d+)\n(.*?)\n?^@@$", program.output.stdout, re.MULTILINE | re.DOTALL))
    for key, (line, wanted) in expected.items():
        got = printed.get(str(key), "nothing")
        if got != wanted:
            yield f"lesson.md:{line}: prints {got!r} where the page says {wanted!r}"


def scaffold_problems(lesson: Lesson) -> list[str]:
    """Lines in which scaffold and solution differ although the scaffold's is no TODO."""
    scaffold, solution = (path.read_text(encoding="utf-8").splitlines() for path in (lesson.scaffold, lesson.solution))
    if not scaffold or not solution:
        raise LessonError(f"{lesson.scaffold}: empty; write it")
    problems = []
    for tag, start, end, _, _ in difflib.SequenceMatcher(None, scaffold, solution, autojunk=False).get_opcodes():
        if tag == "insert":
            problems.append(f"{lesson.scaffold.name}:{start + 1}: the solution has lines here that no TODO stands for")
        elif tag != "equal":
            problems += [
                f"main.py:{number}: differs from the solution and is no TODO: {scaffold[number - 1].strip()}"
                for number in range(start + 1, end + 1)
                if "TODO" not in scaffold[number - 1]
            ]
    return problems
