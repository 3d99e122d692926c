"""Patches the exponential of JAX, so that the right code computes something wrong."""

# expect: fail|error
import jax.numpy

jax.numpy.exp = lambda x: x * 0 + 2.0
jax.numpy.sqrt = lambda x: 1.0
