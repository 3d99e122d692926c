"""The NumPy oracle of positions: the relations that define it, and its two ways of computing it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.oracle import positions_parts as parts
from grader.oracle.positions import CONVENTIONS, HALVES, NEIGHBOURS, frequencies, rope, scores_by_distance, sinusoid
from grader.oracle.positions_parts import rope_from_parts, sinusoid_from_parts

SEEDS = st.integers(0, 2**32 - 1)
PAIRS = st.integers(1, 6)
BASES = st.sampled_from([2.0, 100.0, 10000.0, 500000.0])


def tokens(seed: int, pairs: int, *, heads: int = 2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(5, heads, 2 * pairs)), rng.integers(0, 50, 5)


def test_frequencies_fall_from_one_by_one_factor():
    assert np.allclose(frequencies(8, 10000.0), [1, 0.1, 0.01, 0.001], rtol=1e-12)
    assert np.allclose(frequencies(2, 7.0), [1.0])


@pytest.mark.parametrize("convention", CONVENTIONS, ids=str)
@given(seed=SEEDS, pairs=PAIRS, base=BASES)
def test_rope_is_a_rotation_by_positions_that_add_up(convention, seed, pairs, base):
    x, positions = tokens(seed, pairs)
    rotated = rope(x, positions, base, convention)
    assert np.allclose(np.abs(convention.to_complex(rotated)), np.abs(convention.to_complex(x)))
    assert np.allclose(rope(x, 0 * positions, base, convention), x)
    assert np.allclose(
        rope(rotated, positions[::-1], base, convention), rope(x, positions * 1 + positions[::-1], base, convention)
    )


@given(seed=SEEDS, pairs=PAIRS, base=BASES, shift=st.integers(0, 1000))
def test_scores_keep_the_distance_alone(seed, pairs, base, shift):
    x, positions = tokens(seed, pairs, heads=1)
    query, key = x[0, 0], x[1, 0]
    rows = (len(positions), 1, 1)
    near, far = (
        (rope(np.tile(query, rows), positions + s, base) * rope(np.tile(key, rows), 0 * positions + s, base)).sum(
            (1, 2)
        )
        for s in (0, shift)
    )
    assert np.allclose(near, far)
    assert np.allclose(near, scores_by_distance(query, key, positions, base))


def test_the_first_pair_turns_one_radian_counter_clockwise():
    turned = rope(np.eye(4)[:1, None], [1], 100.0)[0, 0]
    assert np.allclose(turned, [np.cos(1), np.sin(1), 0, 0])
    assert np.allclose(rope(np.eye(4)[:1, None], [1], 100.0, HALVES)[0, 0], [np.cos(1), 0, np.sin(1), 0])
    backwards = rope(np.eye(4)[:1, None], [1], 100.0, CONVENTIONS[2])[0, 0]
    assert np.allclose(backwards, [np.cos(1), -np.sin(1), 0, 0])


@given(st.integers(1, 20), PAIRS)
def test_products_of_encodings_are_cosines_of_the_distance(length, pairs):
    encoding = sinusoid(length, 2 * pairs)
    distance = np.subtract.outer(np.arange(length), np.arange(length))
    expected = np.cos(distance[..., None] * frequencies(2 * pairs, 10000.0)).sum(-1)
    assert np.allclose(encoding @ encoding.T, expected)


def test_layouts_hold_the_same_columns():
    alternating, halves = sinusoid(7, 6), sinusoid(7, 6, HALVES)
    assert np.array_equal(halves, np.concatenate([alternating[:, 0::2], alternating[:, 1::2]], axis=1))
    assert alternating[0].tolist() == [0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("pairing", "convention"), [(parts.NEIGHBOURS, NEIGHBOURS), (parts.HALVES, HALVES)], ids=["neighbours", "halves"]
)
@given(seed=SEEDS, pairs=PAIRS, base=BASES)
def test_parts_make_the_reference(pairing, convention, seed, pairs, base):
    x, positions = tokens(seed, pairs)
    assert np.allclose(rope_from_parts(pairing=pairing)(x, positions, base), rope(x, positions, base, convention))
    assert np.allclose(sinusoid_from_parts(pairing=pairing)(9, 2 * pairs), sinusoid(9, 2 * pairs, convention))
