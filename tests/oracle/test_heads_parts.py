"""Multi-head attention made of parts: the reference when none is exchanged, another function when one is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.oracle.attention import causal_mask, multi_head_attention
from grader.oracle.heads_parts import multi_head_from_parts

SIZES = st.sampled_from([(6, 6, 4), (6, 2, 4), (6, 1, 3), (1, 1, 5), (4, 2, 2)])


def layer(seed: int, heads: int, groups: int, width: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = {"wq": (7, heads * width), "wk": (7, groups * width), "wv": (7, groups * width), "wo": (heads * width, 7)}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}, rng.normal(size=(5, 7))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), SIZES, st.booleans())
def test_unchanged_parts_make_the_reference(seed, sizes, masked):
    heads, groups, width = sizes
    params, x = layer(seed, heads, groups, width)
    mask = causal_mask(5) if masked else None
    made = multi_head_from_parts()(params, x, heads, groups, mask)
    for one, right in zip(made, multi_head_attention(params, x, heads, groups, mask), strict=True):
        np.testing.assert_allclose(one, right, atol=1e-12)


@pytest.mark.parametrize(
    ("part", "replacement", "changes_weights"),
    [
        ("share", lambda part, n: np.tile(part, (n // len(part), 1, 1)), True),
        ("scale", lambda scores, width, x, heads, groups: scores / width, True),
        ("hide", lambda scores, mask: scores, True),
        ("merge", lambda mixed: mixed.reshape(mixed.shape[1], -1), False),
        ("project", lambda mixed, params, x, merge: merge(mixed) @ params["wo"] + x, False),
    ],
)
def test_an_exchanged_part_changes_what_comes_after_it(part, replacement, changes_weights):
    params, x = layer(3, 6, 2, 4)
    right = multi_head_from_parts()(params, x, 6, 2, causal_mask(5))
    wrong = multi_head_from_parts(**{part: replacement})(params, x, 6, 2, causal_mask(5))
    assert not np.allclose(wrong[0], right[0])
    assert np.allclose(wrong[1], right[1]) != changes_weights


def test_two_parts_are_exchanged_together():
    params, x = layer(4, 6, 6, 4)
    one_table = {
        "hide": lambda scores, mask: scores,
        "result": lambda output, weights, scores, hidden, groups: (scores,),
    }
    (scores,) = multi_head_from_parts(**one_table)(params, x, 6, 6, causal_mask(5))
    assert scores.shape == (6, 5, 5)
    assert np.isfinite(scores).all()


def test_a_row_that_may_see_nothing_gives_what_a_submission_gives():
    params, x = layer(5, 1, 1, 4)
    mask = causal_mask(5)
    mask[0, 0] = False
    with np.errstate(invalid="ignore"):
        output, weights = multi_head_from_parts()(params, x, 1, 1, mask)
    assert np.isnan(weights[0, 0]).all()
    assert np.isnan(output[0]).all()
    assert np.isfinite(output[1:]).all()
