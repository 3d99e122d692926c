"""The autograder zip for Gradescope: setup.sh, run_autograder, this engine inside.

https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

from pathlib import Path

from grader.classroom.exports.export import put
from grader.classroom.packages import engine
from grader.lesson import find_lesson

SETUP = """\
#!/bin/sh
# Runs once, when Gradescope builds the image. Needs Python 3.11 or newer; installs what is pinned beside this file.
set -eu
root=${{AUTOGRADER_ROOT:-/autograder}}
source=$root/source
venv=$root/headwork

find_python() {{
    for candidate in python3.13 python3.12 python3.11 python3; do
        if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
}}

if [ ! -x "$venv/bin/python" ]; then
    python=$(find_python)
    if [ -z "$python" ]; then
        packages="python3.11 python3.11-venv"
        if python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            packages=python3-venv
        fi
        apt-get update
        # shellcheck disable=SC2086 - two words are meant
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages
        python=$(find_python)
    fi
    "$python" -m venv "$venv"
fi
"$venv/bin/python" -m pip install --disable-pip-version-check --no-input -r "$source/requirements.txt"
"$venv/bin/python" -m pip install --disable-pip-version-check --no-input --no-deps --no-index --force-reinstall \\
    "$source/{wheel}"
"$venv/bin/python" -I -m grader.classroom.packages.harness --lesson {lesson} --prepare
"""
RUN = """\
#!/bin/sh
# Runs for every submission; Gradescope copies this file to /autograder/run_autograder.
root=${{AUTOGRADER_ROOT:-/autograder}}
exec "$root/headwork/bin/python" -I -m grader.classroom.packages.harness --lesson {lesson} --root "$root"{weak}
"""


def build(lesson_id: str, out: Path, *, allow_weak_sandbox: bool = False) -> None:
    """Write the autograder zip for ``lesson_id`` to ``out``.

    With ``allow_weak_sandbox`` submissions run where the container cannot confine them; every result then says so.
    Raises UsageError for an unknown lesson, or when ``out`` cannot be written.
    """
    find_lesson(lesson_id)
    weak = " --allow-weak-sandbox" if allow_weak_sandbox else ""
    files = {
        "setup.sh": SETUP.format(wheel=engine.WHEEL, lesson=lesson_id).encode(),
        "run_autograder": RUN.format(lesson=lesson_id, weak=weak).encode(),
        "requirements.txt": "".join(f"{pin}\n" for pin in engine.pins()).encode(),
        engine.WHEEL: engine.wheel(lesson_id),
    }
    put(out, engine.zipped(files, executable=("setup.sh", "run_autograder")))
