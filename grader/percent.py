"""A main.py in ``# %%`` cells as a notebook, and the other way round."""

from __future__ import annotations

import copy
from typing import Any

from grader.errors import UsageError

# What Jupyter, VS Code and Colab need to open a notebook with Python.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
PERCENT = {"extension": ".py", "format_name": "percent", "notebook_metadata_filter": "-all"}


def to_notebook(source: str) -> Any:
    """The notebook (nbformat) whose cells are those of ``source``."""
    import jupytext

    notebook = jupytext.reads(source, fmt="py:percent")
    notebook["metadata"] = copy.deepcopy(METADATA)
    for cell in notebook["cells"]:
        cell["metadata"].pop("lines_to_next_cell", None)  # blank lines, which jupytext knows by itself as a rule
    return notebook


def to_script(notebook: Any, *, name: str) -> str:
    """The cells of ``notebook`` as one Python file. Raises UsageError for a cell that would not come back as it is."""
    import jupytext

    notebook = copy.deepcopy(notebook)
    notebook["metadata"] = {}
    text = str(jupytext.writes(notebook, fmt=PERCENT))
    here, there = _contents(notebook), _contents(to_notebook(text))
    for number, (cell, again) in enumerate(zip(here, [*there, *[None] * len(here)], strict=False), start=1):
        if cell != again:
            raise UsageError(
                f"{name}: cell {number} of all cannot be told from the next one in a .py file; "
                "does it hold a line with `# %%`, or a text that is not closed?"
            )
    return text


def as_json(notebook: Any) -> str:
    """The file of ``notebook``, the same text every time."""
    import nbformat

    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"cell-{number}"
    return str(nbformat.writes(notebook)) + "\n"


def _contents(notebook: Any) -> list[tuple[str, str]]:
    """Kind and text of the cells that hold anything."""
    cells = [(str(cell["cell_type"]), str(cell["source"]).strip()) for cell in notebook["cells"]]
    return [cell for cell in cells if cell[1]]
