"""The workflow file with which GitHub Classroom grades every push."""

from __future__ import annotations

import re
from pathlib import Path

from grader import __version__
from grader.classroom.exports.export import put
from grader.errors import UsageError
from grader.lesson import find_lesson

WORKFLOW = Path(".github/workflows/classroom.yml")
# A quoted scalar of YAML and one word of the shell, whatever it is: nothing in it can end either.
INSTALLABLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9 @:/._+~=<>,\[\]#&?%-]*")
TEXT = """\
# Grades the push with Headwork and hands the points to GitHub Classroom.
name: Autograding Tests
"on": [push, workflow_dispatch, repository_dispatch]
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    if: github.actor != 'github-classroom[bot]'
    steps:
      - name: Check out
        uses: actions/checkout@v4
        with:
          persist-credentials: false
          path: submission
      - name: Set up Python
        uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - name: Install Headwork
        env:
          HEADWORK: '{install}'
        run: python -m pip install --disable-pip-version-check "$HEADWORK"
      - name: Grade
        id: headwork
        # Exit 1 says that something is not right yet, which is no failure of this step: the reporter shows it.
        run: |
          code=0
          grade lesson {lesson} submission --json {sandbox} > report.json || code=$?
          if [ "$code" -gt 1 ]; then exit "$code"; fi
          grade export github --report report.json >> "$GITHUB_OUTPUT"
      - name: Report
        uses: classroom-resources/autograding-grading-reporter@v1
        env:
          HEADWORK_RESULTS: ${{{{ steps.headwork.outputs.result }}}}
        with:
          runners: headwork
"""


def workflow(lesson_id: str, *, install: str = f"headwork=={__version__}", allow_weak_sandbox: bool = False) -> str:
    """The text of the workflow; ``install`` is what pip installs this grader from.

    Raises UsageError for an unknown lesson, or an ``install`` that is no requirement or address.
    """
    find_lesson(lesson_id)
    if INSTALLABLE.fullmatch(install) is None:
        raise UsageError(f"--install {install}: not what pip installs; write headwork==1.0 or an address")
    sandbox = "--allow-weak-sandbox" if allow_weak_sandbox else "--require-sandbox"
    return TEXT.format(lesson=lesson_id, install=install, sandbox=sandbox)


def build(
    lesson_id: str, out: Path, *, install: str = f"headwork=={__version__}", allow_weak_sandbox: bool = False
) -> Path:
    """Write the workflow below the folder ``out``, the template repository; the path of the file."""
    path = out / WORKFLOW
    put(path, workflow(lesson_id, install=install, allow_weak_sandbox=allow_weak_sandbox).encode())
    return path
