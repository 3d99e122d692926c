"""YAML as Ruby writes it: plain data, whatever classes its tags name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from grader.errors import UsageError
from grader.submission import read_regular_file

LIMIT = 256 * 1024 * 1024  # an export repeats the results of every submission


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the C loader is optional
    """The safe loader; an object of Ruby's becomes the mapping, list or text that it is written as."""


def _without_class(loader: Any, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Loader.add_multi_constructor("!", _without_class)
_Loader.add_multi_constructor("tag:ruby.yaml.org,2002:", _without_class)


def load(file: Path, *, shown: str) -> Any:
    """The document in ``file``, which messages call ``shown``. Raises UsageError when it cannot be read."""
    try:
        text = read_regular_file(file, limit=LIMIT).decode("utf-8-sig", "replace")
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a subclass of the safe loader
    except UsageError as error:
        raise UsageError(f"{shown}: {str(error).removeprefix(f'{file}: ')}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(f"{shown}: line {line}: {error.problem}; export the submissions again") from error
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{shown}: cannot be read ({reason}); export the submissions again") from error
