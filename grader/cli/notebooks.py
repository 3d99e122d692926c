"""The command notebook: lessons and main.py as notebooks, and back."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from grader import lesson as lessons
from grader.cli.console import console
from grader.cli.lesson_ids import LessonId
from grader.cli.studying import begin
from grader.errors import UsageError
from grader.study.watching.saves import NAMES

ANOTHER = "name another file with --output"


def notebook(
    lesson_id: LessonId,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A main.py to make a notebook of, or an .ipynb to make a .py of."),
    ] = None,
    page: Annotated[bool, typer.Option("--lesson", help="The lesson's page in place of the exercise.")] = False,
    output: Annotated[Path | None, typer.Option(metavar="OUT", help="The file to write; else beside main.py.")] = None,
) -> None:
    """Make a notebook of the exercise, of the lesson's page or of a main.py, or a .py of a notebook."""
    folder = lessons.find_lesson(lesson_id)
    if page and file is not None:
        raise UsageError(f"{file}: nothing to do with the lesson's page; leave out --lesson or the file")
    if file is not None:
        target = _converted(file, output)
    elif page:
        from grader.percent import as_json
        from grader.study.notebooks.lesson_notebook import lesson_notebook

        target = _target(output, lesson_id, "lesson.ipynb")
        _write(target, as_json(lesson_notebook(folder)))
    else:
        target = _exercise(lesson_id, folder, output)
    screen = console()
    screen.print(Text(f"{target} is yours."), soft_wrap=True)
    if page:
        screen.print("open it in Jupyter, VS Code or Colab: it needs no other file")
    else:
        screen.print(Text(f"grade it: grade lesson {lesson_id} {shlex.quote(str(target))}"), soft_wrap=True)
    if not page and target.suffix == ".ipynb":
        screen.print(Text(f"inside it: %load_ext grader, then %grade {lesson_id}"))


def _exercise(lesson_id: str, folder: Path, output: Path | None) -> Path:
    from grader.study.notebooks.scaffold_notebook import scaffold_notebook

    scaffold = folder.parent.parent / "scaffolds" / lesson_id / "main.py"
    target = _target(output, lesson_id, "main.ipynb")
    main = target.with_name("main.py")
    if output is None and main.exists() and main.read_bytes() != scaffold.read_bytes():
        raise UsageError(
            f"{main}: holds work of yours; make a notebook of it with: "
            f"grade notebook {lesson_id} {shlex.quote(str(main))}"
        )
    _write(target, scaffold_notebook(scaffold))
    if target.name in NAMES:  # it is where the learner works from now on
        begin(lesson_id, target.parent)
    return target


def _converted(file: Path, output: Path | None) -> Path:
    """Make a notebook of a script or a script of a notebook; the file that was written."""
    from grader.notebook_code import parse
    from grader.percent import as_json, to_notebook, to_script
    from grader.submission import NOTEBOOK_LIMIT, SOURCE_LIMIT, read_regular_file

    match file.suffix.lower():
        case ".py":
            raw = read_regular_file(file, limit=SOURCE_LIMIT)
            try:
                source = raw.decode("utf-8-sig").replace("\r\n", "\n")
            except UnicodeDecodeError as error:
                line = raw.count(b"\n", 0, error.start) + 1
                raise UsageError(f"{file}: line {line}: not UTF-8; save it as UTF-8") from error
            target = _new(output or file.with_suffix(".ipynb"), suffix=".ipynb")
            _write(target, as_json(to_notebook(source)))
        case ".ipynb":
            made = parse(read_regular_file(file, limit=NOTEBOOK_LIMIT), name=file.name)
            target = _new(output or file.with_suffix(".py"), suffix=".py")
            _write(target, to_script(made, name=file.name))
        case _:
            raise UsageError(f"{file}: neither .py nor .ipynb; name your main.py, or a notebook")
    return target


def _target(output: Path | None, lesson_id: str, name: str) -> Path:
    from grader.study.workspace.places import target_folder, this_folder

    here = this_folder()
    folder = target_folder(lesson_id, here=here)
    return _new(output or Path(os.path.relpath(folder / name, here)), suffix=".ipynb")


def _new(target: Path, *, suffix: str) -> Path:
    """``target`` if it can be written. Raises UsageError where something is there, since nothing is overwritten."""
    if target.suffix.lower() != suffix:
        raise UsageError(f"{target}: does not end with {suffix}; name the file to write, such as work{suffix}")
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target}: already there and left as it is; {ANOTHER}")
    return target


def _write(target: Path, text: str) -> None:
    from grader.study.workspace.scaffolding import lay_out

    lay_out(target.parent, {target.name: text.encode("utf-8")}, remedy=ANOTHER)
