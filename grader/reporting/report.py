"""The report as JSON, ``format_version`` 1; report.schema.json beside this file is its contract."""

from __future__ import annotations

import json
import math
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from grader.model import Report

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
