"""A submission that is held open: how its file runs, what it survives, what it leaves behind."""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from grader.model import Submission
from grader.running.limits import Limits
from grader.running.process import PlainProcess
from grader.running.program import WorkerProgram

QUICK = Limits(run_s=3, call_s=1)
linux = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads /proc")

STATEMENTS = """from __future__ import annotations
import sys
first = 1
raise ValueError("told")
second = 2
sys.exit("enough")
third = 1 / 0
def helper(): return [][3]
fourth = helper()
after = first + second
import dataclasses, os, random, jax
@dataclasses.dataclass
class Pair: left: NotDefinedAnywhere; right: int = 2
is_main = __name__ == "__main__" and Pair(1).right == 2 and sys.modules["__main__"].Pair is Pair
random_is_the_library = hasattr(random, "getrandbits") and hasattr(jax, "jit")
from mine import number as from_neighbour
works_in_its_folder = os.path.samefile(os.getcwd(), os.path.dirname(__file__)) and sys.argv == [__file__]
has_nothing_to_read = sys.stdin.read() == ""
typed = input("? ")
block = bytearray(5 << 30)
has_a_private_home = os.environ["HOME"] == os.environ["TMPDIR"] and "headwork-" in os.environ["HOME"]
print("variables:", *sorted(os.environ))
print("\\x1b[31mred\\x07\\x9b é\\u202e", flush=True)
os.write(2, b"bytes \\xff\\r\\n")
sys.stdout = None
last = 5
"""
HOLDS = {
    **{"first": 1, "second": 2, "after": 3, "from_neighbour": 7, "last": 5, "is_main": 1, "random_is_the_library": 1},
    **{"works_in_its_folder": 1, "has_nothing_to_read": 1, "has_a_private_home": 1},
}
# What the grader passes on or sets, and what JAX sets when it is imported.
VARIABLES = (
    r"PATH|LANG|LC_ALL|LC_CTYPE|TZ|VIRTUAL_ENV|HOME|USERPROFILE|TMPDIR|TEMP|TMP|XDG_CACHE_HOME|MPLCONFIGDIR|MPLBACKEND"
    r"|PYTHON(USERBASE|UTF8|DONTWRITEBYTECODE)|(JAX|OPENBLAS|OMP|MKL|KMP|TPU|TF|XLA)_.*"
)


def submission(source: str, folder: Path | None = None) -> Submission:
    return Submission("main.py", source.encode(), "0" * 64, folder)


@pytest.fixture(scope="module", autouse=True)
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where this module's workers put their folders, so that what stays behind shows."""
    folder = tmp_path_factory.mktemp("scratch")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        patch.setenv("HEADWORK_SECRET", "hunter2")
        yield folder


@pytest.fixture(scope="module")
def statements(tmp_path_factory: pytest.TempPathFactory, scratch: Path) -> Iterator[WorkerProgram]:
    folder = tmp_path_factory.mktemp("no\u00a0break\u3000two\nlines")
    for name in ("random", "jax", "numpy"):
        (folder / f"{name}.py").write_text("raise RuntimeError('not the library')\n", encoding="utf-8")
    (folder / "mine.py").write_text("number = 7\n", encoding="utf-8")
    with WorkerProgram(submission(STATEMENTS, folder.resolve())) as program:
        yield program


def number(program: WorkerProgram, name: str) -> float:
    reply = program.read(name)
    assert reply.kind == "values", reply.message
    return float(reply.values[0])


def events(program: WorkerProgram) -> list[tuple[int | None, str]]:
    return [(event.line, event.kind) for event in program.events]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_statements_after_an_exception_run_and_each_event_has_its_line(statements: WorkerProgram) -> None:
    assert [event.line for event in statements.events] == [4, 6, 7, 8, 19, 20]
    assert [event.kind for event in statements.events] == ["raised", "exit", *["raised"] * 4]
    told, stop, division, index, typed, memory = (event.message for event in statements.events)
    assert (told, stop) == ("ValueError: told", "sys.exit('enough')")
    assert division.startswith("ZeroDivisionError: ")
    assert index == "IndexError: list index out of range"
    assert typed.startswith("EOFError") and "set the value in the file" in typed
    assert statements.versions["python"] == sys.version.split()[0]
    assert memory.startswith("MemoryError") and "more memory than a submission may use" in memory


@pytest.mark.parametrize("name", HOLDS)
def test_a_variable_holds_what_its_statement_gave(statements: WorkerProgram, name: str) -> None:
    assert number(statements, name) == HOLDS[name]


@pytest.mark.parametrize(("name", "line"), [("third", 7), ("fourth", 8), ("typed", 19), ("block", 20)])
def test_a_name_whose_statement_raised_answers_with_its_error(statements: WorkerProgram, name: str, line: int) -> None:
    reply = statements.read(name)
    assert (reply.kind, reply.line) == ("error", line)
    assert reply.message == next(event.message for event in statements.events if event.line == line)


def test_what_is_printed_has_no_control_characters_and_the_environment_no_secrets(statements: WorkerProgram) -> None:
    statements.__exit__(None, None, None)
    shown, errors = statements.output.stdout, statements.output.stderr
    assert "�[31mred��" in shown and "é" in shown and "bytes �\n" in errors
    assert [c for c in shown + errors if not (c.isprintable() or c in "\n\t")] == []
    assert not statements.output.truncated
    variables = shown.partition("variables:")[2].partition("\n")[0].split()
    assert {"HOME", "JAX_PLATFORMS"} <= set(variables)
    assert [name for name in variables if not re.fullmatch(VARIABLES, name)] == []


def test_what_is_not_python_is_said_with_its_line_and_every_answer_says_it_again() -> None:
    with WorkerProgram(submission("x = 1\ndef f(:\n")) as program:
        (event,) = program.events
        assert (event.line, event.kind, event.message[:11]) == (2, "unreadable", "SyntaxError")
        for reply in (program.read("x"), program.call("f", (), outputs=2)):
            assert (reply.kind, reply.message, reply.line) == ("error", event.message, 2)


def test_statements_that_kill_or_hang_are_left_out_and_the_rest_runs() -> None:
    # What hangs renames a file for ever: measuring its folder meanwhile must not trip over that.
    rename = "[os.rename(f'{n}', f'{n + 1}') for n in itertools.count()]"
    source = f"import itertools, os; open('0', 'w').close()\na = os._exit(0)\nb = {rename}\nc = 3\nd = b"
    with WorkerProgram(submission(source), limits=QUICK) as program:
        assert [program.read(name).kind for name in "abcd"] == ["died", "timeout", "values", "timeout"]
        assert program.read("b").line == 3
    assert events(program) == [(2, "died"), (3, "timeout"), (5, "unrun")]
    assert "exit code 0" in program.events[0].message
    assert "still running after" in program.events[1].message


def test_a_file_that_never_comes_to_its_end_is_given_up_after_the_allowed_runs() -> None:
    with WorkerProgram(submission("import os\n" + "os._exit(7)\n" * 9), limits=Limits(runs=2)) as program:
        assert events(program) == [(2, "died"), (3, "died")]
        assert program.read("x").kind == "died"


CHANNEL = """import os
def scribble(descriptors=range(3, 64)):
    for descriptor in descriptors:
        try: os.write(descriptor, bytes(100))
        except OSError: pass
os.closerange(0, 3)
print("into nothing", flush=True)
scribble()
os.closerange(3, 64)
after = 1
def g(): os.closerange(3, 64)
"""


@linux
def test_who_writes_to_the_channel_or_closes_it_ends_the_process_and_nothing_else() -> None:
    with WorkerProgram(submission(CHANNEL), limits=QUICK) as program:
        assert events(program) == [(7, "raised"), (8, "died"), (9, "died")]
        assert "wrote to the grader's channel" in program.events[1].message
        assert program.call("g", (), outputs=1).kind == "died"
        assert number(program, "after") == 1


def test_a_flood_of_output_is_cut_and_flagged() -> None:
    flood = "for _ in range(3200): print('y' * 65536)\nlast = 1"
    with WorkerProgram(submission(flood), limits=Limits(output_kib=8)) as program:
        assert number(program, "last") == 1
    assert (program.output.stdout, program.output.truncated) == ("y" * 8 * 1024, True)


def counting(count: Path, then: str) -> Submission:
    """A file in which counted() adds an x to ``count``."""
    return submission(f"import os\ndef counted(): print('x', end='', file=open({str(count)!r}, 'a'))\n{then}")


@pytest.mark.parametrize(("does", "kind"), [("while True: pass", "timeout"), ("os._exit(3)", "died")])
def test_a_function_that_hangs_or_dies_is_asked_twice_and_no_more(tmp_path: Path, does: str, kind: str) -> None:
    source = f"def bad():\n    counted()\n    {does}\ndef fine(): return 1.0"
    with WorkerProgram(counting(tmp_path / "count", source), limits=QUICK) as program:
        replies = [program.call("bad", (), outputs=1) for _ in range(4)]
        assert [reply.kind for reply in replies] == [kind] * 4
        assert re.search("exit code 3|still running after", replies[-1].message)
        assert program.call("fine", (), outputs=1).kind == "values"
    assert (tmp_path / "count").read_text() == "xx"


def test_when_the_time_of_a_grading_is_over_nothing_is_run_any_more(tmp_path: Path) -> None:
    source = counting(tmp_path / "count", "counted()\ndef f(): return 1.0")
    with WorkerProgram(source, limits=Limits(total_s=1e-3)) as program:
        assert [program.call(name, (), outputs=1).kind for name in "ffgh"] == ["timeout"] * 4
    assert (tmp_path / "count").read_text() == "x"


def test_a_call_before_the_file_ran_gets_no_answer() -> None:
    with contextlib.closing(PlainProcess(Limits())) as process:
        assert process.reply(60).kind == "ready"
        process.request("call", (), name="f", outputs=1, transform="", layout=[])
        source = np.frombuffer(b"x = 1", np.uint8), np.array([], np.int64)
        process.request("run", source, path="main.py", folder="", skip=[])
        assert [process.reply(60).kind for _ in range(2)] == ["statement", "finished"]


LEFT = """import os, signal, subprocess, sys, threading, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM): signal.signal(number, signal.SIG_IGN)
for daemon in (True, False):
    threading.Thread(target=time.sleep, args=(10**6,), daemon=daemon).start()
me = os.getpid()
nested = "import subprocess; print(subprocess.Popen(['sleep', '1000']).pid, flush=True); input()"
child = subprocess.Popen([sys.executable, "-c", nested], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
children = [child.pid, int(child.stdout.readline())]
os.makedirs("hidden/deep")
os.chmod("hidden", 0)
"""


@linux
def test_no_process_and_no_folder_is_left_behind(scratch: Path) -> None:
    before = set(scratch.iterdir())
    with WorkerProgram(submission(LEFT), limits=QUICK) as program:
        assert program.events == ()
        pids = [int(number(program, "me")), *map(int, program.read("children").values[0])]
        assert all(map(alive, pids))
        assert len(set(scratch.iterdir()) - before) == 1
    deadline = time.monotonic() + 30
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(alive, pids))
    assert set(scratch.iterdir()) == before
