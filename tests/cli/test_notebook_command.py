"""The command notebook: what it writes where, both ways, and that it overwrites nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.lesson import content_root

ID = "transformers-01"
SCAFFOLD = (content_root() / "scaffolds" / ID / "main.py").read_text(encoding="utf-8")


def sources(path: Path) -> str:
    return "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])


def test_the_exercise_becomes_a_notebook_that_is_graded(run_grade, tmp_path):
    done = run_grade("notebook", ID)
    made = tmp_path / ID / "main.ipynb"
    assert (done.returncode, done.stderr) == (0, "")
    assert f"grade it: grade lesson {ID} {ID}/main.ipynb" in done.stdout.replace("\\", "/")
    assert "def attend(q, k, v):" in sources(made)
    graded = run_grade("lesson", ID, str(made))
    assert graded.returncode == 1
    assert "to be continued" in graded.stdout


def test_in_a_folder_of_its_name_the_notebook_lies_there(run_grade, tmp_path):
    folder = tmp_path / ID
    folder.mkdir()
    assert run_grade("notebook", ID, cwd=folder).returncode == 0
    assert (folder / "main.ipynb").exists()


def test_nothing_is_overwritten(run_grade, tmp_path):
    made = tmp_path / ID / "main.ipynb"
    made.parent.mkdir()
    made.write_bytes(b"mine")
    done = run_grade("notebook", ID)
    assert done.returncode == 2
    assert "already there and left as it is; name another file with --output" in done.stderr
    assert made.read_bytes() == b"mine"


def test_work_in_a_main_py_is_offered_to_be_converted(run_grade, tmp_path):
    main = tmp_path / ID / "main.py"
    main.parent.mkdir()
    main.write_text(SCAFFOLD + "\n# %% Mine\nx = 1\n", encoding="utf-8")
    done = run_grade("notebook", ID)
    assert done.returncode == 2
    assert f"holds work of yours; make a notebook of it with: grade notebook {ID} " in done.stderr
    assert run_grade("notebook", ID, str(main)).returncode == 0
    assert "x = 1" in sources(main.with_suffix(".ipynb"))


def test_a_notebook_becomes_a_script_again(run_grade, tmp_path):
    main = tmp_path / "main.py"
    main.write_text("x = 1\n\n# %% Two\n%%time\ny = 2\n".replace("%%time", "# %matplotlib inline"), encoding="utf-8")
    assert run_grade("notebook", ID, "main.py").returncode == 0
    assert run_grade("notebook", ID, "main.ipynb", "--output", "again.py").returncode == 0
    assert (tmp_path / "again.py").read_text(encoding="utf-8") == "# %%\n" + main.read_text(encoding="utf-8")
    refused = run_grade("notebook", ID, "main.ipynb")
    assert (refused.returncode, "main.py: already there and left as it is" in refused.stderr) == (2, True)


def test_the_page_becomes_a_notebook(run_grade, tmp_path):
    done = run_grade("notebook", ID, "--lesson")
    assert done.returncode == 0
    assert "## Experiment 1" in sources(tmp_path / ID / "lesson.ipynb")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["transformers-1"], "transformers-1: no such lesson; did you mean transformers-01?"),
        ([ID, "work.txt"], "work.txt: neither .py nor .ipynb; name your main.py, or a notebook"),
        ([ID, "work.py"], "work.py: no such file"),
        ([ID, "latin.py"], "latin.py: line 2: not UTF-8; save it as UTF-8"),
        ([ID, "broken.ipynb"], "broken.ipynb: line 1: the notebook's JSON breaks off"),
        ([ID, "--output", "work.py"], "work.py: does not end with .ipynb; name the file to write, such as work.ipynb"),
        ([ID, "main.py", "--lesson"], "main.py: nothing to do with the lesson's page"),
        ([ID, "--output", "none/here/main.ipynb"], "none"),
    ],
)
def test_what_cannot_be_done_is_told_with_a_remedy(run_grade, tmp_path, arguments, message):
    (tmp_path / "latin.py").write_bytes("x = 1\ny = 'é'".encode("latin-1"))
    (tmp_path / "broken.ipynb").write_bytes(b'{"cells": [')
    (tmp_path / "work.txt").touch()
    done = run_grade("notebook", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / ID).exists()
