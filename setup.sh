#!/bin/sh
# Makes .venv and installs this folder in it: setup.sh PYTHON PACKAGE. Uses uv if it is there, else venv and pip.
set -eu
python=$1
package=$2

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "setup: $python is not Python 3.11 or newer; name one that is: make PYTHON=python3.12 …" >&2
    exit 2
fi
if command -v uv >/dev/null 2>&1; then
    [ -x .venv/bin/python ] || uv venv --quiet --python "$python" .venv
    uv pip install --quiet --python .venv/bin/python --constraint constraints.txt --editable "$package"
else
    [ -x .venv/bin/python ] || "$python" -m venv .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable "$package"
fi
