"""Arrays as a person types them."""

from __future__ import annotations

import numpy as np

from grader.model import Array

NUMBERS_SHOWN = 60


def typed(array: Array) -> str:
    """An array as a nested list in as few digits as tell it apart; long ones are cut by rows."""
    values = np.asarray(array)
    if values.size > NUMBERS_SHOWN and len(values) > 1:
        rows = max(1, NUMBERS_SHOWN * len(values) // values.size)
        return f"{typed(values[:rows])[:-1]}, …]  (the first {rows} of {len(values)} rows)"
    if values.ndim == 0:
        return f"{float(values) + 0.0:.6g}"  # no -0
    return "[" + ", ".join(typed(row) for row in values) + "]"
