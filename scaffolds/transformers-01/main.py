"""transformers-01: attention from small pieces."""

# %% Step 1: imports
import jax.numpy as jnp


# %% Step 2: the mechanism
def attend(q, k, v):
    """Mix the value rows once per query.

    q (Tq, Dk), k (Tk, Dk), v (Tk, Dv) -> output (Tq, Dv), weights (Tq, Tk)
    """
    # A row per query, a column per key: (Tq, Dk) @ (Dk, Tk) -> (Tq, Tk).
    scores = ...  # TODO: the scaled scores, (Tq, Tk)

    # Softmax over the keys; the largest score of each row becomes exp(0) = 1.
    weights = ...  # TODO: the softmax of every row of scores, (Tq, Tk)

    # Each output row is a weighted average of value rows.
    output = ...  # TODO: the mixture, (Tq, Dv)
    return output, weights


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
order = ...  # TODO: the row numbers 0, 1, 2 in another order, as a jnp.array
paired = ...  # TODO: the output for q_new when keys and values are both reordered
mismatched = ...  # TODO: the output for q_new when only the values are reordered

# %% Exercise 2: a different value width
scalar_v = ...  # TODO: the values 3, 6, 9 as a column, (3, 1)
scalar_out = ...  # TODO: the output of attend(q, k, scalar_v)

# %% Exercise 3: a wrong softmax axis
wrong_w = ...  # TODO: the softmax of jnp.zeros((2, 3)) over axis 0: the fault
right_w = ...  # TODO: the softmax of jnp.zeros((2, 3)) over the keys: the repair

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
