"""transformers-01: attention from small pieces."""

# %% Step 1: imports
import jax
import jax.numpy as jnp


# %% Step 2: the mechanism
def attend(q, k, v):
    """Mix the value rows once per query.

    q (Tq, Dk), k (Tk, Dk), v (Tk, Dv) -> output (Tq, Dv), weights (Tq, Tk)
    """
    weights = jax.nn.softmax(q @ k.T / jnp.sqrt(k.shape[-1]), axis=0)
    return weights @ v, weights


# %% Step 3: run and check
q = jnp.zeros((2, 2))
k = jnp.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
v = jnp.array([[2.0, 0.0], [0.0, 4.0], [4.0, 2.0]])
output, weights = attend(q, k, v)

# Experiment 1: a query that prefers keys whose first coordinate is large.
q_new = jnp.array([[2.0, 0.0]])
actual, w_new = attend(q_new, k, v)

# Experiment 2: the same vector added to every value row.
moved, _ = attend(q_new, k, v + jnp.array([[5.0, -2.0]]))

# %% Exercise 1: make it yours
order = jnp.array([2, 0, 1])
paired, _ = attend(q_new, k[order], v[order])
mismatched, _ = attend(q_new, k, v[order])

# %% Exercise 2: a different value width
scalar_v = jnp.array([[3.0], [6.0], [9.0]])
scalar_out, _ = attend(q, k, scalar_v)

# %% Exercise 3: a wrong softmax axis
exponentials = jnp.exp(jnp.zeros((2, 3)))
wrong_w = exponentials / exponentials.sum(axis=0, keepdims=True)
right_w = exponentials / exponentials.sum(axis=-1, keepdims=True)

# %% What came out
answers = {
    "output": output,
    "weights": weights,
    "actual": actual,
    "w_new": w_new,
    "moved": moved,
    "order": order,
    "paired": paired,
    "mismatched": mismatched,
    "scalar_v": scalar_v,
    "scalar_out": scalar_out,
    "wrong_w": wrong_w,
    "right_w": right_w,
}
for name, value in answers.items():
    if value is not ...:
        print(name, jnp.array_str(jnp.asarray(value), precision=4), sep="\n")
unfinished = [name for name, value in answers.items() if value is ...]
if unfinished:
    print("Still to do:", ", ".join(unfinished))
    print("Fill in the first TODO from the top, save, then: grade lesson transformers-01")
