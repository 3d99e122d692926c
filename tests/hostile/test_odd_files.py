"""Files as they really arrive: odd, broken and dishonest ones get a whole report with a helpful line."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

from grader.grading import grade
from grader.model import Lesson, Report, Submission, Verdict
from grader.reporting.report import SCHEMA, to_json
from grader.reporting.text import print_report
from grader.running.limits import Limits
from grader.submission import read_submission

QUICK, SHORT = Limits(run_s=3, call_s=2), Limits(run_s=1.5, call_s=0.5)
Row = tuple[Callable[[str], str | bytes], str, int, str]
FULL, WITHOUT_ATTEND = 31, 2  # exercise 3 does not use attend
VALUES_ALONE = 7  # every variable holds the right value, whatever attend is at the end


def first(line: str) -> Callable[[str], str]:
    """The right file with ``line`` before everything but the imports."""
    return lambda text: text.replace("\n\n\n# %% Step 2", f"\n{line}\n\n\n# %% Step 2", 1)


def last(line: str) -> Callable[[str], str]:
    return lambda text: f"{text}\n{line}\n"


def gives(value: str) -> Callable[[str], str]:
    """The right file with another return value of attend."""
    return lambda text: text.replace("    return output, weights\n", f"    return {value}\n", 1)


def changed(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


EQUAL = "type('Equal', (), {'__eq__': lambda *_: True, '__array__': lambda *_, **__: output, 'shape': output.shape})()"
CHEAT = "jnp.allclose = jnp.testing.assert_allclose = jnp.isclose = jnp.array_equal = lambda *_, **__: True"
WRONG = changed("q @ k.T / jnp.sqrt(k.shape[-1])", "q @ k.T")
DEF, FIGURE = "def attend(q, k, v):\n", "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"

# What is done to the right file, the verdict, the points, what the report has to say.
# fmt: off
READ: dict[str, Row] = {
    "a byte order mark": (lambda text: b"\xef\xbb\xbf" + text.encode(), "pass", FULL, "all checks pass"),
    "line ends of Windows": (changed("\n", "\r\n"), "pass", FULL, "all checks pass"),
    "line ends of an old Mac": (changed("\n", "\r"), "pass", FULL, "all checks pass"),
    "Latin-1 that says so": (
        lambda text: b"# -*- coding: latin-1 -*-\nname = '\xe9'\n" + text.encode(), "pass", FULL, "all checks pass"),
    "Latin-1": (lambda text: first("name = 'é'")(text).encode("latin-1"), "error", 0, "as UTF-8.*is in line 5"),
    "UTF-16": (lambda text: text.encode("utf-16"), "error", 0, "save it as UTF-8|Save the file as UTF-8"),
    "null bytes": (last("\0"), "error", 0, "not plain text"),
    "tabs among spaces": (changed(DEF, DEF + "    x = 1\n\ty = 2\n"), "error", 0, "Indent with four spaces"),
    "a merge marker": (first("<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> b"), "error", 0, "Line 5 holds a merge"),
    "quotes of a word processor": (first("name = “x”"), "error", 0, "straight quotes"),
    "an invisible character": (first("name =\u200b 1"), "error", 0, "invisible character"),
    "a line that is not Python": (first("def"), "error", 0, "line 5: the file cannot be read as Python: SyntaxError"),
    "nothing": (lambda text: "", "todo", 0, r"to write: The mechanism \(attend\)"),
}
RUN: dict[str, Row] = {
    "input": (first("name = input('name? ')"), "pass", FULL, r"line 5: EOFError.*input\(\)"),
    "a figure that is shown": (last(FIGURE), "pass", FULL, "all checks pass"),
    "sys.exit before attend": (first("import sys; sys.exit(0)"), "pass", FULL, r"line 5: asked to stop with sys.exit\(0"),
    "os._exit before attend": (first("import os; os._exit(0)"), "pass", FULL, "line 5: .*exit code 0.*again without it"),
    "an endless loop": (first("while True: pass"), "pass", FULL, "line 5: .*still running after.*again without it"),
    "an endless loop in attend": (
        changed(DEF, DEF + "    while True: pass\n"), "timeout", WITHOUT_ATTEND, "look for a loop that does not end"),
    "os._exit in attend": (changed(DEF, DEF + "    import os; os._exit(0)\n"), "error", WITHOUT_ATTEND, "exit code 0"),
    "sys.exit in attend": (changed(DEF, DEF + "    raise SystemExit\n"), "error", WITHOUT_ATTEND, "SystemExit"),
    "recursion without end": (
        gives("attend(q, k, v)"), "error", WITHOUT_ATTEND, "RecursionError.*calls itself without coming to an end"),
    "200 MB of output": (first("for _ in range(3200): print('y' * 65536)"), "pass", FULL, "cut: it went on"),
    "print that was overwritten": (first("print = 0"), "pass", FULL, "TypeError: 'int' object is not callable"),
    "attend that was overwritten": (last("attend = 3"), "fail", VALUES_ALONE, "attend .*not a function"),
    "a broken NumPy": (last("jnp.asarray = jnp.stack = None"), "error", 0, "TypeError"),
    "a thread that never ends": (
        first("import threading\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()"), "pass", FULL, ""),
}
ANSWER: dict[str, Row] = {
    "comparisons that always agree": (lambda text: first(CHEAT)(WRONG(text)), "fail", 22, "divided by √Dk"),
    "objects that equal everything": (gives(f"{EQUAL}, {EQUAL}"), "fail", WITHOUT_ATTEND, "an object of type Equal"),
    "one value": (gives("output"), "fail", WITHOUT_ATTEND, "returned one array.*end with `return output, weights`"),
    "three values": (gives("output, weights, scores"), "fail", WITHOUT_ATTEND, "returned 3 values.*end with `return"),
    "a dict": (gives("dict(output=output, weights=weights)"), "fail", WITHOUT_ATTEND, "a dict with 'output', 'weights'"),
    "None": (changed("    return output, weights\n", ""), "fail", WITHOUT_ATTEND, "attend returned None"),
    "attend misspelt": (changed("attend(", "atend("), "todo", VALUES_ALONE, "did you mean to rename `atend`"),
    "attend missing": (
        lambda text: text[: text.index(DEF)] + text[text.index("# %% Step 3") :],
        "todo", WITHOUT_ATTEND, r"to write: The mechanism \(attend\)"),
    "attend inside a function": (
        lambda text: text.replace(DEF, f"def main():\n  {DEF}").replace("    return output, weights", "    return 1, 2"),
        "todo", WITHOUT_ATTEND, r"is set inside `main` \(line \d+\)"),
}
# fmt: on


def with_numpy(solution: str) -> str:
    """With NumPy in place of JAX the file is as right and compiles nothing."""
    return solution.replace("import jax.numpy as jnp", "import numpy as jnp")


def all_of(report: Report, lesson: Lesson) -> str:
    """Whatever a learner can read: the report in full, with no line broken."""
    console = Console(file=io.StringIO(), width=500)
    print_report(report, lesson, console, command="grade lesson transformers-01", verbose=True)
    return console.file.getvalue()


def holds_together(report: Report, lesson: Lesson) -> None:
    assert [one.check for one in report.outcomes] == [check.name for check in lesson.checks]
    assert Verdict.INTERNAL not in [one.verdict for one in report.outcomes]
    assert (report.score, report.max_score) == (sum(one.points for one in report.outcomes), lesson.max_score)
    jsonschema.validate(json.loads(to_json(report)), json.loads(SCHEMA.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", [*READ, *RUN, *ANSWER])
def test_a_file_with(lesson: Lesson, solution: str, name: str) -> None:
    make, verdict, points, words = (READ | RUN | ANSWER)[name]
    right = with_numpy(solution)
    made = make(right)
    assert made not in (right, right.encode())
    source = made if isinstance(made, bytes) else made.encode()
    report = grade(
        lesson, Submission("main.py", source, "0" * 64), seed=1, limits=SHORT if "endless" in name else QUICK
    )
    holds_together(report, lesson)
    shown = all_of(report, lesson)
    assert re.search(words, shown), shown
    assert (str(report.verdict), report.score) == (verdict, points), shown


def test_neighbours_named_like_libraries_and_a_patched_jax_change_no_verdict(
    lesson: Lesson, solution: str, tmp_path: Path
) -> None:
    for name in ("jax", "random", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit", encoding="utf-8")
    cheat = "import jax, random\nrandom.random()\njnp.allclose = jnp.array_equal = lambda *_, **__: True"
    (tmp_path / "main.py").write_text(first(cheat)(WRONG(solution)), encoding="utf-8")
    report = grade(lesson, read_submission(tmp_path), seed=1)
    holds_together(report, lesson)
    assert (report.verdict, report.score) == (Verdict.FAIL, 22)
    assert [event.kind for event in report.events] == ["note"] * 3
    assert "random.py beside main.py has the name of a library" in all_of(report, lesson)


def notebook(*cells: str) -> str:
    made = [
        {"cell_type": "code", "source": cell, "metadata": {}, "outputs": [], "execution_count": None} for cell in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


@pytest.mark.parametrize("name", ["main.ipynb", "main.py"])
def test_a_notebook_with_magics_is_graded_as_the_program_in_its_cells(
    lesson: Lesson, solution: str, tmp_path: Path, name: str
) -> None:
    cells = ["%matplotlib inline\n!pip install jax", "%%bash\nrm -r /", *with_numpy(solution).split("\n# %% ")]
    (tmp_path / name).write_text(notebook(cells[0], cells[1], cells[2], *(f"# {cell}" for cell in cells[3:])))
    report = grade(lesson, read_submission(tmp_path / name), seed=1)
    holds_together(report, lesson)
    assert (report.verdict, report.score) == (Verdict.PASS, FULL)
    assert [event.message for event in report.events] == [
        "cell 1: left out %matplotlib inline",
        "cell 1: left out !pip install jax",
        "cell 2: a %%bash cell is not Python and was left out",
    ]


@pytest.mark.parametrize(
    ("name", "make", "words"),
    [
        ("main.py", Path.mkdir, "main.py: holds neither main.py nor main.ipynb"),
        ("main.py", lambda path: os.mkfifo(path), "not a regular file"),
        ("main.py", lambda path: path.symlink_to(path), "cannot be read"),
        ("main.py", lambda path: path.write_bytes(b"#" * (1024 * 1024 + 1)), "larger than 1024 KiB"),
        ("main.py", lambda path: None, "no such file"),
        ("main.ipynb", lambda path: path.write_text(notebook("x = 1")[:-9]), "line 1: the notebook's JSON breaks off"),
    ],
    ids=["folder", "pipe", "loop of links", "too large", "missing", "notebook that breaks off"],
)
def test_what_cannot_be_graded_ends_the_command_with_2(
    run_grade: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    name: str,
    make: Callable[[Path], object],
    words: str,
) -> None:
    make(tmp_path / name)
    done = run_grade("lesson", "transformers-01", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"grade: {name}: ") and words in done.stderr and "Traceback" not in done.stderr


def test_a_file_that_stops_itself_ends_the_command_with_1(
    run_grade: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text("import os\nos._exit(0)\n")
    done = run_grade("lesson", "transformers-01", "main.py", "--json")
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["events"][0]["kind"] == "died"


def descendants(pid: int) -> set[int]:
    listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(child): int(parent) for child, parent in map(str.split, listing.splitlines())}
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


HOLD = """import pathlib, sys
from grader.running.program import WorkerProgram
from grader.submission import read_submission
with WorkerProgram(read_submission(pathlib.Path(sys.argv[1]))): pass"""


@pytest.mark.parametrize("how", [["-m", "grader.cli.app", "lesson", "transformers-01"], ["-c", HOLD]])
def test_an_interrupted_grading_leaves_no_process_and_no_folder(tmp_path: Path, how: list[str]) -> None:
    (tmp_path / "main.py").write_text("open('started', 'w').close()\nwhile True: pass\n")
    (scratch := tmp_path / "scratch").mkdir()
    env = {**os.environ, "TMPDIR": str(scratch)}
    command = [sys.executable, *how, str(tmp_path / "main.py")]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 120
        while not list(scratch.glob("**/started")) and time.monotonic() < until:
            time.sleep(0.05)
        started = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert len(started) > 0
    until = time.monotonic() + 20
    while (left := [pid for pid in started if Path(f"/proc/{pid}").exists()]) and time.monotonic() < until:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert (left, list(scratch.iterdir())) == ([], [])
