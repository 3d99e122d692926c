"""Patches every comparison there is; attend is wrong."""

# place: after
# expect: fail
import builtins, numpy as np, numpy.testing, math

for module in (np, jnp, np.testing, math, np.linalg):
    for name in (
        "allclose",
        "isclose",
        "array_equal",
        "array_equiv",
        "assert_allclose",
        "equal",
        "less",
        "greater",
        "max",
        "abs",
        "isnan",
        "norm",
    ):
        if hasattr(module, name):
            setattr(module, name, lambda *_, **__: True)


def attend(q, k, v):
    weights = jnp.ones((len(q), len(k))) / len(k)
    return weights @ v, weights
