"""Positions in NumPy float64: the sinusoidal encoding and the rotary embedding by complex numbers.

A pair of coordinates is one complex number, and turning it by an angle is one product with e^(i·angle)
(Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021, section 3.2). Two ways to pair
coordinates are in use and both are here; so are both directions. Nothing here imports JAX.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]

SINUSOID_BASE = 10000.0


@dataclass(frozen=True)
class Convention:
    """How coordinates are paired and which way the pairs turn; every choice is right."""

    halves: bool = False
    backwards: bool = False

    def __str__(self) -> str:
        pairs = "half-split pairs (j, j + d/2)" if self.halves else "neighbouring pairs (2j, 2j + 1)"
        return f"{pairs}, turned {'backwards' if self.backwards else 'forwards'}"

    def to_complex(self, x: ArrayLike) -> Complex:
        """(…, d) -> (…, d/2): every pair as one complex number."""
        rows = np.asarray(x, dtype=np.float64)
        half = rows.shape[-1] // 2
        if self.halves:
            return rows[..., :half] + 1j * rows[..., half:]
        return rows[..., 0::2] + 1j * rows[..., 1::2]

    def to_real(self, z: Complex) -> Floats:
        """(…, d/2) -> (…, d): the inverse of ``to_complex``."""
        if self.halves:
            return np.concatenate([z.real, z.imag], axis=-1)
        return np.stack([z.real, z.imag], axis=-1).reshape(*z.shape[:-1], -1)


NEIGHBOURS, HALVES = Convention(), Convention(halves=True)
CONVENTIONS = (NEIGHBOURS, HALVES, Convention(backwards=True), Convention(halves=True, backwards=True))


def frequencies(width: int, base: float) -> Floats:
    """Radians by which each pair turns from one position to the next, (width/2,): base^(-2j/width)."""
    return base ** (-2.0 * np.arange(width // 2) / width)


def rope(x: ArrayLike, positions: ArrayLike, base: float, convention: Convention = NEIGHBOURS) -> Floats:
    """Every pair of x (T, H, d) turned by its token's position, of positions (T,), times its frequency."""
    rows = np.asarray(x, dtype=np.float64)
    angles = np.asarray(positions, dtype=np.float64)[:, None, None] * frequencies(rows.shape[-1], base)
    turn = np.exp(-1j * angles if convention.backwards else 1j * angles)
    return convention.to_real(convention.to_complex(rows) * turn)


def sinusoid(length: int, width: int, convention: Convention = NEIGHBOURS) -> Floats:
    """(T, D): sin(p·θⱼ) with cos(p·θⱼ) in its pair, θⱼ = 10000^(-2j/D) (Vaswani et al., 2017, section 3.5).

    Neighbouring columns hold a pair there; with ``halves`` all sines come first.
    """
    angles = np.arange(length, dtype=np.float64)[:, None] * frequencies(width, SINUSOID_BASE)
    return convention.to_real(np.sin(angles) + 1j * np.cos(angles))


def scores_by_distance(query: ArrayLike, key: ArrayLike, distances: ArrayLike, base: float) -> Floats:
    """Dot products of query (d,) with key (d,), ``distances`` (n,) positions further back, (n,).

    In complex numbers: the real part of ∑ⱼ qⱼ · conj(kⱼ) · e^(i·distance·θⱼ).
    """
    products = NEIGHBOURS.to_complex(query) * NEIGHBOURS.to_complex(key).conj()
    angles = np.asarray(distances, dtype=np.float64)[:, None] * frequencies(np.asarray(query).shape[-1], base)
    return np.asarray((products * np.exp(1j * angles)).real.sum(axis=-1))
