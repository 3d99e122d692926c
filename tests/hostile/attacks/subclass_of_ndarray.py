"""attend returns arrays of a subclass whose comparisons always agree."""

# place: after
# expect: fail
import numpy as np


class Agreeing(np.ndarray):
    def __eq__(self, other):
        return np.ones(self.shape, bool)

    def __array_ufunc__(self, *_, **__):
        return np.zeros(self.shape)

    def __array_function__(self, *_, **__):
        return True


def attend(q, k, v):
    return np.zeros((len(q), v.shape[1])).view(Agreeing), np.zeros((len(q), len(k))).view(Agreeing)
