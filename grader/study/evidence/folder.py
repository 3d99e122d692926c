"""Evidence as a folder: each piece as a file, and all of it in one page."""

from __future__ import annotations

import hashlib
import io
import itertools
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from grader.errors import UsageError
from grader.reporting.predictions import happened, print_predictions, summary
from grader.reporting.rendering import shown
from grader.reporting.report import to_json
from grader.reporting.text import print_report
from grader.study.evidence.collect import Evidence
from grader.study.evidence.page import page

WIDTH = 100


def write(evidence: Evidence, target: Path, *, main: Path) -> Path:
    """Write everything, with a copy of ``main``, into a new folder, whole or not at all; the folder.

    It is ``target``, or with the time in its name where that exists: what was handed in before stays.
    """
    content = main.read_bytes()
    if hashlib.sha256(content).hexdigest() != evidence.submission.sha256:
        raise UsageError(f"{main}: changed while it was graded; save it and run the command again")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        filling = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
        filling.mkdir()
        try:
            (filling / main.name).write_bytes(content)
            for name, text in _texts(evidence):
                (filling / name).parent.mkdir(exist_ok=True)
                (filling / name).write_text(text, encoding="utf-8", errors="replace")
            return filling.rename(_free(target, at=f"{evidence.at:%Y-%m-%dT%H-%M-%S}"))
        finally:
            shutil.rmtree(filling, ignore_errors=True)
    except OSError as error:
        raise UsageError(f"{target}: cannot be written ({error.strerror}); name another folder with --out") from error


def _free(target: Path, *, at: str) -> Path:
    """``target``, or the first name of its kind that nothing has."""
    dated = target.with_name(f"{target.name}-{at}")
    names = itertools.chain((target, dated), (dated.with_name(f"{dated.name}-{n}") for n in itertools.count(2)))
    return next(path for path in names if not path.exists() and not path.is_symlink())


def _texts(evidence: Evidence) -> Iterator[tuple[str, str]]:
    report = evidence.report
    yield "predictions.md", _predictions(evidence)
    yield "output.txt", report.stdout + (f"\n--- error output ---\n{report.stderr}" if report.stderr else "")
    yield "report.json", to_json(report) + "\n"
    yield "report.txt", _report(evidence)
    for figure in evidence.figures:
        yield f"figures/{figure.name}.svg", figure.svg
        yield f"figures/{figure.name}.txt", figure.words
        yield f"figures/{figure.name}.json", figure.data
    yield "quiz.md", _quiz(evidence)
    yield "index.html", page(evidence)


def _report(evidence: Evidence) -> str:
    lesson = evidence.lesson
    screen = Console(file=io.StringIO(), width=WIDTH, highlight=False, color_system=None)
    print_report(evidence.report, lesson, screen, command=f"grade lesson {lesson.id}", verbose=True)
    ask = f"grade predict {lesson.id}"
    print_predictions(evidence.predictions, screen, unmade=evidence.unmade, command=ask, verbose=True)
    assert isinstance(screen.file, io.StringIO)
    return shown("\n".join(line.rstrip() for line in screen.file.getvalue().splitlines()) + "\n")


def _predictions(evidence: Evidence) -> str:
    lines = [
        f"# Predictions: {evidence.lesson.title}",
        "",
        summary(evidence.predictions) if evidence.predictions else "",
    ]
    section = ""
    for one in evidence.predictions:
        if one.section != section:
            section = one.section
            lines += ["", f"## {section}"]
        why = [("why", one.reason)] if one.reason else []
        because = [("because", one.because)] if one.judged != "open" else []
        rows = (("predicted", one.predicted), *why, ("when", one.at), ("verdict", one.judged), *happened(one), *because)
        lines += ["", f"**{one.question}**", "", *(f"- {label}: {_one_line(text)}" for label, text in rows)]
    return "\n".join([*lines, "", f"{evidence.unmade} not made.", ""])


def _quiz(evidence: Evidence) -> str:
    lines = [f"# Quiz: {evidence.lesson.title}"]
    for question, answered in evidence.answers:
        right = next(option for option in question.options if option.right)
        lines += ["", f"**{question.question}**", ""]
        lines.append(f"- last answer: {answered.chosen}, {'right' if answered.chosen == right.text else 'not so'}")
        lines.append(f"- right: {right.text}")
        lines.append(f"- because: {right.reason}")
        lines.append(f"- so far: {answered.right} right, {answered.wrong} not; back on {answered.due}")
    return "\n".join([*lines, "", f"{evidence.unasked} not asked yet.", ""])


def _one_line(text: str) -> str:
    return shown(" ".join(text.split()))
