"""One classic script out of the JavaScript modules: browsers load no modules from disk."""

from __future__ import annotations

import re
from pathlib import Path

STATIC = Path(__file__).parent / "static"
SHARED = ("shared.js", "typed-numbers.js", "practice.js", "gallery.js")
IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)


def bundle() -> str:
    """All modules in one scope of their own: what they share, then each figure in a scope inside, then the start."""
    parts = [*map(_plain, SHARED), "const figures = {};"]
    for path in sorted((STATIC / "figures").glob("*.js")):
        parts.append(f'figures["{path.stem}"] = (() => {{\n{_plain(f"figures/{path.name}")}\nreturn mount;\n}})();')
    parts.append(_plain("start.js"))
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "\n})();\n"


def figure_names() -> list[str]:
    """The interactive figures that exist."""
    return sorted(path.stem for path in (STATIC / "figures").glob("*.js"))


def _plain(name: str) -> str:
    """A module without its imports and exports."""
    return EXPORT.sub("", IMPORT.sub("", (STATIC / name).read_text(encoding="utf-8")))
