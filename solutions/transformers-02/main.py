"""transformers-02: the causal boundary."""

# %% Step 1: imports
import jax.numpy as jnp


# %% Step 2: the mask
def causal_mask(n_queries, n_keys):
    """Which query may look at which key.

    n_queries = Tq, n_keys = Tk -> mask (Tq, Tk), True where the query may look
    """
    # Aligned at the end: the last query stands at the last key, query i at key i + Tk - Tq.
    positions = jnp.arange(n_queries) + n_keys - n_queries
    mask = jnp.arange(n_keys)[None, :] <= positions[:, None]
    return mask


# %% Step 3: softmax over what is visible
def masked_softmax(scores, mask):
    """Share out 1 among the visible keys of every row.

    scores (Tq, Tk), mask (Tq, Tk) of True and False -> weights (Tq, Tk)
    """
    # The largest visible score of each row, (Tq, 1); -inf where a row sees nothing.
    largest = jnp.where(mask, scores, -jnp.inf).max(axis=-1, keepdims=True)

    # e to the power -inf is exactly 0: hidden keys get nothing.
    exponentials = jnp.exp(jnp.where(mask, scores - largest, -jnp.inf))

    # A row that sees nothing has a total of 0; divided by 1 it stays 0.
    totals = exponentials.sum(axis=-1, keepdims=True)
    weights = exponentials / jnp.where(totals == 0, 1, totals)
    return weights


# %% Step 4: causal attention
def causal_attend(q, k, v):
    """Attention in which no query sees a later key.

    q (Tq, Dk), k (Tk, Dk), v (Tk, Dv) -> output (Tq, Dv), weights (Tq, Tk)
    """
    # As in lesson 01: a row per query, a column per key, (Tq, Tk).
    scores = q @ k.T / jnp.sqrt(k.shape[-1])

    # The queries are the last q.shape[0] positions of the k.shape[0] that there are.
    weights = masked_softmax(scores, causal_mask(q.shape[0], k.shape[0]))
    output = weights @ v
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
t = 6
new_k = k.at[t + 1 :].set(3.0)
new_v = v.at[t + 1 :].set(-5.0)
changed, _ = causal_attend(q, new_k, new_v)

# %% Exercise 2: a window of three
distance = jnp.arange(10)[:, None] - jnp.arange(10)[None, :]  # how far key j lies behind query i
window = causal_mask(10, 10) & (distance < 3)
window_w = masked_softmax(jnp.zeros((10, 10)), window)
two_layers = window_w @ window_w


# %% Exercise 3: a mask that forgets
def forgetful_weights(some_q, all_k):
    """Given, and wrong: the weights of the last queries over all keys."""
    mask = jnp.tril(jnp.ones((some_q.shape[0], all_k.shape[0]), dtype=bool))
    return masked_softmax(some_q @ all_k.T / jnp.sqrt(all_k.shape[-1]), mask)


forgotten = forgetful_weights(q[-3:], k)
repaired = masked_softmax(q[-3:] @ k.T / jnp.sqrt(k.shape[-1]), causal_mask(3, 10))

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
