"""What the hostile tests share: secrets laid out to be stolen, submissions made of attacks, and what must stay clean."""

from __future__ import annotations

import io
import json
import os
import re
import secrets
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.console import Console

import grader
from grader.grading import grade
from grader.model import Lesson, Report, Verdict
from grader.preparing import compiled
from grader.reporting.report import SCHEMA, to_dict, to_json
from grader.reporting.text import print_report
from grader.running.limits import Limits
from grader.running.runner import Runner
from grader.submission import read_submission

ATTACKS = Path(__file__).parent / "attacks"
LIMITS = Limits(run_s=3, call_s=2, total_s=15, memory_mib=2048, disk_mib=8, cpu_s=20)
SEED = 314159265
GRADING_ENDS_WITHIN_S = 120  # generous: only a grader that hangs takes as long

# `attempt` calls what must be refused; `kernel` calls the kernel by number: any other refusal than
# "not permitted" and "not implemented" means that the call got through to it.
PRELUDE = """
def attempt(action, *args):
    try:
        got = action(*args)
    except BaseException as error:
        print("refused:", type(error).__name__)
    else:
        print("BREACH:", getattr(action, "__name__", action), [str(arg)[:80] for arg in args], repr(got)[:80])
def kernel(number, *args):
    import ctypes, errno
    libc = ctypes.CDLL(None, use_errno=True)
    got = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(arg) for arg in args))
    if got >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
        print("BREACH: system call", number, args, got, errno.errorcode.get(ctypes.get_errno()))
"""


@dataclass(frozen=True)
class Place:
    """A runner, and what lies around it to be stolen."""

    root: Path
    lesson: Lesson
    runner: Runner
    canary: str
    secrets: Mapping[str, Path]

    def submission(self, name: str, source: str) -> Path:
        """A folder with ``source`` as main.py among neighbours, some of which lead out of it."""
        folder = self.root / "submissions" / name
        (folder / "inner").mkdir(parents=True, exist_ok=True)
        (folder / "main.py").write_text(source, encoding="utf-8")
        (folder / "data.txt").write_text("mine", encoding="utf-8")
        secret = self.secrets["CANARY"]
        for link, target in (("link.txt", secret), ("inner/link.txt", secret), ("folder_link", secret.parent)):
            if not (folder / link).is_symlink():
                (folder / link).symlink_to(target)
        if not (folder / "pipe").exists():
            os.mkfifo(folder / "pipe")
            (folder / "loop").symlink_to("loop")
        return folder

    def grade(self, name: str, source: str, limits: Limits = LIMITS) -> Report:
        """Grade ``source``; a grader that hangs fails the test and stops no other."""
        submission, found = read_submission(self.submission(name, source)), []

        def run() -> None:
            try:
                found.append(grade(self.lesson, submission, seed=SEED, limits=limits, open_worker=self.runner.open))
            except BaseException as error:  # handed over to the test
                found.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(GRADING_ENDS_WITHIN_S)
        if thread.is_alive():
            for pid in self.processes():
                os.kill(pid, signal.SIGKILL)
            thread.join(60)
            pytest.fail("the grader hung")
        if isinstance(found[0], BaseException):
            raise found[0]
        return found[0]

    def processes(self) -> set[int]:
        """All processes that the runner started and that are alive, wherever they went."""
        mine, found = f"HOME={self.root}".encode(), set()
        for pid in (int(entry) for entry in os.listdir("/proc") if entry.isdigit()):
            try:
                environment = Path(f"/proc/{pid}/environ").read_bytes()
                status = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if status[0] != "Z" and pid != os.getpid() and mine in environment:
                found.add(pid)
        return found

    def scratch_folders(self) -> set[str]:
        return {path.name for path in (self.root / "temp").glob("headwork-*")}

    def traces(self) -> set[str]:
        """What a grading could leave behind: processes, folders, and the grader's own descriptors and threads."""
        return {
            *(f"process {pid}" for pid in self.processes()),
            *(f"folder {name}" for name in self.scratch_folders()),
            *(f"descriptor {number + 1}" for number in range(len(os.listdir("/proc/self/fd")))),
            *(f"thread {number + 1}" for number in range(threading.active_count())),
        }

    def left_behind(self, before: set[str]) -> set[str]:
        """Traces beyond those of before, once they had time to go."""
        until = time.monotonic() + 10
        while (left := self.traces() - before) and time.monotonic() < until:
            time.sleep(0.05)
        return left


@contextmanager
def place(root: Path, lesson: Lesson) -> Iterator[Place]:
    """A strict runner whose surroundings hold canaries; skips the test where the system cannot confine."""
    compiled_programs = compiled(lesson)
    canary = f"canary-{secrets.token_hex(8)}"
    # A lesson with its secrets, somebody else's submission, a gradebook, a home.
    files = {
        "CANARY": root / "lessons" / lesson.id / "canary.txt",
        "OTHER_SUBMISSION": root / "submissions" / "s0000" / "main.py",
        "GRADEBOOK": root / "gradebook" / "gradebook.db",
        "HOME_FILE": root / "home" / "notes.txt",
    }
    for file in files.values():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {canary}\n", encoding="utf-8")
    (root / "temp").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(root / "home"))
        patch.setenv("TMPDIR", str(root / "temp"))
        patch.setenv("HEADWORK_CANARY_SECRET", canary)
        patch.setattr(tempfile, "tempdir", None)
        with Runner([compiled_programs] if compiled_programs else [], strict=True) as runner:
            weakness = runner.server.weakness() if runner.server is not None else "no Linux"
            if weakness:
                pytest.skip(f"this system cannot confine: {weakness}")
            ours = {
                "SOLUTION": lesson.solution,
                "CHECKS": lesson.folder / "checks.py",
                "ORACLE": Path(grader.__file__).parent / "oracle" / "attention.py",
                "TEMP": root / "temp",
                "CACHE": compiled_programs or root / "none",
            }
            yield Place(root, lesson, runner, canary, {**files, **ours})
    # What a failed test left may be too deep for shutil, with which pytest tidies up.
    subprocess.run(["rm", "-rf", root / "temp"], check=False)


def composed(attack: str, solution: str, known: Mapping[str, Path]) -> str:
    """The attack and the right solution as one file, in the order that the attack asks for."""
    for name, path in known.items():
        attack = attack.replace(f"{{{name}}}", str(path))
    attack = attack.replace("{SEED_BACKWARDS}", str(SEED)[::-1])
    attack = attack.replace("{NESTED}", "-" * 100_000 + "1").replace("{SUM}", "+".join("1" * 2000))
    where = header(attack, "place") or "before"
    parts = {"before": (PRELUDE, attack, solution), "after": (solution, PRELUDE, attack), "alone": (PRELUDE, attack)}
    return "\n".join(parts[where])


def header(attack: str, name: str) -> str:
    """What the comment ``# name: …`` of an attack says."""
    found = re.search(rf"^# {name}: (.*)$", attack, re.MULTILINE)
    return found[1].strip() if found else ""


def texts(value: Any) -> Iterator[str]:
    """All strings in plain data."""
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(part)


def problems_of(report: Report, lesson: Lesson, canary: str) -> list[str]:
    """What is wrong with ``report`` as a report, whatever was graded."""
    found, text = [], to_json(report)
    jsonschema.validate(json.loads(text), json.loads(SCHEMA.read_text(encoding="utf-8")))
    shown = Console(file=io.StringIO(), width=200)
    print_report(report, lesson, shown, command="grade", verbose=True)
    for where in (text, shown.file.getvalue()):
        found += re.findall(r"BREACH.*", where)[:5]
        found += ["a canary in the report"] * (canary in where)
    if len(text) > 1 << 21:
        found.append(f"a report of {len(text)} characters")
    if odd := {c for one in texts(to_dict(report)) for c in one if c not in "\n\t" and not c.isprintable()}:
        found.append(f"characters for the terminal: {odd}")
    if [one.check for one in report.outcomes] != [check.name for check in lesson.checks]:
        found.append("checks that disappeared")
    found += [f"internal: {one.message}" for one in report.outcomes if one.verdict is Verdict.INTERNAL]
    if (report.verdict is Verdict.PASS) != (report.score == report.max_score):
        found.append(f"{report.verdict} with {report.score} of {report.max_score} points")
    return found


def peak_mib(*, start_again: bool = False) -> float:
    """The most memory that this process has held since it was last asked to start again."""
    if start_again:
        Path("/proc/self/clear_refs").write_text("5")
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def without_durations(report: Report) -> Report:
    """The report without what differs between two gradings of the same file."""
    outcomes = tuple(replace(one, duration_s=0.0) for one in report.outcomes)
    return replace(report, outcomes=outcomes, path="", sha256="")
