"""Normalisation of rows in NumPy float64: the references that submissions are compared with.

Rows x (…, T, D) are normalised over their last axis. Nothing here imports JAX.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from grader.oracle.attention import Floats


def layer_norm(x: ArrayLike, gain: ArrayLike, bias: ArrayLike, eps: float) -> Floats:
    """gain · (x - mean) / √(variance + eps) + bias, with the biased variance (mean of squared deviations).

    x (…, T, D), gain (D,), bias (D,) -> (…, T, D). Ba, Kiros and Hinton, "Layer Normalization" (2016), equation 4.
    A row of equal numbers becomes ``bias``; with eps = 0 it is 0/0, so NaN.
    """
    rows = np.asarray(x, dtype=np.float64)
    centred = rows - rows.mean(axis=-1, keepdims=True)
    return _over_root(centred, eps) * np.asarray(gain, dtype=np.float64) + np.asarray(bias, dtype=np.float64)


def rms_norm(x: ArrayLike, gain: ArrayLike, eps: float) -> Floats:
    """gain · x / √(mean of squares + eps).

    x (…, T, D), gain (D,) -> (…, T, D). Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019), equation 4,
    with eps under the root as implementations have it. A row of zeros stays one; with eps = 0 it is NaN.
    """
    return _over_root(np.asarray(x, dtype=np.float64), eps) * np.asarray(gain, dtype=np.float64)


def _over_root(rows: Floats, eps: float) -> Floats:
    """Every row over the root of its mean square plus ``eps``."""
    with np.errstate(invalid="ignore"):
        return rows / np.sqrt(np.square(rows).mean(axis=-1, keepdims=True) + eps)  # type: ignore[no-any-return]
