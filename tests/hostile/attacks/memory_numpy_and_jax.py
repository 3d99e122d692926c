"""Asks NumPy and JAX for more than there is."""

# expect: pass, event raised
import numpy, jax.numpy

attempt(numpy.ones, 1 << 40)
attempt(numpy.ones, 1 << 31)
attempt(lambda: jax.numpy.ones(1 << 30).block_until_ready())
attempt(lambda: jax.numpy.ones((1 << 16, 1 << 16)) @ jax.numpy.ones((1 << 16, 1 << 16)))
too_large = numpy.zeros((1 << 20, 1 << 20))
