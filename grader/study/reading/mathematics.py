"""Formulas of a lesson page, written in TeX, as text that a terminal can show."""

from __future__ import annotations

import functools
import re
import unicodedata

RAISED = dict(zip("0123456789+-=()inT\N{DOWN TACK}", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿᵀᵀ", strict=True))
LOWERED = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "vec": "\u20d7", "dot": "\u0307"}
GROUPS = frozenset({"text", "textbf", "mathrm", "mathbf", "mathit", "mathsf", "boldsymbol", "operatorname"})
ALIASES = {"ne": "neq"}  # names that the table of symbols lacks
SPACES = frozenset({"quad", ",", ";", ":", " ", "&", "~"})
NOTHING = frozenset({"left", "right", "big", "Big", "bigl", "bigr", "displaystyle", "limits", "!"})
COMPACT = 3  # characters of a fraction that is written without spaces
LINES = frozenset({"qquad", "\\"})
PIECE = re.compile(r"\\(?:begin|end)\{\w+\*?\}(?:\{[^}]*\})?|\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)


def readable(tex: str) -> str:
    """A formula without its dollars: ``\\frac{e^{s_i}}{\\sqrt{d_k}}`` is ``e^(sᵢ) / √dₖ``; each row is a line."""
    rows = (re.sub(r" +(?=[ ,.;)])", "", row).strip(" ") for row in _Reader(tex).until(None).split("\n"))
    return "\n".join(row for row in rows if row)


class _Reader:
    """Reads the pieces of one formula from left to right."""

    def __init__(self, tex: str) -> None:
        self._pieces = PIECE.findall(tex)

    def until(self, end: str | None) -> str:
        """Everything up to the piece ``end``, or up to the end of the formula."""
        text = ""
        while self._pieces:
            piece = self._pieces.pop(0)
            if piece == end:
                break
            text += self._script(piece) if piece in ("^", "_") else self._one(piece)
        return text

    def _one(self, piece: str) -> str:
        if piece == "{":
            return self.until("}")
        if piece.isspace() or piece == "&":
            return " "
        if not piece.startswith("\\"):
            return piece
        name = piece[1:]
        if name in ALIASES:
            piece = f"\\{ALIASES[name]}"
        if name in LINES:
            return "\n"
        if name in SPACES:
            return " "
        if name in NOTHING or name.startswith(("begin{", "end{")):
            return ""
        if name in ("frac", "tfrac", "dfrac"):
            top, bottom = _bracketed(self._argument()), _bracketed(self._argument())
            return f"{top}/{bottom} " if len(top + bottom) <= COMPACT else f"{top} / {bottom} "
        if name == "sqrt":
            return f"√{_bracketed(self._argument(), even=' ')}"
        if name in GROUPS:
            return self._argument()
        if name in ("mathbb", "mathcal"):
            return _symbol(f"{piece}{{{self._argument()}}}")
        if name in ACCENTS:
            return unicodedata.normalize("NFC", self._argument() + ACCENTS[name])
        return _symbol(piece)

    def _argument(self) -> str:
        """What a macro or a script applies to: a group, or the next piece."""
        while self._pieces and self._pieces[0].isspace():
            self._pieces.pop(0)
        return self._one(self._pieces.pop(0)).strip() if self._pieces else ""

    def _script(self, sign: str) -> str:
        inside, table = self._argument(), RAISED if sign == "^" else LOWERED
        if inside == "\N{PRIME}" or all(character in table for character in inside):
            return "".join(table.get(character, character) for character in inside)
        return sign + (inside if inside.isalnum() or re.fullmatch(r"\([^()]*\)", inside) else f"({inside})")


def _bracketed(part: str, *, even: str = "") -> str:
    """A part in brackets where it would come apart beside ``/`` or behind ``√``."""
    outside = re.sub(r"\([^()]*\)", "", part)
    return f"({part})" if re.search(rf"[-+/=,∑∏{even}]", outside) else part


@functools.cache
def _symbol(macro: str) -> str:
    """A macro as a character; as its name where there is none."""
    from pylatexenc.latex2text import LatexNodes2Text  # only a page with formulas pays for it

    shown = LatexNodes2Text(math_mode="text").latex_to_text(f"${macro}$").strip()
    return macro.removeprefix("\\") if shown in ("", "$") else shown
