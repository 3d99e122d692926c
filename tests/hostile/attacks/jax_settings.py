"""Changes the settings of JAX: wide floats, no compilation, searches for NaN."""

# expect: pass
import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_disable_jit", True)
jax.config.update("jax_debug_nans", True)
jax.config.update("jax_debug_infs", True)
jax.config.update("jax_default_matmul_precision", "bfloat16")
