"""Notebooks to start from: the scaffold of a lesson, with its headings."""

from __future__ import annotations

from pathlib import Path

from grader.lesson import find_lesson, read_facts
from grader.percent import as_json, to_notebook


def scaffold_notebook(scaffold: Path) -> str:
    """The file of the notebook that ``scaffold`` is, the main.py of a lesson; its last cell grades what it defines."""
    from nbformat.v4 import new_code_cell, new_markdown_cell

    lesson_id = scaffold.parent.name
    title = read_facts(find_lesson(lesson_id))["title"]
    notebook = to_notebook(scaffold.read_text(encoding="utf-8"))
    cells = [
        new_markdown_cell(
            f"# {title}\n\nFill in the TODOs and run the cells. The last cell grades what they define, as often as "
            f"you like. To read: `grade notebook {lesson_id} --lesson` makes the lesson's page a notebook too."
        )
    ]
    for cell in notebook["cells"]:
        heading = cell["metadata"].pop("title", None)
        if heading:
            cells.append(new_markdown_cell(f"## {heading}"))
        if heading or cell["cell_type"] != "code" or cells[1:]:  # not the docstring above the first cell
            cells.append(cell)
    grading = new_code_cell(f"%load_ext grader\n%grade {lesson_id}")
    notebook["cells"] = [*cells, new_markdown_cell("## Grade it"), grading]
    return as_json(notebook)
