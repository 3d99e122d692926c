"""transformers-03: many heads, fewer keys."""

# %% Step 1: imports
import jax
import jax.numpy as jnp


# %% Step 2: split
def split_heads(x, n_heads):
    """Cut every row into heads: head h owns the columns h·d to (h+1)·d.

    x (T, H·d), n_heads = H -> heads (H, T, d)
    """
    heads = ...  # TODO: every row in n_heads pieces, then the axis of heads in front, (H, T, d)
    return heads


# %% Step 3: merge
def merge_heads(x):
    """Lay the heads side by side again, what split_heads undoes.

    x (H, T, d) -> rows (T, H·d)
    """
    rows = ...  # TODO: the axis of tokens in front, then all heads of a token in one row, (T, H·d)
    return rows


# %% Step 4: the mechanism
def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    """Attend in every head, then let wo combine what the heads found.

    params {wq (D, H·d), wk (D, G·d), wv (D, G·d), wo (H·d, D)}, x (T, D), n_heads = H,
    n_kv_heads = G, mask (T, T) bool or None -> output (T, D), weights (H, T, T)
    """
    q = ...  # TODO: x times its matrix, split into n_heads heads, (H, T, d)
    k = ...  # TODO: the same with wk and n_kv_heads heads, (G, T, d)
    v = ...  # TODO: the same with wv and n_kv_heads heads, (G, T, d)

    # Each key/value head serves H/G query heads in a row.
    k = ...  # TODO: each key head H/G times in a row, (H, T, d)
    v = ...  # TODO: each value head H/G times in a row, (H, T, d)

    # A table of scores for every head, scaled by the width of one head.
    scores = ...  # TODO: queries times transposed keys, scaled, (H, T, T)

    # The mask is the same for all heads; softmax runs over the keys.
    weights = ...  # TODO: the softmax of scores, after hiding what mask forbids if there is one, (H, T, T)

    # Every head mixes its own values; wo turns the heads, side by side, into the output.
    mixed = ...  # TODO: each head's weights times its values, (H, T, d)
    output = ...  # TODO: the heads merged, then times wo, (T, D)
    return output, weights


# %% Step 5: run and check
# Experiment 1: twelve numbers, cut into three heads and put together again.
numbers = jnp.arange(12.0).reshape(2, 6)  # (T, H·d) with T = 2, H = 3, d = 2
heads = split_heads(numbers, 3)
back = merge_heads(heads)

# Experiment 2: five words, described by three features each.
thing, pronoun, state = jnp.eye(3)
none = jnp.zeros(3)
x = jnp.stack([thing + state / 2, thing, pronoun, none, state])  # (T, D): animal, street, it, was, tired

# Four query heads on two key/value heads of width 2: a column says which feature it reads.
params = {
    "wq": 4 * jnp.stack([pronoun, pronoun / 4, none, thing, state, none, pronoun, state], axis=1),  # (D, H·d)
    "wk": jnp.stack([thing, state, pronoun, state], axis=1),  # (D, G·d)
    "wv": jnp.stack([state, thing, thing, pronoun], axis=1),  # (D, G·d)
    "wo": jnp.stack([state, thing, state, thing / 4, thing, pronoun, thing / 4, pronoun / 2]),  # (H·d, D)
}
output, weights = multi_head_attention(params, x, 4, 2, None)

# Experiment 3: the same words, each looking at itself and at what came before.
past = jnp.tril(jnp.ones((5, 5), dtype=bool))
masked, masked_weights = multi_head_attention(params, x, 4, 2, past)

# %% Exercise 1: make it yours
head = ...  # TODO: the number of a head of your choice, 0 to 3
contributions = ...  # TODO: what each head adds to output, (H, T, D)
without = ...  # TODO: the output when the rows of wo that belong to your head are 0, (T, D)

# %% Exercise 2: fewer keys, and what they save
wide_wk = ...  # TODO: wk with the columns of each key head twice in a row, (D, H·d)
wide_wv = ...  # TODO: wv with the columns of each value head twice in a row, (D, H·d)
token_bytes = ...  # TODO: bytes of cache for one token with 32, 8 and 1 key/value heads, (3,)


# %% Exercise 3: a port with three faults
def ported(q, k, v):
    """What the heads found, side by side: q (H, T, d), k and v (G, T, d) -> (T, H·d).

    It runs, and it is wrong in three lines.
    """
    n_heads, tokens, head_width = q.shape
    k = jnp.tile(k, (n_heads // len(k), 1, 1))
    v = jnp.tile(v, (n_heads // len(v), 1, 1))
    scores = q @ k.transpose(0, 2, 1) / jnp.sqrt(head_width)
    weights = jax.nn.softmax(scores, axis=0)
    return (weights @ v).reshape(tokens, n_heads * head_width)


def repaired(q, k, v):
    """The same without its three faults: q (H, T, d), k and v (G, T, d) -> found (T, H·d)."""
    found = ...  # TODO: the program above, repaired, (T, H·d)
    return found


# Four query heads on two key/value heads of width 2, three tokens.
small = jnp.arange(24.0).reshape(4, 3, 2) / 24
from_port = ported(small, small[:2], small[2:])
from_repair = repaired(small, small[:2], small[2:])

# %% What came out
answers = {
    "heads": heads,
    "back": back,
    "output": output,
    "weights": weights,
    "masked": masked,
    "masked_weights": masked_weights,
    "head": head,
    "contributions": contributions,
    "without": without,
    "wide_wk": wide_wk,
    "wide_wv": wide_wv,
    "token_bytes": token_bytes,
    "from_port": from_port,
    "from_repair": from_repair,
}
for name, value in answers.items():
    if value is not ...:
        print(name, jnp.array_str(jnp.atleast_1d(jnp.asarray(value)), precision=4), sep="\n")
unfinished = [name for name, value in answers.items() if value is ...]
if unfinished:
    print("Still to do:", ", ".join(unfinished))
    print("Fill in the first TODO from the top, save, then: grade lesson transformers-03")
