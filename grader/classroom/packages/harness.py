"""What Gradescope's run_autograder does: one submission in, results.json out."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.classroom.exports.gradescope import written
from grader.classroom.intake.choose import choose
from grader.classroom.intake.source import open_source
from grader.classroom.intake.staging import Plan, read_staged
from grader.classroom.nouns import Graded
from grader.errors import GraderError, UsageError
from grader.grading import grade, new_seed, report_without_run
from grader.lesson import load_lesson
from grader.model import Lesson, Report, Submission, Verdict
from grader.preparing import compiled, modules_used
from grader.reporting.report import to_dict
from grader.running.runner import Runner

GRADER_FAILED = 3
HANDED_IN = "your submission"
METADATA_LIMIT = 4 * 1024 * 1024


def main() -> int:
    """Grade ROOT/submission into ROOT/results/results.json. Exit 0: it is there; 3: the grader failed, and it is not.

    Without results.json Gradescope gives no points and tells the student to ask the staff: a fault of the grader or
    of the container never becomes a zero.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lesson", required=True)
    parser.add_argument("--root", type=Path, default=Path("/autograder"))
    parser.add_argument("--prepare", action="store_true", help="only make the machine ready")
    parser.add_argument("--allow-weak-sandbox", action="store_true")
    options = parser.parse_args()
    try:
        lesson = load_lesson(options.lesson)
        if options.prepare:
            compiled(lesson)
            return 0
        report = examined(lesson, options.root / "submission", strict=not options.allow_weak_sandbox)
        graded = with_metadata(report, read_metadata(options.root / "submission_metadata.json"))
        if graded.score is None:
            raise GraderError("a check failed on its own; run it again, and report the file if that repeats")
        target = options.root / "results" / "results.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(written(graded))
    except GraderError as error:
        print(f"the grader failed, no results were written: {error}", file=sys.stderr)
        return GRADER_FAILED
    print(f"{graded.score} of {graded.max_score} points, seed {report.seed}, sandbox: {report.sandbox}")
    return 0


def examined(lesson: Lesson, folder: Path, *, strict: bool) -> Report:
    """The report of what was handed in; a file that cannot be read has one too.

    Raises WorkerError where student code cannot be confined and ``strict`` says that it must be.
    """
    seed = new_seed()
    with tempfile.TemporaryDirectory(prefix="headwork-") as workspace:
        try:
            submission = find_submission(folder, workspace=Path(workspace), lesson_id=lesson.id)
        except UsageError as error:
            message = str(error).replace(f"{folder}/", "").replace(f"{folder}", HANDED_IN)
            return report_without_run(lesson, Verdict.ERROR, message, path="main.py", sha256="0" * 64, seed=seed)
        cache = compiled(lesson)
        with Runner([cache] if cache else [], modules_used(submission.source), strict=strict) as runner:
            return grade(lesson, submission, seed=seed, open_worker=runner.open)


def find_submission(folder: Path, *, workspace: Path, lesson_id: str) -> Submission:
    """What was handed in, chosen by the rules that a batch follows. Raises UsageError when nothing can be."""
    root, _ = open_source(folder, workspace=workspace)
    files = tuple(root.every())
    choice = choose(files, lesson_id=lesson_id)
    shown = "/".join(choice.main[0]) if choice.main else HANDED_IN
    plan = Plan(workspace / "staged", shown, choice.main, choice.reason, files, choice.notes)
    return read_staged(plan)


def read_metadata(path: Path) -> Mapping[str, Any]:
    """submission_metadata.json, or nothing when it is not there or not what it should be."""
    try:
        with path.open("rb") as stream:
            found = json.loads(stream.read(METADATA_LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def with_metadata(report: Report, metadata: Mapping[str, Any]) -> Graded:
    """The grading with what Gradescope's ``metadata`` says about who handed it in and when."""
    users, assignment = metadata.get("users"), metadata.get("assignment")
    user = users[0] if isinstance(users, list) and users and isinstance(users[0], dict) else {}
    received_at = _time(metadata.get("created_at"))
    due = _time(user.get("assignment", {}).get("due_date") if isinstance(user.get("assignment"), dict) else None)
    due = due or _time(assignment.get("due_date") if isinstance(assignment, dict) else None)
    return Graded(
        student=str(user.get("id", "")),
        name=str(user.get("name", "")),
        file=report.path,
        sha256=report.sha256,
        received_at=received_at,
        late=received_at is not None and due is not None and received_at > due,
        attempt=1,
        identity={"submission id": str(metadata.get("id", "")), "email": str(user.get("email", ""))},
        graded_at=datetime.datetime.now(datetime.UTC),
        report=to_dict(report),
        score=report.score,
        max_score=report.max_score,
    )


def _time(text: object) -> datetime.datetime | None:
    try:
        at = datetime.datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=datetime.UTC)


if __name__ == "__main__":
    sys.exit(main())
