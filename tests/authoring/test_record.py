"""The recorded run: what the reference prints as a notebook, and that it is fresh."""

from __future__ import annotations

import shutil
from dataclasses import replace

from grader.authoring.record import recorded_body, stale_files


def test_the_recorded_run_is_what_the_reference_prints_as_a_notebook(lesson):
    recorded = (lesson.folder / "recorded.txt").read_text(encoding="utf-8")
    first, _, body = recorded.partition("\n\n")
    assert first.startswith("Recorded on ")
    assert body == recorded_body(lesson)


def test_a_recorded_run_of_something_else_is_stale(lesson, tmp_path):
    folder = tmp_path / lesson.id
    shutil.copytree(lesson.folder, folder)
    recorded = folder / "recorded.txt"
    recorded.write_text(recorded.read_text(encoding="utf-8").replace("2.6748", "2.6749"), encoding="utf-8")
    assert stale_files(replace(lesson, folder=folder)) == [
        f"recorded.txt: not what the reference prints now; run: grade record {lesson.id}"
    ]
