"""The report as JSON, ``format_version`` 1; report.schema.json beside this file is its contract."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from grader.model import (
    Array,
    Diagnosis,
    Event,
    ExerciseState,
    Outcome,
    Report,
    Verdict,
    Witness,
)

SCHEMA = Path(__file__).with_name("report.schema.json")


def to_json(report: Report) -> str:
    """The report as a JSON document; numbers that JSON lacks become "nan", "inf" and "-inf"."""
    return json.dumps(to_dict(report), ensure_ascii=False, indent=2, allow_nan=False)


def to_dict(report: Report) -> dict[str, Any]:
    """The report as plain data, in the form that report.schema.json describes."""
    data: dict[str, Any] = _plain(report)
    path, sha256 = data.pop("path"), data.pop("sha256")
    return {**data, "submission": {"path": path, "sha256": sha256}}


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def from_dict(data: Mapping[str, Any]) -> Report:
    """The report that ``to_dict`` gave ``data`` for; arrays come back as float64, whatever they were."""
    submission = data["submission"]
    plain = {
        name: value for name, value in data.items() if name not in ("submission", "exercises", "outcomes", "events")
    }
    return Report(
        **{
            **plain,
            "path": submission["path"],
            "sha256": submission["sha256"],
            "verdict": Verdict(data["verdict"]),
            "exercises": tuple(ExerciseState(**one) for one in data["exercises"]),
            "outcomes": tuple(_outcome(one) for one in data["outcomes"]),
            "events": tuple(Event(**one) for one in data["events"]),
        }
    )


def _outcome(data: Mapping[str, Any]) -> Outcome:
    return Outcome(
        **{
            **data,
            "verdict": Verdict(data["verdict"]),
            "needs": tuple(data["needs"]),
            "witness": None if data["witness"] is None else _witness(data["witness"]),
            "diagnosis": tuple(Diagnosis(one["name"], one["title"], tuple(one["hints"])) for one in data["diagnosis"]),
        }
    )


def _witness(data: Mapping[str, Any]) -> Witness:
    return Witness(
        inputs={name: _array(value) for name, value in data["inputs"].items()},
        expected=_array(data["expected"]),
        actual=_array(data["actual"]),
        index=None if data["index"] is None else tuple(data["index"]),
        tolerance=data["tolerance"],
        largest_error=float(data["largest_error"]),
    )


def _array(value: Any) -> Array:
    """Nested lists as an array; "nan", "inf" and "-inf" as the numbers they stand for."""

    def numbers(one: Any) -> Any:
        return [numbers(item) for item in one] if isinstance(one, list) else float(one)

    return np.asarray(numbers(value), dtype=np.float64)
