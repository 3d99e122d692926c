"""Reading lesson folders: data from lesson.toml, computing parts from the Python files beside it."""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from grader.errors import LessonError, UsageError
from grader.model import Check, Exercise, Family, Lesson, Misconception, Signature

T = TypeVar("T")

PACKAGE = Path(__file__).parent

# The Python files of a lesson that decide about a grading; the others only tell and show.
DECIDING = ("checks.py", "misconceptions.py")

# Allowed keys of lesson.toml, by table, with their types.
LESSON_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "id": str,
    "title": str,
    "phase": str,
    "minutes": int,
    "summary": str,
    "goals": list,
    "requires": list,
    "next_idea": str,
    "functions": dict,
    "exercises": list,
    "misconceptions": dict,
    "equivalent_mutants": dict,
}
FUNCTION_KEYS: Mapping[str, type] = {"takes": list, "gives": list}
EXERCISE_KEYS: Mapping[str, type] = {"name": str, "title": str, "names": list}
MISCONCEPTION_KEYS: Mapping[str, type] = {"title": str, "hints": list}


def content_root() -> Path:
    """The folder with lessons/, scaffolds/ and solutions/: inside the wheel, else the checkout."""
    inside = PACKAGE / "content"
    return inside if inside.is_dir() else PACKAGE.parent


def lesson_ids(root: Path | None = None) -> list[str]:
    """Ids of all lessons, in order."""
    folder = (root or content_root()) / "lessons"
    return sorted(path.parent.name for path in folder.glob("*/lesson.toml"))


def find_lesson(lesson_id: str, root: Path | None = None) -> Path:
    """The folder of a lesson, or UsageError with what it could have meant."""
    known = lesson_ids(root)
    if lesson_id not in known:
        close = difflib.get_close_matches(lesson_id, known, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]}?" if close else "see: grade list"
        raise UsageError(f"{lesson_id}: no such lesson; {hint}")
    return (root or content_root()) / "lessons" / lesson_id


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file that a lesson folder needs. Raises LessonError where it is missing or no TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise LessonError(f"{path}: missing; a lesson folder needs it") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LessonError(f"{path}: not TOML ({error}); correct the line") from error


def read_facts(folder: Path) -> dict[str, Any]:
    """lesson.toml of ``folder``, held to its keys; without running any lesson code."""
    path = folder / "lesson.toml"
    facts = read_toml(path)
    hold_to(facts, LESSON_KEYS, f"{path}")
    for name, table in facts["functions"].items():
        hold_to(table, FUNCTION_KEYS, f"{path}: functions.{name}")
    for number, table in enumerate(facts["exercises"], start=1):
        hold_to(table, EXERCISE_KEYS, f"{path}: exercise {number}")
    for name, table in facts["misconceptions"].items():
        hold_to(table, MISCONCEPTION_KEYS, f"{path}: misconceptions.{name}")
        if len(table["hints"]) != 3:
            raise LessonError(f"{path}: misconceptions.{name}: {len(table['hints'])} hints; write three")
    if facts["id"] != folder.name:
        raise LessonError(f"{path}: id is {facts['id']!r} in the folder {folder.name!r}; give both one name")
    return facts


def load_lesson(lesson_id: str, root: Path | None = None) -> Lesson:
    """The lesson ``lesson_id``. Raises UsageError for an unknown one, LessonError for a broken one."""
    folder = find_lesson(lesson_id, root)
    base = folder.parent.parent
    facts = read_facts(folder)
    modules = [import_file(folder / name) for name in DECIDING if (folder / name).exists()]
    lesson = Lesson(
        id=facts["id"],
        title=facts["title"],
        phase=facts["phase"],
        minutes=facts["minutes"],
        summary=facts["summary"],
        goals=tuple(facts["goals"]),
        requires=tuple(facts["requires"]),
        next_idea=facts["next_idea"],
        exercises=tuple(Exercise(e["name"], e["title"], tuple(e["names"])) for e in facts["exercises"]),
        functions={name: _signature(name, table, folder) for name, table in facts["functions"].items()},
        checks=tuple(_defined(modules, Check)),
        misconceptions=_with_texts(_defined(modules, Misconception), facts["misconceptions"], folder),
        families={one.function: one for one in _defined(modules, Family)},
        probe=_function(modules, "probe", folder),
        answers=_function(modules, "answers", folder),
        equivalent_mutants=facts["equivalent_mutants"],
        folder=folder,
        scaffold=base / "scaffolds" / lesson_id / "main.py",
        solution=base / "solutions" / lesson_id / "main.py",
        digest=lesson_digest(folder),
    )
    _hold_together(lesson)
    return lesson


def import_file(path: Path) -> ModuleType:
    """A Python file of a lesson folder as a module, such as figures.py; LessonError when it cannot be."""
    spec = importlib.util.spec_from_file_location(f"lesson_{path.parent.name}_{path.stem}".replace("-", "_"), path)
    if spec is None or spec.loader is None or not path.exists():
        raise LessonError(f"{path}: missing; a lesson folder needs it")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up while the file still runs
    try:
        spec.loader.exec_module(module)
    except LessonError:
        raise
    except Exception as error:
        raise LessonError(f"{path}: cannot be imported ({type(error).__name__}: {error}); correct the file") from error
    return module


def _defined(modules: Sequence[ModuleType], kind: type[T]) -> list[T]:
    return [value for module in modules for value in vars(module).values() if isinstance(value, kind)]


def _function(modules: Sequence[ModuleType], name: str, folder: Path) -> Any:
    for module in modules:
        if callable(function := vars(module).get(name)):
            return function
    raise LessonError(f"{folder}: no function {name}; checks.py or misconceptions.py has to define it")


def _signature(name: str, table: Mapping[str, Any], folder: Path) -> Signature:
    from grader.signature import parse_value  # NumPy comes with it

    where = f"{folder / 'lesson.toml'}: functions.{name}"
    takes, gives = (tuple(parse_value(str(text), where) for text in table[key]) for key in ("takes", "gives"))
    return Signature(name, takes, gives)


def _with_texts(found: Sequence[Misconception], texts: Mapping[str, Any], folder: Path) -> tuple[Misconception, ...]:
    names = [one.name for one in found]
    for missing in [name for name in names if name not in texts]:
        raise LessonError(
            f"{folder / 'lesson.toml'}: misconceptions.{missing}: missing; give it a title and three hints"
        )
    for unused in [name for name in texts if name not in names]:
        raise LessonError(
            f"{folder / 'lesson.toml'}: misconceptions.{unused}: nothing in the lesson's code has this name"
        )
    return tuple(replace(one, title=texts[one.name]["title"], hints=tuple(texts[one.name]["hints"])) for one in found)


def hold_to(table: Any, keys: Mapping[str, Any], where: str) -> None:
    """Raise LessonError unless ``table`` is one and has exactly ``keys``, each of its type."""
    if not isinstance(table, dict):
        raise LessonError(f"{where}: a {type(table).__name__}; a table with {', '.join(keys)} is right")
    for unknown in [key for key in table if key not in keys]:
        close = difflib.get_close_matches(unknown, keys, n=1)
        raise LessonError(f"{where}: unknown key {unknown!r}" + (f"; did you mean {close[0]!r}?" if close else ""))
    for missing in [key for key in keys if key not in table]:
        raise LessonError(f"{where}: {missing!r} is missing; add it")
    for key, kind in keys.items():
        if type(table[key]) is not kind:
            raise LessonError(f"{where}: {key!r} is a {type(table[key]).__name__}; a {kind.__name__} is right")


def _hold_together(lesson: Lesson) -> None:
    """Raise LessonError when checks, exercises and misconceptions refer to what is not there."""
    where = lesson.folder / "checks.py"
    exercises = {exercise.name for exercise in lesson.exercises}
    seen: set[str] = set()
    for check in lesson.checks:
        if check.exercise not in exercises:
            raise LessonError(f"{where}: {check.name}: exercise {check.exercise!r} is not in lesson.toml")
        if missing := {*check.needs, *check.leans_on} - seen:
            raise LessonError(f"{where}: {check.name} needs {', '.join(sorted(missing))}; define that check above it")
        if check.name in seen:
            raise LessonError(f"{where}: two checks are called {check.name}; rename one")
        seen.add(check.name)
    for exercise in exercises - {check.exercise for check in lesson.checks}:
        raise LessonError(f"{where}: exercise {exercise!r} has no check; write one")
    for one in lesson.misconceptions:
        if one.function not in lesson.families:
            raise LessonError(f"{lesson.folder}: misconception {one.name}: no family for {one.function!r}; add it")


def lesson_digest(folder: Path) -> str:
    """Identifies everything in a lesson that decides about a grading, whatever the line endings."""
    digest = hashlib.sha256()
    solution = folder.parent.parent / "solutions" / folder.name / "main.py"
    deciding = [folder / name for name in DECIDING if (folder / name).exists()]
    for path in [folder / "lesson.toml", *deciding, solution]:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise LessonError(f"{path}: cannot be read ({error.strerror}); a lesson needs it") from error
        digest.update(path.name.encode() + b"\0" + content.replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:16]
