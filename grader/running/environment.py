"""The environment variables that a child process sees."""

from __future__ import annotations

import os
import site
from collections.abc import Mapping
from pathlib import Path

# What a child may know of the grader's environment; the rest could hold secrets.
PASSED_ON = (
    "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "VIRTUAL_ENV", "LD_LIBRARY_PATH",
    "COMSPEC", "NUMBER_OF_PROCESSORS", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "WINDIR",
)  # fmt: skip
# PROCESSOR_ holds what platform.machine() answers on Windows.
PASSED_ON_PREFIXES = ("OPENBLAS_", "OMP_", "MKL_", "PROCESSOR_")


def environment(home: Path) -> dict[str, str]:
    """Named variables only; home and temporary files in ``home``."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)
    }
    if site.ENABLE_USER_SITE and site.USER_BASE:
        kept["PYTHONUSERBASE"] = site.USER_BASE  # it is found through HOME otherwise
    root = str(Path(__file__).parents[2])
    if root in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        kept["PYTHONPATH"] = root  # this package was found through it
    return {
        **kept,
        **places(home),
        "JAX_PLATFORMS": "cpu",
        "MPLBACKEND": "Agg",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def places(home: Path) -> Mapping[str, str]:
    """Variables that name folders, all of them ``home``."""
    names = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "MPLCONFIGDIR", "XDG_CACHE_HOME")
    return dict.fromkeys(names, str(home))
