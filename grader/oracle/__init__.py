"""NumPy float64 references, independent of JAX."""
