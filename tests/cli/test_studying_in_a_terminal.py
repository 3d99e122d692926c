"""Reading and walking in a real terminal: pages, and keys without Enter."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

pexpect = pytest.importorskip("pexpect")
if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)


@pytest.fixture
def terminal(tmp_path: Path):
    """Starts ``grade`` in a terminal of 100 columns."""
    environment = {**os.environ, "HEADWORK_PROGRESS": str(tmp_path / "progress.toml"), "TERM": "xterm", "NO_COLOR": "1"}
    for name in ("PAGER", "MANPAGER", "LESS"):
        environment.pop(name, None)

    def start(*args: str):
        return pexpect.spawn(
            sys.executable,
            ["-m", "grader.cli.app", *args],
            cwd=str(tmp_path),
            env=environment,
            dimensions=(30, 100),
            encoding="utf-8",
            timeout=60,
        )

    return start


def test_a_walk_waits_after_each_step_and_goes_back(terminal):
    child = terminal("walk", "1")
    for key, step in [("", "1/"), ("\r", "2/"), ("n", "3/"), ("b", "2/")]:
        child.send(key)
        child.expect(f"{step}\\d+ · ")
        child.expect("q quit")
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_ctrl_c_ends_a_walk(terminal):
    child = terminal("walk", "1")
    child.expect("q quit")
    child.send("\x03")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus in (0, 130)


@pytest.mark.skipif(shutil.which("less") is None, reason="no less here")
def test_a_lesson_is_paged_and_q_ends_it(terminal):
    child = terminal("read", "1")
    child.expect("Attention from small pieces")
    child.expect(":")
    child.send("G")
    child.expect("References")
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
