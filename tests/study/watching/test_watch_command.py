"""``grade watch`` as it is used: at a pseudo-terminal, and where there is none."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.lesson import content_root

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

from pseudo_terminal import LIMIT_S, Terminal

ID = "transformers-01"
WATCH = [sys.executable, "-m", "grader.cli.app", "watch"]
SCAFFOLD = content_root() / "scaffolds" / ID / "main.py"
QUICK = "import numpy as np\n\ndef attend(q, k, v):\n    return v, q\n"
HANGS = QUICK + "while True:\n    pass\n"
IDLE = "watching main.py: save it, or press r"
KEYS = ("n next", "r run", "q quit")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the lesson is compiled once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def env(cache: Path, tmp_path: Path) -> dict[str, str]:
    """A home of its own, without progress."""
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home), "HEADWORK_CACHE": str(cache), "TERM": "xterm-256color"}


@pytest.fixture
def main_py(tmp_path: Path) -> Path:
    path = tmp_path / ID / "main.py"
    path.parent.mkdir()
    shutil.copyfile(SCAFFOLD, path)
    return path


@pytest.fixture
def start(main_py: Path, env: dict[str, str]) -> Iterator[Callable[..., Terminal]]:
    """Starts the watch and waits for the first report."""
    opened: list[Terminal] = []

    def start(*command: str, columns: int = 100, rows: int = 60) -> Terminal:
        cwd = main_py.parent.parent
        opened.append(Terminal(command or WATCH, cwd=cwd, env=env, columns=columns, rows=rows))
        opened[-1].shows(IDLE)
        return opened[-1]

    yield start
    for one in opened:
        with one:
            pass


def children_of(pid: int) -> set[int]:
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def test_a_save_is_graded_and_q_leaves_the_terminal_as_it_was(start, main_py, env):
    terminal = start()
    assert terminal.mode() != terminal.mode_before
    terminal.shows("to be continued")
    main_py.write_text(QUICK)
    terminal.shows("not there yet")
    terminal.shows(IDLE)
    assert "to be continued" not in "\n".join(terminal.lines), "the newest report alone"
    terminal.press("\x1b[A\x1bOQ\x1b[15~")  # arrow and function keys
    terminal.press("q")
    assert terminal.ends() == 0
    assert terminal.mode() == terminal.mode_before
    kept = [path for path in Path(env["HOME"]).rglob("*") if path.is_file() and ID in path.read_text()]
    assert kept, "progress"
    assert b"\x1b[?1049h" not in terminal.sent, "another screen cannot be scrolled back"
    assert b"\x1b[3J" not in terminal.sent, "what was there before is not ours to erase"


def test_r_grades_again_what_is_unchanged(start):
    terminal = start()
    seed = next(line for line in terminal.lines if " seed " in line)
    terminal.press("r")
    terminal.until(lambda: seed not in terminal.lines and IDLE in terminal.lines, "another seed")


def test_a_save_during_a_grading_cancels_it(start, main_py):
    terminal = start()
    main_py.write_text(HANGS)
    terminal.shows("grading main.py … (1 s)")
    main_py.write_text(QUICK)
    terminal.shows("not there yet")
    assert b"was still running" not in terminal.sent
    main_py.write_text(HANGS)
    terminal.shows("grading main.py … (1 s)")
    terminal.press("q")
    assert terminal.ends() == 0


def test_a_narrow_terminal_shows_keys_and_status_whole_and_a_resize_draws_again(start):
    terminal = start(columns=40, rows=20)
    assert all(key in "\n".join(terminal.lines) for key in KEYS)
    assert terminal.lines[-1] == IDLE
    drawn = terminal.sent.count(b"\x1b[2J")
    terminal.resize(100, 60)
    terminal.until(lambda: terminal.sent.count(b"\x1b[2J") > drawn, "a new drawing")
    terminal.shows(IDLE)
    assert f"○ {ID} · Attention from small pieces · 0 of 31 points · to be continued" in terminal.lines


def test_what_a_key_leads_to_is_printed_below_and_another_key_leads_back(start):
    terminal = start()
    terminal.press("l")
    terminal.shows("next: grade start ID")
    terminal.shows("any other key: back to the report")
    terminal.press("c")
    terminal.shows(f"○ {ID} · Attention from small pieces · 0 of 31 points\n")
    terminal.press(" ")
    terminal.until(lambda: terminal.lines[-1] == IDLE, "the report")
    terminal.press("n")
    terminal.shows("next: The mechanism")


def test_after_a_pass_n_goes_on_to_the_next_lesson_and_nothing_else_does(start, main_py):
    following = main_py.parent.parent / "transformers-02" / "main.py"
    following.parent.mkdir()
    shutil.copyfile(content_root() / "scaffolds" / "transformers-02" / "main.py", following)
    terminal = start(*WATCH, ID)
    shutil.copyfile(content_root() / "solutions" / ID / "main.py", main_py)
    terminal.shows("all checks pass: n goes on to transformers-02")
    terminal.press("n")
    terminal.shows("○ transformers-02 · ")
    terminal.shows(IDLE)
    terminal.press("q")
    assert terminal.ends() == 0


def test_a_prediction_is_asked_for_with_enter_again_and_shown_beside_the_report(start):
    terminal = start()
    terminal.press("p")
    terminal.shows("your prediction:")
    terminal.press("1\n")
    terminal.shows("why, in one sentence:")
    terminal.press("a guess\n")
    terminal.shows("why, in one sentence: a guess")
    terminal.until(lambda: terminal.lines[-1] == "your prediction:", "the next question")
    terminal.press("\x04")
    terminal.shows("any other key: back to the report")
    terminal.press("r")
    terminal.shows("Your predictions: ")


def test_a_reset_asks_and_then_grades_the_scaffold(start, main_py):
    terminal = start()
    main_py.write_text(QUICK)
    terminal.shows("not there yet")
    terminal.press("x")
    terminal.shows("reset main.py? It is copied first. y/n")
    terminal.press("n")
    terminal.shows("nothing was reset")
    assert main_py.read_text() == QUICK
    terminal.press("xy")
    terminal.shows("to be continued")
    assert main_py.read_bytes() == SCAFFOLD.read_bytes()
    assert QUICK.encode() in [path.read_bytes() for path in main_py.parent.iterdir()]


@pytest.mark.parametrize(
    ("end", "code"),
    [(lambda terminal: terminal.press("\x03"), 130), (lambda terminal: terminal.process.terminate(), 143)],
    ids=["Ctrl-C", "SIGTERM"],
)
def test_however_it_ends_the_terminal_is_as_it_was_and_no_process_is_left(start, main_py, end, code):
    terminal = start()
    main_py.write_text(HANGS)
    terminal.shows("grading main.py … (1 s)")
    children = children_of(terminal.process.pid) if sys.platform == "linux" else set()
    end(terminal)
    assert terminal.ends() == code
    assert terminal.mode() == terminal.mode_before
    assert "Traceback" not in "\n".join(terminal.lines)
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell with job control")
def test_ctrl_z_gives_the_terminal_back_and_fg_goes_on(main_py, env):
    shell = ["bash", "--norc", "--noprofile", "--noediting", "-i"]
    with Terminal(shell, cwd=main_py.parent.parent, env={**env, "PS1": "$ "}) as terminal:
        terminal.press(" ".join(WATCH) + "\n")
        terminal.shows(IDLE)
        terminal.press("\x1a")
        terminal.shows("Stopped")
        assert terminal.mode()[3] == terminal.mode_before[3]
        terminal.press("fg\n")
        terminal.until(lambda: terminal.lines[-1] == IDLE, "the report again")
        terminal.press("r")
        terminal.shows("grading main.py")
        terminal.shows(IDLE)
        terminal.press("q")
        terminal.until(lambda: terminal.lines[-1] == "$", "the prompt")
        terminal.press("exit\n")
        assert terminal.ends() == 0


@pytest.mark.parametrize("narrow", [[], [("PYTHONIOENCODING", "cp1252"), ("PYTHONUTF8", "0")]], ids=["", "cp1252"])
def test_without_a_terminal_each_save_is_one_plain_report(main_py, env, narrow):
    process = subprocess.Popen(
        [*WATCH, ID],
        cwd=main_py.parent,
        env={**os.environ, **env, **dict(narrow)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    limit = threading.Timer(LIMIT_S, process.kill)
    limit.start()
    reports: list[str] = []
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            if line.startswith("○") or line.startswith("✗"):
                reports.append(line)
            assert "\x1b" not in line
            if line == "watching main.py: every save is graded, Ctrl-C ends it\n":
                if len(reports) == 2:
                    break
                main_py.write_text(QUICK)
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == ""
        assert process.stderr.read().count("Traceback") == 0
    limit.cancel()
    assert process.returncode == 143
    assert "to be continued" in reports[0]
    assert "not there yet" in reports[1]


def test_without_a_lesson_or_a_file_of_it_the_message_says_how_to_get_one(run_grade):
    done = run_grade("watch")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("grade: which lesson? name one")
    assert f"get one with: grade start {ID}" in run_grade("watch", ID).stderr
    assert run_grade("watch", "transformer-1").stderr.startswith("grade: transformer-1: no such lesson; did you mean")
