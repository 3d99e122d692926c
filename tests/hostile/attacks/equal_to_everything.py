"""attend returns objects that equal everything, claim to be arrays, and hide their class."""


# place: after
# expect: fail
class Liar:
    shape, dtype, ndim, __module__ = (3, 4), jnp.float32, 2, "numpy"
    __class__ = jnp.ndarray

    def __eq__(self, other):
        return True

    def __array__(self, *_, **__):
        return jnp.zeros((3, 4))

    def __bool__(self):
        return True

    def __getattr__(self, name):
        return self


def attend(q, k, v):
    return Liar(), Liar()
