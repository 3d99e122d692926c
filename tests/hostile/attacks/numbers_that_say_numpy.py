"""attend returns scalars whose class says that NumPy made it, and which convert themselves."""

# place: after
# expect: fail|error
import numpy as np


class float64(np.float64):
    __module__ = "numpy"

    def __array__(self, *_, **__):
        return np.array([lambda: print("BREACH: an object")], dtype=object)

    def __eq__(self, other):
        return True


def attend(q, k, v):
    return [[float64(0)] * v.shape[1]] * len(q), [[float64(0)] * len(k)] * len(q)
