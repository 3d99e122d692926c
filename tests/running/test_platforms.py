"""Other platforms: only their facts are faked, all else is the real thing."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.errors import WorkerError
from grader.model import Submission
from grader.running import process
from grader.running.environment import environment
from grader.running.limits import Limits
from grader.running.process import PlainProcess, how_it_ended
from grader.running.program import WorkerProgram
from grader.running.scratch import Scratch

pytestmark = pytest.mark.skipif(os.name != "posix", reason="fakes the others on POSIX")

ROOT = Path(__file__).parents[2]
ID = "transformers-01"
PRINTING = "import numpy as np\n\nprint('π ≈ 3.14')\n\n\ndef attend(q, k, v):\n    return np.full(3, 'ü')\n"
# Runs `grade` where our modules see another platform and Python has nothing that Linux alone has.
SHIM = """
import importlib, os, sys
platform, *arguments = sys.argv[1:]
import filelock, psutil, tempfile  # they are written for the platform that they really run on

class Facts:
    def __init__(self, platform): self.platform = platform
    def __getattr__(self, name): return getattr(sys, name)

for name in ("running.runner", "running.compile_cache", "study.machine.facts"):
    importlib.import_module("grader." + name).sys = Facts(platform)
for name in ("fork", "forkpty", "pidfd_open", "sched_getaffinity", "ST_NOEXEC"):
    delattr(os, name)
for name in ("fcntl", "sandlock", "termios", "tty", *(["resource", "pwd", "grp"] if platform == "win32" else [])):
    sys.modules.pop(name, None)
    sys.modules[name] = None
sys.argv = ["grade", *arguments]
from grader.cli.app import main
main()
"""
NARROW = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(params=["darwin", "win32"])
def grade_elsewhere(request, tmp_path, cache) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs the command as on another platform, with the narrow streams of an old console."""

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        kept = {"HEADWORK_CACHE": str(cache), "HEADWORK_PROGRESS": str(tmp_path / "progress.toml")}
        env = {**os.environ, **NARROW, **kept, "NO_COLOR": "1"}
        command = [sys.executable, "-c", SHIM, request.param, *arguments]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, timeout=300)

    return run


def test_elsewhere_a_lesson_is_listed_started_and_graded_in_a_plain_process(grade_elsewhere, tmp_path, lesson):
    listed, started = grade_elsewhere("list"), grade_elsewhere("start", ID)
    assert (listed.returncode, listed.stderr) == (started.returncode, started.stderr) == (0, b"")
    assert ID in listed.stdout.decode("utf-8")
    main = tmp_path / ID / "main.py"
    main.write_bytes(lesson.solution.read_bytes().replace(b"\n", b"\r\n"))  # as an editor of Windows saves it
    graded = grade_elsewhere("lesson", ID)
    shown = graded.stdout.decode("utf-8")
    assert (graded.returncode, graded.stderr) == (0, b"")
    assert "all checks pass" in shown
    assert "sandbox none: a separate process with limits" in " ".join(shown.split())


def test_elsewhere_what_a_program_prints_in_any_script_is_shown(grade_elsewhere, tmp_path):
    (tmp_path / "work.py").write_text(PRINTING, encoding="utf-8")
    graded = grade_elsewhere("lesson", ID, "work.py", "--verbose")
    assert (graded.returncode, graded.stderr) == (1, b"")
    assert "π ≈ 3.14" in graded.stdout.decode("utf-8")


def test_elsewhere_a_required_sandbox_stops_the_grading(grade_elsewhere, lesson):
    graded = grade_elsewhere("lesson", ID, str(lesson.solution), "--require-sandbox")
    assert (graded.returncode, graded.stdout) == (3, b"")
    assert b"confinement needs Linux, this is " in graded.stderr


def test_elsewhere_the_doctor_finds_nothing_that_prevents_grading(grade_elsewhere):
    done = grade_elsewhere("doctor")
    shown = done.stdout.decode("utf-8")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "! student code runs in a process of its own with limits, and is not confined" in shown
    assert "! Python reads and prints cp1252 here" in shown
    assert "✓ a worker starts and answers (" in shown


@pytest.mark.parametrize(
    "lacking",
    ["import os; del os.fork", "import os; del os.pidfd_open", "import socket; socket.SOCK_SEQPACKET = 4711"],
    ids=["fork", "descriptors of processes", "sockets that keep messages apart"],
)
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux starts a warm worker")
def test_a_linux_that_lacks_what_the_warm_worker_needs_grades_in_a_plain_process(lacking, lesson, tmp_path):
    program = "import sys; from grader.running import runner; from grader.cli.app import main; " + lacking + "; main()"
    command = [sys.executable, "-c", program, "lesson", ID, str(lesson.solution)]
    graded = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert (graded.returncode, graded.stderr) == (0, "")
    assert "sandbox none: a separate process with limits" in " ".join(graded.stdout.split())


def worker_whose_python_starts_with(statements: str, folder: Path) -> Callable[[Limits], PlainProcess]:
    (folder / "sitecustomize.py").write_text(statements, encoding="utf-8")
    return lambda limits: PlainProcess(limits, {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"})


def test_a_worker_without_limits_of_resources_serves_all_the_same(tmp_path):
    open_worker = worker_whose_python_starts_with("import sys; sys.modules['resource'] = None\n", tmp_path)
    source = b"import sys\nx = 1.5 if sys.modules['resource'] is None else 0.0\n"
    with WorkerProgram(Submission("main.py", source, "0" * 64), open_worker=open_worker) as program:
        assert float(program.read("x").values[0]) == 1.5


def test_a_worker_whose_system_refuses_to_limit_its_addresses_serves_all_the_same(tmp_path):
    refusing = """
import resource
allowed = resource.setrlimit
def refuse_addresses(which, limits):
    if which == resource.RLIMIT_AS:
        raise ValueError("current limit exceeds maximum limit")
    allowed(which, limits)
resource.setrlimit = refuse_addresses
"""
    open_worker = worker_whose_python_starts_with(refusing, tmp_path)
    source = b"import resource\nx = float(resource.setrlimit.__name__ == 'refuse_addresses')\n"
    with WorkerProgram(Submission("main.py", source, "0" * 64), open_worker=open_worker) as program:
        assert float(program.read("x").values[0]) == 1.0


def test_closing_a_worker_on_windows_ends_what_it_started_too(tmp_path, monkeypatch):
    taskkill = tmp_path / "taskkill"
    taskkill.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\n', encoding="utf-8")
    taskkill.chmod(0o755)
    with WorkerProgram(Submission("main.py", b"import os\nx = os.getpid()\n", "0" * 64)) as program:
        pid = int(program.read("x").values[0])
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        monkeypatch.setattr(process, "os", SimpleNamespace(name="nt"))
    assert (tmp_path / "asked").read_text(encoding="utf-8") == f"/T /F /PID {pid}\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0xC0000005, "ended by an access to memory that is not its own (0xc0000005)"),
        (0xC00000FD, "ended by a recursion that filled the stack (0xc00000fd)"),
        (-9, "ended by SIGKILL"),
        (-250, "ended by signal 250"),
        (3, "ended with exit code 3"),
    ],
)
def test_the_end_of_a_process_is_said_in_words_on_every_platform(code, words):
    assert how_it_ended(code) == f"the process {'was ' if 'ended by' in words else ''}{words}"


def test_a_child_sees_what_its_system_needs_and_no_secret(tmp_path, monkeypatch):
    needed = {
        "SYSTEMROOT": r"C:\Windows",
        "SYSTEMDRIVE": "C:",
        "PROCESSOR_ARCHITECTURE": "AMD64",
        "PATHEXT": ".EXE",
        "LD_LIBRARY_PATH": "/opt/python/lib",
    }
    for name, value in {**needed, "API_TOKEN": "secret", "XLA_FLAGS": "--odd", "JAX_ENABLE_X64": "1"}.items():
        monkeypatch.setenv(name, value)
    seen = environment(tmp_path)
    assert {name: seen.get(name) for name in needed} == needed
    assert not {"API_TOKEN", "XLA_FLAGS", "JAX_ENABLE_X64"} & seen.keys()


def test_messages_name_no_folder_of_ours_where_the_temporary_one_is_a_link(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "link"))  # as /tmp is on macOS
    source = b"import os\n\nraise ValueError(os.path.abspath('data.csv'))\n"
    with WorkerProgram(Submission("main.py", source, "0" * 64)) as program:
        (event,) = program.events
    assert event.message == "ValueError: data.csv"


def test_a_temporary_folder_that_cannot_be_written_is_named_with_a_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(WorkerError, match=r"^the temporary folder cannot be written \(No such file .*TMPDIR"):
        Scratch(quota_mib=1)
