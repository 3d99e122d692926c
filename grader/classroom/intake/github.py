"""GitHub Classroom: a folder ``<assignment>-<login>`` per student, as ``gh classroom clone student-repos`` makes it."""

from __future__ import annotations

from collections.abc import Sequence

from grader.classroom.intake.attempts import Attempt, Sorted
from grader.classroom.intake.names import distinct, shared, without_zip
from grader.classroom.intake.tree import Folder, Found, newest
from grader.classroom.nouns import LeftOut

PARENT = "-submissions"  # of the clones; "<assignment>-submissions"


def attempts(root: Folder, *, lesson_id: str) -> Sorted | None:
    """The students of a GitHub Classroom; None when the folders are no repositories of one assignment.

    Without the folders' .git, only the lesson's id or the name of ``root`` tells that they are.
    """
    names = [without_zip(folder.name) for folder in root.folders]
    repositories = sum(folder.repository or _has_workflows(folder) for folder in root.folders)
    assignment, certain = _assignment(names, root=root, lesson_id=lesson_id)
    if not assignment or 2 * sum(name.startswith(f"{assignment}-") for name in names) < len(names):
        return None
    if not certain and 2 * repositories <= len(names):
        return None
    own = [folder for folder in root.folders if folder.name.startswith(f"{assignment}-")]
    mine = {folder.name for folder in own}
    others: list[Folder | Found] = [*(folder for folder in root.folders if folder.name not in mine), *root.files]
    left_out = [LeftOut(entry.path, f"no repository of {assignment} (its name begins otherwise)") for entry in others]
    doubt = () if certain else (f"the login is what follows {assignment}-, with which every folder begins",)
    logins = [without_zip(folder.name)[len(assignment) + 1 :] for folder in own]
    made = [
        Attempt(
            student=key,
            name=login,
            place=folder.path,
            files=tuple(folder.every()),
            received_at=newest([file for _, file in folder.every()]),
            identity={"login": login},
            notes=(*notes, *doubt),
        )
        for folder, login, (key, notes) in zip(own, logins, distinct(logins), strict=True)
    ]
    return Sorted(f"GitHub Classroom, assignment {assignment}", tuple(made), tuple(left_out))


def _has_workflows(folder: Folder) -> bool:
    return any(child.name == ".github" for child in folder.folders)


def _assignment(names: Sequence[str], *, root: Folder, lesson_id: str) -> tuple[str, bool]:
    """The assignment that the folders' names begin with, and whether more than the names says so."""
    for known in (root.name.removesuffix(PARENT) if root.name.endswith(PARENT) else "", lesson_id):
        if known and names and all(name.startswith(f"{known}-") for name in names):
            return known, True
    for known in (root.name.removesuffix(PARENT) if root.name.endswith(PARENT) else "", lesson_id):
        if known and 2 * sum(name.startswith(f"{known}-") for name in names) >= max(len(names), 1):
            return known, True
    if len(names) < 2:
        return "", False
    return shared(names, separator="-"), False
