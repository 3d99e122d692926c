"""Which lesson is meant, and where its files lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.lesson import lesson_ids
from grader.study.progress.nouns import LessonProgress, Progress
from grader.study.workspace.places import current_lesson, lesson_id_of, place_of, target_folder

ID, OTHER = "transformers-01", "transformers-02"
NOTHING = Progress()


def begun(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.py").write_text("x = 1\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("typed", ["1", "01", "001", ID])
def test_a_lesson_is_meant_by_its_id_or_its_number(typed):
    assert lesson_id_of(typed) == ID


@pytest.mark.parametrize("typed", ["0", "99", "11111", "transformers", "-1", "", "1.0"])
def test_anything_else_is_unknown(typed):
    with pytest.raises(UsageError, match="no such lesson"):
        lesson_id_of(typed)


def test_the_folder_names_the_lesson_before_progress_does(tmp_path):
    progress = Progress({OTHER: LessonProgress(folder="/elsewhere", last_at="2026-01-01T00:00:00Z")})
    assert current_lesson(progress, here=tmp_path / ID) == ID
    assert current_lesson(progress, here=tmp_path) == (OTHER if OTHER in lesson_ids() else None)


def test_the_last_one_worked_on_counts_and_a_removed_lesson_does_not(tmp_path):
    progress = Progress(
        {
            ID: LessonProgress(last_at="2026-01-01T00:00:00Z"),
            "gone-07": LessonProgress(last_at="2026-02-01T00:00:00Z"),
        }
    )
    assert current_lesson(progress, here=tmp_path) == ID


def test_without_progress_the_only_lesson_begun_here_is_meant(tmp_path):
    assert current_lesson(NOTHING, here=tmp_path) is None
    begun(tmp_path / ID)
    assert current_lesson(NOTHING, here=tmp_path) == ID


def test_no_lesson_at_all_asks_for_one(tmp_path):
    with pytest.raises(UsageError, match="which lesson"):
        place_of(None, NOTHING, here=tmp_path)


def test_files_are_found_inside_below_and_where_progress_knows_them(tmp_path):
    inside, kept = begun(tmp_path / "a" / ID), begun(tmp_path / "renamed by its owner")
    progress = Progress({ID: LessonProgress(folder=str(kept))})
    for here, folder in [(inside, inside), (tmp_path / "a", inside), (tmp_path, kept)]:
        place = place_of(ID, progress, here=here)
        assert (place.lesson_id, place.folder, place.main) == (ID, folder, folder / "main.py")


def test_a_folder_that_is_gone_is_no_place(tmp_path):
    progress = Progress({ID: LessonProgress(folder=str(tmp_path / "gone"))})
    place = place_of(ID, progress, here=tmp_path)
    assert place.folder is None
    with pytest.raises(UsageError, match=f"grade start {ID}"):
        _ = place.main


def test_a_lesson_is_laid_out_below_except_in_its_own_folder(tmp_path):
    assert target_folder(ID, here=tmp_path) == tmp_path / ID
    assert target_folder(ID, here=tmp_path / ID) == tmp_path / ID
