"""Rotations with exchangeable parts, so that a mistake can be stated as the part that it gets wrong.

With no part exchanged, ``rope_from_parts()`` and ``sinusoid_from_parts()`` are the references, by sines and cosines
where ``positions.py`` has complex numbers. Mistakes in different parts combine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.oracle.positions import SINUSOID_BASE, Floats

Part = Callable[..., Any]
Rope = Callable[[Floats, Floats, float], Any]
Sinusoid = Callable[[int, int], Any]


@dataclass(frozen=True)
class Pairing:
    """Where the two coordinates of a pair stand, and which pair each coordinate takes its frequency from.

    ``split`` (…, d) -> two (…, d/2) · ``join`` the way back · ``index`` width -> (d,), the pair of every coordinate.
    """

    split: Part
    join: Part
    index: Part


def split_neighbours(x: Floats) -> tuple[Floats, Floats]:
    """Coordinates 2j and 2j + 1."""
    return x[..., 0::2], x[..., 1::2]


def join_neighbours(first: Floats, second: Floats) -> Floats:
    """The inverse of ``split_neighbours``."""
    return np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)


def split_halves(x: Floats) -> tuple[Floats, Floats]:
    """Coordinates j and j + d/2."""
    half = x.shape[-1] // 2
    return x[..., :half], x[..., half:]


def join_halves(first: Floats, second: Floats) -> Floats:
    """The inverse of ``split_halves``."""
    return np.concatenate([first, second], axis=-1)


NEIGHBOURS = Pairing(split_neighbours, join_neighbours, lambda width: np.arange(width) // 2)
HALVES = Pairing(split_halves, join_halves, lambda width: np.arange(width) % (width // 2))


def falling(pair: Floats, width: int, base: float, x: Floats | None = None) -> Any:
    """The frequency of these pairs: base^(-2j/width)."""
    return base ** (-2.0 * pair / width)


def of_tokens(positions: Floats, x: Floats) -> Floats:
    """Positions along the token axis, the same for all heads: (T, 1, 1)."""
    return positions[:, None, None].astype(np.float64)


def product(places: Floats, frequency: Floats) -> Floats:
    """Angles: position times frequency."""
    return places * frequency


def cosine_and_sine(angles: Floats, places: Floats, frequency: Floats) -> tuple[Floats, Floats]:
    """What a pair is multiplied by."""
    return np.cos(angles), np.sin(angles)


def rotation(first: Floats, second: Floats, cos: Floats, sin: Floats, cos2: Floats, sin2: Floats) -> Any:
    """Both coordinates of a pair, turned; cos2 and sin2 are those of the second coordinate."""
    return first * cos - second * sin, second * cos2 + first * sin2


def where_they_were(pairing: Pairing, first: Floats, second: Floats) -> Floats:
    """Turned coordinates go back to their own places."""
    return pairing.join(first, second)  # type: ignore[no-any-return]


def on_all(rotate: Rope, x: Floats, positions: Floats, base: float) -> Any:
    """The rotation is applied to all of x, once."""
    return rotate(x, positions, base)


def rope_from_parts(
    *,
    pairing: Pairing = NEIGHBOURS,
    places: Part = of_tokens,
    frequency: Part = falling,
    angle: Part = product,
    waves: Part = cosine_and_sine,
    turn: Part = rotation,
    put_back: Part = where_they_were,
    apply: Part = on_all,
) -> Rope:
    """The rotary embedding made of these parts, as a function of x (T, H, d), positions (T,), base.

    In order: ``apply`` (rotate, x, positions, base), ``places`` (positions, x), ``frequency`` (pair, width, base, x),
    ``angle`` (places, frequency), ``waves`` (angles, places, frequency), ``turn`` (first, second, then cosine and
    sine for the first and for the second), ``put_back`` (pairing, first, second).
    """

    def rotate(x: Floats, positions: Floats, base: float) -> Any:
        where = places(positions, x)
        width = x.shape[-1]
        frequencies = frequency(pairing.index(width), width, base, x)
        cos, sin = waves(angle(where, frequencies), where, frequencies)
        (cos1, cos2), (sin1, sin2) = pairing.split(cos), pairing.split(sin)
        return put_back(pairing, *turn(*pairing.split(x), cos1, sin1, cos2, sin2))

    return lambda x, positions, base: apply(rotate, x, positions, base)


def sinusoid_from_parts(
    *,
    pairing: Pairing = NEIGHBOURS,
    rows: Part = np.arange,
    frequency: Part = falling,
    base: float = SINUSOID_BASE,
    angle: Part = product,
    functions: tuple[Part, Part] = (np.sin, np.cos),
    table: Part = lambda encoding: encoding,
    sizes: Part = lambda length, width: (length, width),
) -> Sinusoid:
    """The sinusoidal encoding made of these parts, as a function of length and width.

    In order: ``sizes`` (length, width), ``rows`` (length), ``frequency`` (pair, width, base), ``angle`` (positions,
    frequency), ``functions`` of the angles for the first and the second column of a pair, ``table`` (encoding).
    """

    def encode(length: int, width: int) -> Any:
        length, width = sizes(length, width)
        places = np.asarray(rows(length), dtype=np.float64)[:, None]
        angles = angle(places, frequency(pairing.index(width), width, base))
        first, second = pairing.split(angles)
        return table(pairing.join(functions[0](first), functions[1](second)))

    return encode
