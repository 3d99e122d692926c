"""The bundled fonts as a style sheet that needs no other file: some browsers load no font from disk."""

from __future__ import annotations

import base64
from pathlib import Path

FONTS = Path(__file__).parent / "static" / "fonts"
LICENSE = FONTS / "OFL.txt"
FACES = (
    ("Source Serif 4", "source-serif-4.woff2", "normal"),
    ("Source Serif 4", "source-serif-4-italic.woff2", "italic"),
    ("Source Sans 3", "source-sans-3.woff2", "normal"),
)


def style_sheet() -> str:
    """A rule for each face, the font inside it; their license is kept beside them and named in the first line."""
    rules = [_face(*face) for face in FACES]
    return "\n".join(
        ["/* Source Serif 4, Source Sans 3: SIL Open Font License 1.1, see fonts-license.txt */", *rules, ""]
    )


def _face(family: str, file: str, style: str) -> str:
    data = base64.b64encode((FONTS / file).read_bytes()).decode("ascii")
    source = f'url("data:font/woff2;base64,{data}") format("woff2")'
    return f'@font-face {{ font-family: "{family}"; font-style: {style}; font-weight: 200 900; src: {source}; }}'
