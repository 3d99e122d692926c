"""The code of a notebook as one Python source, with the lines at which its cells start."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from grader.errors import UsageError

# Cell magics whose body is Python that runs in the notebook itself.
PYTHON_CELLS = ("%%time", "%%capture", "%%prun")
PYTHON_LINES = re.compile(r"(\s*)%(?:time|prun)\s+(?=[^\s-])")
MAGIC = re.compile(r"\s*(?:%[A-Za-z]|!|\?|[\w.]+\?+\s*$|[\w, ]+=\s*(?:!|%[A-Za-z]))")
BACKSLASH = "\\"
OURS = re.compile(r"\s*%(?:load_ext\s+grader|reload_ext\s+grader|grade)\b")


@dataclass(frozen=True)
class NotebookCode:
    """The joined source; ``cells`` as in Submission; ``notes`` on what was left out."""

    source: bytes
    cells: tuple[int, ...]
    notes: tuple[str, ...]


def parse(raw: bytes, *, name: str) -> Any:
    """The notebook that ``raw`` holds, in the current format. Raises UsageError for what is none."""
    import nbformat  # only a notebook pays for it

    try:
        text = raw.decode("utf-8-sig")
        json.loads(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # cells without ids and the like: old notebooks are fine
            notebook: Any = nbformat.reads(text, as_version=4)
        for cell in notebook["cells"]:
            cell["source"], cell["cell_type"] = str(cell["source"]), str(cell["cell_type"])
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{name}: line {error.lineno}: the notebook's JSON breaks off ({error.msg}); save it again"
        ) from error
    except Exception as error:  # nbformat lets many types out when the structure is not a notebook's
        reason = str(error).strip().partition("\n")[0]
        raise UsageError(f"{name}: not a notebook ({reason}); save it again from Jupyter") from error
    return notebook


def code_cells(raw: bytes, *, name: str) -> list[str]:
    """The code cells of a notebook that hold anything: the n-th is the one that Jupyter shows as [n] once all were run.

    Raises UsageError for what is not a notebook.
    """
    cells = [cell["source"] for cell in parse(raw, name=name)["cells"] if cell["cell_type"] == "code"]
    return [cell for cell in cells if cell.strip()]


def joined(cells: Sequence[str]) -> NotebookCode:
    """Code cells as one source, without what is IPython's and not Python's; lines keep their numbers."""
    notes: list[str] = []
    parts: list[str] = []
    starts: list[int] = []
    lines = 0
    for number, cell in enumerate(cells, start=1):
        part = f"# %% cell {number}\n{_without_magics(cell, number, notes)}"
        starts.append(lines + 1)
        parts.append(part)
        lines += part.count("\n") + 2
    return NotebookCode("\n\n".join(parts).encode("utf-8", "replace"), tuple(starts), tuple(notes))


def _without_magics(cell: str, number: int, notes: list[str]) -> str:
    cell = cell.replace("\r\n", "\n").replace("\r", "\n")
    if _is_python(cell):
        return cell
    head = cell.split(maxsplit=1)[0]
    if head.startswith("%%") and head not in PYTHON_CELLS:
        notes.append(f"cell {number}: a {head} cell is not Python and was left out")
        return "pass"
    return "\n".join(_lines(cell.split("\n"), number, notes))


def _lines(lines: Sequence[str], number: int, notes: list[str]) -> Iterator[str]:
    continued, indent = False, ""
    for line in lines:
        if not continued and (timed := PYTHON_LINES.match(line)):
            yield timed[1] + line[timed.end() :]
        elif continued or MAGIC.match(line) or line.lstrip().startswith(PYTHON_CELLS):
            if not continued and not OURS.match(line) and not line.lstrip().startswith("%%"):
                notes.append(f"cell {number}: left out {line.strip()}")
            indent = indent if continued else line[: len(line) - len(line.lstrip())]
            yield f"{indent}pass  # {line.strip().rstrip(BACKSLASH)}"
            continued = line.endswith(BACKSLASH)
        else:
            yield line


def _is_python(cell: str) -> bool:
    """Whether ``cell`` is Python as it stands: then what looks like a magic is part of a text or a formula."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
