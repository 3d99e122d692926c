"""Throws the backends and caches of JAX away, and asks for another platform."""

# expect: pass|fail|error
import jax, jax.extend

jax.numpy.ones(3).sum()
jax.clear_caches()
jax.extend.backend.clear_backends()
jax.config.update("jax_platforms", "cuda,cpu")
