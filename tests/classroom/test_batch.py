"""A batch: everybody is graded once, and nobody's fault is another's."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.classroom.batch import Course, Step, run_batch
from grader.classroom.gradebook import Gradebook
from grader.classroom.grading_process import Setup
from grader.classroom.intake import take_in
from grader.classroom.jobs import content_digest, pack, unpack
from grader.classroom.nouns import Received
from grader.classroom.pool import ProcessPool
from grader.classroom.workplace import Workplace
from grader.errors import UsageError, WorkerError
from grader.model import Lesson, Submission, Verdict
from grader.submission import read_submission

SEED = 11
HANGS = "while True:\n    pass\n"


def never() -> bool:
    return False


@pytest.fixture(scope="module")
def pool(lesson: Lesson, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessPool]:
    """Two processes that stay warm for all tests of this file."""
    setup = Setup(lesson.id, lesson.digest, SEED, strict=True)
    with ProcessPool(setup, 2, deadline_s=120.0, temporary=tmp_path_factory.mktemp("pool")) as pool:
        yield pool


class Class:
    """A folder of submissions and a gradebook for them."""

    def __init__(self, folder: Path, lesson: Lesson) -> None:
        self.folder, self.course = folder / "class", Course(lesson, SEED, "class")
        self.folder.mkdir()
        self._workspaces = iter(range(100))
        self.gradebook = Gradebook.open(folder / "gradebook.sqlite")

    def hand_in(self, student: str, source: str, *, name: str = "main.py") -> None:
        (self.folder / student).mkdir(exist_ok=True)
        (self.folder / student / name).write_text(source, encoding="utf-8")

    def received(self) -> list[Received]:
        workspace = self.folder.with_name(f"workspace{next(self._workspaces)}")
        workspace.mkdir()
        return list(take_in(self.folder, workspace=workspace, lesson_id=self.course.lesson.id).received)

    def run(self, pool: ProcessPool, *, regrade: bool = False, stopped: Callable[[], bool] = never) -> list[Step]:
        course = replace(self.course, regrade=regrade)
        return sorted(
            run_batch(self.received(), course, gradebook=self.gradebook, pool=pool, stopped=stopped),
            key=lambda step: step.student,
        )

    def scores(self) -> dict[str, int | None]:
        return {one.student: one.score for one in self.gradebook.latest()}


@pytest.fixture
def class_(tmp_path: Path, lesson: Lesson) -> Iterator[Class]:
    made = Class(tmp_path, lesson)
    with made.gradebook:
        yield made


def test_everybody_is_graded_and_the_same_command_again_grades_nobody(class_, pool, lesson, solution):
    class_.hand_in("s001", solution)
    class_.hand_in("s002", lesson.scaffold.read_text(encoding="utf-8"))
    class_.hand_in("s003", "def attend(\n")
    verdicts = [step.verdict for step in class_.run(pool)]
    assert verdicts == [Verdict.PASS, Verdict.TODO, Verdict.ERROR]
    assert [step.verdict for step in class_.run(pool)] == [None, None, None]
    assert len(list(class_.gradebook.attempts())) == 3


def test_an_edit_to_one_file_grades_one(class_, pool, solution, lesson):
    class_.hand_in("s001", solution)
    class_.hand_in("s002", solution)
    class_.run(pool)
    class_.hand_in("s002", lesson.scaffold.read_text(encoding="utf-8"))
    assert [(step.student, step.verdict) for step in class_.run(pool)] == [("s001", None), ("s002", Verdict.TODO)]
    assert class_.scores()["s001"] == lesson.max_score
    assert class_.scores()["s002"] == 0


def test_regrading_appends_and_gives_the_same_score(class_, pool, solution, lesson):
    class_.hand_in("s001", solution)
    class_.run(pool)
    assert [step.verdict for step in class_.run(pool, regrade=True)] == [Verdict.PASS]
    assert [one.score for one in class_.gradebook.attempts("s001")] == [lesson.max_score] * 2


def test_the_report_knows_the_path_in_the_source_and_no_path_of_this_machine(class_, pool, solution, tmp_path):
    class_.hand_in("s001", solution + "\nprint(__file__)\nraise ValueError(__file__)\n")
    class_.run(pool)
    (graded,) = class_.gradebook.latest()
    assert graded.report["submission"]["path"] == "s001/main.py"
    assert str(tmp_path) not in json.dumps(graded.report)


def test_a_file_that_cannot_be_read_is_its_students_report_alone(class_, pool, solution, lesson):
    class_.hand_in("s001", '{"cells": [', name="main.ipynb")
    class_.hand_in("s002", solution)
    first, second = class_.run(pool)
    assert (first.verdict, first.problem, second.verdict) == (Verdict.ERROR, "", Verdict.PASS)
    assert class_.scores() == {"s001": 0, "s002": lesson.max_score}
    graded = next(class_.gradebook.latest())
    assert "notebook" in graded.report["events"][0]["message"]


def test_a_fault_of_ours_while_reading_costs_nobody_points_and_is_tried_again(class_, pool, lesson, solution):
    def breaks() -> Submission:
        raise RuntimeError("ours")

    class_.hand_in("s001", solution)
    (whole,) = class_.received()
    for read, verdict in ((breaks, Verdict.INTERNAL), (whole.read, Verdict.PASS)):
        one = [replace(whole, read=read)]
        (step,) = run_batch(one, class_.course, gradebook=class_.gradebook, pool=pool, stopped=never)
        assert step.verdict is verdict
    assert [one.score for one in class_.gradebook.attempts("s001")] == [None, lesson.max_score]


def test_processes_that_die_are_replaced_and_their_submissions_graded_once(class_, pool, solution, lesson):
    for number in range(6):
        class_.hand_in(f"s{number:03}", f"{solution}\n# {number}\n")
    received = class_.received()
    killed = []

    def kills(read: Callable[[], Submission]) -> Callable[[], Submission]:
        def reading() -> Submission:
            for process in multiprocessing.active_children():
                process.kill()
                killed.append(process.pid)
            return read()

        return reading

    received[4] = replace(received[4], read=kills(received[4].read))
    steps = list(run_batch(received, class_.course, gradebook=class_.gradebook, pool=pool, stopped=never))
    assert killed
    assert [step.verdict for step in steps] == [Verdict.PASS] * 6
    assert [one.score for one in class_.gradebook.attempts()] == [lesson.max_score] * 6


def test_what_takes_too_long_twice_is_put_aside_without_a_score(class_, lesson, solution, tmp_path):
    class_.hand_in("s001", HANGS)
    class_.hand_in("s002", solution)
    impatient = ProcessPool(Setup(lesson.id, lesson.digest, SEED, True), 2, deadline_s=6.0, temporary=tmp_path)
    with impatient:
        first, second = class_.run(impatient)
    assert (first.verdict, second.verdict) == (Verdict.INTERNAL, Verdict.PASS)
    assert first.problem == "the grading process did not answer within 6 s, 2 times"
    assert class_.scores() == {"s001": None, "s002": lesson.max_score}


def test_a_stop_keeps_what_is_graded_and_the_next_run_does_the_rest(class_, pool, solution):
    for number in range(5):
        class_.hand_in(f"s{number:03}", f"{solution}\n# {number}\n")
    done = class_.run(pool, stopped=lambda: len(class_.scores()) >= 2)
    assert 2 <= len(done) < 5
    rest = class_.run(pool)
    assert [step.student for step in rest if step.verdict is None] == [step.student for step in done]
    assert len(list(class_.gradebook.attempts())) == 5


def test_nothing_is_graded_with_another_state_of_the_lesson(class_, lesson, solution, tmp_path):
    class_.hand_in("s001", solution)
    with (
        ProcessPool(Setup(lesson.id, "0" * 16, SEED, True), 1, deadline_s=60.0, temporary=tmp_path) as other,
        pytest.raises(WorkerError, match="install the same on both"),
    ):
        class_.run(other)
    assert class_.scores() == {}


def test_a_submission_with_a_slow_library_is_graded_among_those_without(class_, pool, solution):
    class_.hand_in("s001", solution)
    class_.hand_in("s002", f"import matplotlib.pyplot as plt\n{solution}")
    class_.hand_in("s003", f"{solution}\n# another\n")
    assert [step.verdict for step in class_.run(pool)] == [Verdict.PASS] * 3


def test_a_module_beside_the_file_is_part_of_the_submission(tmp_path):
    (tmp_path / "main.py").write_text("import helper\n", encoding="utf-8")
    alone = content_digest(read_submission(tmp_path))
    (tmp_path / "helper.py").write_text("x = 1\n", encoding="utf-8")
    one = content_digest(read_submission(tmp_path))
    (tmp_path / "helper.py").write_text("x = 2\n", encoding="utf-8")
    assert len({alone, one, content_digest(read_submission(tmp_path))}) == 3


def test_neighbours_travel_without_links_and_hidden_files(tmp_path):
    there, here = tmp_path / "there", tmp_path / "here"
    (there / "data").mkdir(parents=True)
    (there / "data" / "größe.txt").write_text("1", encoding="utf-8")
    (there / ".secret").write_text("2", encoding="utf-8")
    (there / "link").symlink_to("/etc/hostname")
    assert unpack(pack(there), here) == here
    assert [path.relative_to(here).as_posix() for path in here.rglob("*") if path.is_file()] == ["data/größe.txt"]
    assert unpack(pack(None), here) is None


def test_two_runs_in_one_folder_do_not_meet(tmp_path):
    with Workplace(tmp_path), pytest.raises(UsageError, match="another grade batch works in it"):
        Workplace(tmp_path).__enter__()
    with Workplace(tmp_path):
        pass


def test_what_a_killed_run_left_behind_is_removed_by_the_next(tmp_path):
    with Workplace(tmp_path) as first:
        left = first.temporary
    left.mkdir()
    (tmp_path / ".running").write_text(str(left), encoding="utf-8")
    with Workplace(tmp_path) as second:
        assert not left.exists()
        assert second.temporary.exists()
    assert not second.temporary.exists()


def test_only_folders_of_our_own_are_removed(tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / ".running").write_text(str(tmp_path / "precious"), encoding="utf-8")
    with Workplace(tmp_path):
        assert (tmp_path / "precious").exists()
