"""Notebooks of lessons and of main.py: they run, they lose nothing, they are graded as main.py is."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from grader.authoring.execution import execute, printed
from grader.errors import LessonError, UsageError
from grader.grading import grade
from grader.lesson import content_root, lesson_ids
from grader.model import Report
from grader.percent import as_json, to_notebook, to_script
from grader.reporting.report import to_dict
from grader.study.notebooks.lesson_notebook import lesson_notebook
from grader.study.notebooks.scaffold_notebook import scaffold_notebook
from grader.submission import read_submission

MAKE = {"code": new_code_cell, "markdown": new_markdown_cell, "raw": new_raw_cell}
LINES = st.sampled_from(
    [
        "x = 1",
        "",
        "# a comment",
        "    y = 2",
        "def f():",
        "%matplotlib inline",
        "!ls",
        "%%time",
        "x?",
        "é ∑ <b>",
        "# + a",
    ]
)
CELLS = st.lists(
    st.tuples(st.sampled_from([*MAKE]), st.lists(LINES, min_size=1, max_size=6).map("\n".join)), min_size=1
)


def contents(notebook: Any) -> list[tuple[str, str]]:
    """Kind and text of the cells that hold anything."""
    cells = [(cell["cell_type"], cell["source"].strip()) for cell in notebook["cells"]]
    return [cell for cell in cells if cell[1]]


def saved(path: Path, notebook: Any) -> Path:
    path.write_text(as_json(notebook) if not isinstance(notebook, str) else notebook, encoding="utf-8")
    return path


def comparable(report: Report) -> dict[str, Any]:
    """The report without what differs between two files of any kind."""
    outcomes = tuple(replace(one, duration_s=0.0) for one in report.outcomes)
    return to_dict(replace(report, path="", sha256="", outcomes=outcomes))


# ---- main.py and back --------------------------------------------------------------------------


@settings(deadline=None)
@given(CELLS)
def test_the_cells_of_a_notebook_come_back_from_a_script(cells):
    notebook = new_notebook(cells=[MAKE[kind](text) for kind, text in cells])
    script = to_script(notebook, name="main.ipynb")
    assert contents(to_notebook(script)) == contents(notebook)


@settings(deadline=None)
@given(CELLS)
def test_a_script_comes_back_from_its_notebook(cells):
    script = to_script(new_notebook(cells=[MAKE[kind](text) for kind, text in cells]), name="main.ipynb")
    again = to_script(nbformat.reads(as_json(to_notebook(script)), as_version=4), name="main.ipynb")
    assert [line for line in again.splitlines() if line.strip()] == [
        line for line in script.splitlines() if line.strip()
    ]


def test_the_solution_comes_back_line_by_line_behind_the_mark_of_its_first_cell(solution):
    assert to_script(to_notebook(solution), name="main.ipynb") == "# %%\n" + solution


@pytest.mark.parametrize("text", ["x = 1\n# %% two\ny = 2", 'x = """\n'])
def test_a_cell_that_would_not_come_back_is_named(text):
    notebook = new_notebook(cells=[new_code_cell("z = 0"), new_code_cell(text), new_code_cell("w = 3")])
    with pytest.raises(UsageError, match=r"^work.ipynb: cell 2 of all cannot be told from the next one"):
        to_script(notebook, name="work.ipynb")


def test_a_notebook_is_valid_and_names_its_kernel(solution):
    notebook = nbformat.reads(as_json(to_notebook(solution)), as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.language_info.name == "python"


# ---- the exercise ------------------------------------------------------------------------------


def test_the_notebook_of_the_scaffold_runs_and_grades_itself(lesson):
    notebook = execute(nbformat.reads(scaffold_notebook(lesson.scaffold), as_version=4), name="main.ipynb")
    assert notebook["cells"][0]["source"].startswith(f"# {lesson.title}")
    assert "0 of 31 points · to be continued" in notebook["cells"][-1]["outputs"][0]["data"]["text/plain"]
    assert "Still to do: " in printed(notebook)


def test_filled_in_it_gets_the_report_of_the_same_code_in_a_main_py(lesson, solution, tmp_path):
    notebook = nbformat.reads(scaffold_notebook(lesson.scaffold), as_version=4)
    answers = [cell["source"] for cell in to_notebook(solution)["cells"] if "title" in cell["metadata"]]
    places = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"][:-1]
    for cell, answer in zip(places, answers, strict=True):
        cell["source"] = answer
    reports = [
        grade(lesson, read_submission(path), seed=0)
        for path in (saved(tmp_path / "main.ipynb", notebook), lesson.solution)
    ]
    assert reports[0].score == lesson.max_score
    assert comparable(reports[0]) == comparable(reports[1])


def test_a_wrong_notebook_gets_the_diagnosis_of_the_same_code_in_a_main_py(lesson, solution, tmp_path):
    text = solution.replace("axis=-1", "axis=0")
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    files = (saved(tmp_path / "main.ipynb", to_notebook(text)), tmp_path / "main.py")
    reports = [grade(lesson, read_submission(path), seed=0) for path in files]
    assert comparable(reports[0]) == comparable(reports[1])
    assert any(one.diagnosis for one in reports[0].outcomes)


# ---- the page ----------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=lesson_ids())
def folder(request: pytest.FixtureRequest) -> Path:
    return content_root() / "lessons" / request.param


@pytest.fixture(scope="module")
def page(folder: Path) -> Any:
    return lesson_notebook(folder)


def test_every_lesson_runs_from_top_to_bottom_and_prints_what_it_promises(page):
    executed = execute(page, name="lesson.ipynb")
    promised = 0
    for cell in executed["cells"]:
        arrows = re.findall(r"^print\(.*\)  # → (.*)$", cell["source"], re.MULTILINE)
        if cell["cell_type"] == "code" and arrows:
            said = "".join(output.get("text", "") for output in cell["outputs"])
            assert all(arrow in said for arrow in arrows)
            promised += len(arrows)
    assert promised


def test_a_page_stands_alone_and_keeps_its_answers_folded(page, folder):
    nbformat.validate(page)
    prose = [cell["source"] for cell in page["cells"] if cell["cell_type"] == "markdown"]
    text = "\n".join(prose)
    assert "<!--" not in text
    assert not re.search(r"!\[|\]\((?!https?:|#)", text)
    figures = (folder / "lesson.md").read_text(encoding="utf-8").count("![")
    assert len(re.findall(r'<img alt="[^"]+" src="data:image/svg\+xml;base64,', text)) == figures
    for part in prose:
        assert part.count("<details") == part.count("</details>"), part
    assert any(cell["metadata"].get("jupyter", {}).get("source_hidden") for cell in page["cells"])


def test_parts_of_a_page_become_cells_and_folds_stay_whole(tmp_path):
    (tmp_path / "notes.txt").write_text("1 < 2\n\nend\n", encoding="utf-8")
    (tmp_path / "lesson.md").write_text(
        "# Title\n\nTwo<!--= 2 --> `<!-- kept -->`, see [notes](notes.txt) and [more](other/lesson.md).\n\n"
        "<!-- predict: it -->\n<details><summary>Answer</summary>\n\n```python\nx = 1\n\n```\n\nSince.\n\n"
        "```python\ny = 2\n```\n\n</details>\n\n```text\n## no heading\n```\n\n## Next\n\n[far](https://example.org)\n",
        encoding="utf-8",
    )
    cells = [(cell["source"], dict(cell["metadata"])) for cell in lesson_notebook(tmp_path)["cells"]]
    hidden = {"jupyter": {"source_hidden": True}}
    follows = "It goes on in the next cell, whose code is folded: click on it to see it."
    assert cells == [
        (
            "# Title\n\nTwo `<!-- kept -->`, see notes and more.\n\n"
            "<details><summary>notes.txt</summary>\n\n<pre>\n1 &lt; 2\n\nend\n</pre>\n\n</details>\n\n"
            f"<details><summary>Answer</summary>\n\n{follows}\n\n</details>",
            {},
        ),
        ("x = 1\n", hidden),
        (f"<details><summary>Answer (continued)</summary>\n\nSince.\n\n{follows}\n\n</details>", {}),
        ("y = 2", hidden),
        ("```text\n## no heading\n```", {}),
        ("## Next\n\n[far](https://example.org)", {}),
    ]


# ---- execution ---------------------------------------------------------------------------------


def test_a_cell_that_raises_is_named_with_its_number(tmp_path):
    notebook = new_notebook(cells=[new_code_cell("x = 1"), new_markdown_cell("text"), new_code_cell("1 / 0")])
    with pytest.raises(LessonError, match=r"^work.ipynb: cell 2: ZeroDivisionError: division by zero; correct it$"):
        execute(notebook, name="work.ipynb")


def test_the_kernel_is_this_interpreter_and_knows_nothing_of_the_user(monkeypatch, tmp_path):
    spec = tmp_path / "kernels" / "python3"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(json.dumps({"argv": ["false"], "display_name": "", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("SECRET_OF_THE_USER", "1")
    code = "import os, sys; print(sys.executable, 'SECRET_OF_THE_USER' in os.environ)"
    notebook = execute(new_notebook(cells=[new_code_cell(code)]), name="work.ipynb")
    assert printed(notebook) == f"{sys.executable} False\n"
