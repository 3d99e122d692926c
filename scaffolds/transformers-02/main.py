"""transformers-02: the causal boundary."""

# %% Step 1: imports
import jax.numpy as jnp


# %% Step 2: the mask
def causal_mask(n_queries, n_keys):
    """Which query may look at which key.

    n_queries = Tq, n_keys = Tk -> mask (Tq, Tk), True where the query may look
    """
    # Aligned at the end: the last query stands at the last key, query i at key i + Tk - Tq.
    mask = ...  # TODO: True where key j ≤ query i's position, (Tq, Tk)
    return mask


# %% Step 3: softmax over what is visible
def masked_softmax(scores, mask):
    """Share out 1 among the visible keys of every row.

    scores (Tq, Tk), mask (Tq, Tk) of True and False -> weights (Tq, Tk)
    """
    # The largest visible score of each row, (Tq, 1); -inf where a row sees nothing.
    largest = ...  # TODO: the row maximum over visible scores alone, (Tq, 1)

    # e to the power -inf is exactly 0: hidden keys get nothing.
    exponentials = ...  # TODO: e to (score - largest) where visible, 0 where hidden, (Tq, Tk)

    # A row that sees nothing has a total of 0; divided by 1 it stays 0.
    weights = ...  # TODO: exponentials over the total of their row, zeros for an empty row, (Tq, Tk)
    return weights


# %% Step 4: causal attention
def causal_attend(q, k, v):
    """Attention in which no query sees a later key.

    q (Tq, Dk), k (Tk, Dk), v (Tk, Dv) -> output (Tq, Dv), weights (Tq, Tk)
    """
    # As in lesson 01: a row per query, a column per key, (Tq, Tk).
    scores = q @ k.T / jnp.sqrt(k.shape[-1])

    # The queries are the last q.shape[0] positions of the k.shape[0] that there are.
    weights = ...  # TODO: masked_softmax of the scores under the causal mask, (Tq, Tk)
    output = ...  # TODO: the mixture of the values, (Tq, Dv)
    return output, weights


# %% Step 5: run and check
words = ["The", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "tired"]
searching = {  # queries; a word that is not listed looks for nothing in particular
    "animal": [-1, 0, -1, 0],
    "cross": [1, 1, 0, 1],
    "street": [-2, 0, -2, 0],
    "it": [1, 1, 1, 1],
    "tired": [2, 2, 0, 2],
}
offering = {  # keys
    "the": [-1, 0, -1, 0],
    "animal": [1, 1, 1, 1],
    "didn't": [0, -1, 0, -1],
    "cross": [0, 1, -1, -1],
    "street": [1, 0, 0, 0],
    "because": [-1, -1, 0, 0],
    "it": [0, 0, 0, 0],
    "was": [0, 0, -1, 0],
    "tired": [1, 1, 0, 0],
}
nouns = ("animal", "street")
q = jnp.array([searching.get(word, [0, 0, 0, 0]) for word in words], dtype=jnp.float32)  # (10, 4)
k = jnp.array([offering[word.lower()] for word in words], dtype=jnp.float32)  # (10, 4)
v = jnp.array([[len(word), word in nouns] for word in words], dtype=jnp.float32)  # (10, 2): letters, noun or not
output, weights = causal_attend(q, k, v)

# Experiment 1: the same scores with nothing hidden.
free_w = masked_softmax(q @ k.T / jnp.sqrt(k.shape[-1]), jnp.ones((10, 10), dtype=bool))

# Experiment 2: queries without a preference.
means, _ = causal_attend(jnp.zeros((10, 4)), k, v)

# %% Exercise 1: make it yours
t = ...  # TODO: a position from 0 to 8; everything after it will change
new_k = ...  # TODO: k with other numbers in the rows after t, (10, 4)
new_v = ...  # TODO: v with other numbers in the rows after t, (10, 2)
changed = ...  # TODO: the output of causal_attend for q, new_k and new_v, (10, 2)

# %% Exercise 2: a window of three
window_w = ...  # TODO: masked_softmax of zeros (10, 10) under a causal window of three, (10, 10)
two_layers = ...  # TODO: how much of position j arrives at position i after two such layers, (10, 10)


# %% Exercise 3: a mask that forgets
def forgetful_weights(some_q, all_k):
    """Given, and wrong: the weights of the last queries over all keys."""
    mask = jnp.tril(jnp.ones((some_q.shape[0], all_k.shape[0]), dtype=bool))
    return masked_softmax(some_q @ all_k.T / jnp.sqrt(all_k.shape[-1]), mask)


forgotten = ...  # TODO: forgetful_weights of the last three queries, (3, 10)
repaired = ...  # TODO: the right weights of the same three queries; leave forgetful_weights as it is, (3, 10)

# %% What came out
answers = {
    "output": output,
    "weights": weights,
    "free_w": free_w,
    "means": means,
    "t": t,
    "new_k": new_k,
    "new_v": new_v,
    "changed": changed,
    "window_w": window_w,
    "two_layers": two_layers,
    "forgotten": forgotten,
    "repaired": repaired,
}
for name, value in answers.items():
    if value is not ...:
        print(name, jnp.array_str(jnp.atleast_1d(value), precision=3, suppress_small=True), sep="\n")
unfinished = [name for name, value in answers.items() if value is ...]
if unfinished:
    print("Still to do:", ", ".join(unfinished))
    print("Fill in the first TODO from the top, save, then: grade lesson transformers-02")
