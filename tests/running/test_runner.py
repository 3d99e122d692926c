"""Choosing the sandbox: confined where the kernel can, plain and said so where it cannot, refused when strict."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.errors import WorkerError
from grader.grading import grade
from grader.lesson import lesson_digest
from grader.model import Lesson, Submission, Verdict
from grader.preparing import compiled, compiled_already
from grader.running import compile_cache
from grader.running.program import WorkerProgram
from grader.running.runner import Runner
from grader.submission import read_submission

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="confinement needs Linux")

# Runs a command on a kernel that answers ENOSYS to the three calls of Landlock, as old ones do.
WITHOUT_LANDLOCK = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
refuse = [(0x15, 0, 1, number) for number in (444, 445, 446)]
program = [(0x20, 0, 0, 0)] + [step for jump in refuse for step in (jump, (0x06, 0, 0, 0x00050000 | 38))]
program += [(0x06, 0, 0, 0x7FFF0000)]
raw = b"".join(struct.pack("=HBBI", *step) for step in program)
class Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Program(len(program), raw)), 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture
def confined() -> Runner:
    with Runner(strict=True) as runner:
        if runner.server is None or runner.server.weakness():
            pytest.skip("this kernel cannot confine a child")
        yield runner


def grade_without_landlock(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_LANDLOCK, sys.executable, "-m", "grader.cli.app", *arguments]
    env = {**os.environ, "HOME": str(tmp_path), "NO_COLOR": "1"}
    return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)


def program(source: str) -> Submission:
    return Submission("main.py", source.encode(), "0" * 64)


def test_without_landlock_a_lesson_is_graded_in_a_plain_process_and_the_report_says_so(tmp_path, lesson):
    ran = grade_without_landlock(tmp_path, "lesson", lesson.id, str(lesson.solution))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "sandbox none: a separate process with limits" in " ".join(ran.stdout.split())


def test_without_landlock_a_required_sandbox_stops_the_grading_and_names_the_remedy(tmp_path, lesson):
    ran = grade_without_landlock(tmp_path, "lesson", lesson.id, str(lesson.solution), "--require-sandbox")
    assert ran.returncode == 3
    assert "Landlock" in ran.stderr
    assert "grade doctor" in ran.stderr
    assert "--allow-weak-sandbox" in ran.stderr


def test_the_doctor_names_the_missing_protection_and_a_remedy(tmp_path):
    ran = grade_without_landlock(tmp_path, "doctor")
    assert ran.returncode == 1
    assert "Landlock version" in ran.stdout
    assert "landlock_create_ruleset" in ran.stdout


def test_a_confined_grading_gives_what_a_plain_one_gives(confined: Runner, lesson: Lesson):
    submission = read_submission(lesson.solution)
    inside = grade(lesson, submission, seed=5, open_worker=confined.open)
    plain = grade(lesson, submission, seed=5)
    assert inside.sandbox == "Landlock and seccomp"
    assert inside.verdict is plain.verdict is Verdict.PASS
    assert [(o.check, o.verdict, o.points) for o in inside.outcomes] == [
        (o.check, o.verdict, o.points) for o in plain.outcomes
    ]
    assert inside.stdout == plain.stdout


def test_a_killed_worker_is_replaced_for_the_next_submission(confined: Runner):
    with WorkerProgram(program("x = 1.5\n"), open_worker=confined.open) as student:
        assert student.read("x").kind == "values"
    assert confined.server is not None
    assert confined.server.process is not None
    confined.server.process.kill()
    with pytest.raises(WorkerError), WorkerProgram(program("x = 1.5\n"), open_worker=confined.open):
        pass
    with WorkerProgram(program("x = 2.5\n"), open_worker=confined.open) as student:
        assert float(student.read("x").values[0]) == 2.5


def test_compiled_programs_are_kept_sealed_and_used(tmp_path, monkeypatch, lesson):
    monkeypatch.setenv("HEADWORK_CACHE", str(tmp_path))
    assert compiled_already(lesson.folder) is None
    folder = compiled(lesson)
    assert (
        folder
        == compiled_already(lesson.folder)
        == compile_cache.lesson_folder(lesson.id, lesson_digest(lesson.folder))
    )
    assert folder is not None
    sound = dict(compile_cache.entries(folder))
    assert len(sound) > 50
    assert not any("attend" in name for name in sound), "programs that show how the reference is written"
    spoilt = sorted(path for path in folder.iterdir() if path.name.endswith(compile_cache.SUFFIX))[0]
    spoilt.write_bytes(b"something else")
    assert len(dict(compile_cache.entries(folder))) == len(sound) - 1
    folder.chmod(0o777)
    assert dict(compile_cache.entries(folder)) == {}, "a folder that others may write is not trusted"


def test_of_two_graders_that_fill_the_cache_at_once_one_result_stays(tmp_path, monkeypatch, lesson):
    monkeypatch.setenv("HEADWORK_CACHE", str(tmp_path))
    first, second = compile_cache.new_folder(), compile_cache.new_folder()
    target = compile_cache.lesson_folder("a-lesson", "0")
    for folder, content in ((first, b"first"), (second, b"second")):
        (folder / f"jit_add-0{compile_cache.SUFFIX}").write_bytes(content)
    compile_cache.publish(first, target)
    compile_cache.publish(second, target)
    assert [content for _, content in compile_cache.entries(target)] == [b"first"]
    assert not second.exists()


def test_a_cache_folder_that_cannot_be_made_costs_only_time(tmp_path, monkeypatch, lesson):
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv("HEADWORK_CACHE", str(blocked))
    assert compiled(lesson) is None
