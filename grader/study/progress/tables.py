"""Progress as the tables of its file, under the names that lessons have today."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grader.errors import UsageError
from grader.study.progress.nouns import Answered, LessonProgress, Predicted, Progress, merge_lessons

RENAMES = Path(__file__).with_name("renames.toml")
# What a table of renames, beside that of lessons, renames in a lesson.
RENAMED = {"predictions": ("predictions",), "questions": ("quiz",), "checks": ("attempts", "hints", "proved")}
KINDS: Mapping[str, type] = {
    "best": int,
    "max_score": int,
    "passed_at": str,
    "digest": str,
    "attempts": dict,
    "gradings": int,
    "last_at": str,
    "hints": dict,
    "proved": dict,
    "solution_seen": bool,
    "folder": str,
    "predictions": dict,
    "quiz": dict,
}
PREDICTED_KINDS: Mapping[str, type] = {"text": str, "reason": str, "at": str, "digest": str}
ANSWERED_KINDS: Mapping[str, type] = {
    "box": int,
    "due": str,
    "right": int,
    "wrong": int,
    "last": str,
    "chosen": str,
}


def from_document(document: Mapping[str, Any], where: str) -> Progress:
    """What a file says. Raises UsageError, at ``where``, for a value of another kind."""
    tables = _renamed(document, where)
    return Progress({name: from_table(table, f"{where}: lessons.{name}") for name, table in tables.items()})


def into_document(document: Mapping[str, Any], lessons: Mapping[str, LessonProgress], where: str) -> dict[str, Any]:
    """The file with these lessons in it; keys of a newer version stay."""
    tables = _renamed(document, where)
    new = {name: to_table(lesson, over=tables.get(name, {})) for name, lesson in lessons.items()}
    return {**document, "lessons": {**tables, **new}}


def from_table(table: Any, where: str) -> LessonProgress:
    """A lesson's table as what it means. Raises UsageError, at ``where``, for a value of another kind."""
    known = _known(table, KINDS, where)
    for name, kind in (("attempts", int), ("hints", int), ("proved", str)):
        entries = known.get(name, {})
        known[name] = _known(entries, dict.fromkeys(entries, kind), f"{where}.{name}")
    known["predictions"] = {
        name: Predicted(**_known(one, PREDICTED_KINDS, f"{where}.predictions.{name}"))
        for name, one in known.get("predictions", {}).items()
    }
    known["quiz"] = {
        name: Answered(**_known(one, ANSWERED_KINDS, f"{where}.quiz.{name}"))
        for name, one in known.get("quiz", {}).items()
    }
    return LessonProgress(**known)


def to_table(lesson: LessonProgress, *, over: Mapping[str, Any]) -> dict[str, Any]:
    """A lesson as a table; what else stands in the table ``over`` stays there."""
    empty = asdict(LessonProgress())
    table = {name: value for name, value in asdict(lesson).items() if value != empty[name]}
    for name in ("predictions", "quiz"):
        before = over.get(name, {})
        entries = {key: {**before.get(key, {}), **entry} for key, entry in table.pop(name, {}).items()}
        if entries:
            table[name] = entries
    return {**{name: value for name, value in over.items() if name not in KINDS}, **table}


def _known(table: Any, kinds: Mapping[str, type], where: str) -> dict[str, Any]:
    """The entries of ``table`` that have a meaning here, each of its kind; texts without control characters."""
    for name in kinds.keys() & _table(table, where).keys():
        _hold(table[name], kinds[name], f"{where}.{name}")
    return {name: _plain(table[name]) for name in kinds if name in table}


def _plain(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(one) == "Cc" else one for one in value)


def _table(value: Any, where: str) -> Mapping[str, Any]:
    _hold(value, dict, where)
    table: Mapping[str, Any] = value
    return table


def _hold(value: Any, kind: type, where: str) -> None:
    if type(value) is not kind:
        raise UsageError(
            f"{where}: {value!r} where {'a table' if kind is dict else f'a value of kind {kind.__name__}'} is right; "
            "correct it, or move the file away to begin anew"
        )


def _renamed(document: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The tables of the lessons, with everything that has a new name under that; what stands under both is merged."""
    renames = tomllib.loads(RENAMES.read_text(encoding="utf-8"))
    tables: dict[str, Any] = {}
    for old, table in _table(document.get("lessons", {}), f"{where}: lessons").items():
        name = renames["lessons"].get(old, old)
        here = f"{where}: lessons.{old}"
        for one in _parts(_table(table, here), {kind: renames[kind].get(name, {}) for kind in RENAMED}, here):
            tables[name] = _together(tables[name], one, here) if name in tables else one
    return tables


def _parts(table: Mapping[str, Any], names: Mapping[str, Any], where: str) -> Iterator[Mapping[str, Any]]:
    """A lesson's table without what has a new name, then what has, as tables of their own."""
    kept, moved = dict(table), []
    for kind, keys in RENAMED.items():
        for key in keys:
            entries = _table(table.get(key, {}), f"{where}.{key}")
            for old in entries.keys() & names[kind].keys():
                moved.append({key: {names[kind][old]: entries[old]}})
                kept[key] = {name: entry for name, entry in kept[key].items() if name != old}
    yield kept
    yield from moved


def _together(one: Mapping[str, Any], other: Mapping[str, Any], where: str) -> dict[str, Any]:
    merged = merge_lessons(from_table(one, where), from_table(other, where))
    return to_table(merged, over={**other, **one})
