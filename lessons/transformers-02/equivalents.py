# Other right ways of writing the lesson's code. Each cell takes the place of the cells of the
# solution that set the same names; `grade verify` shows that every one of them passes.

# %% tril with an offset
def causal_mask(n_queries, n_keys):
    return jnp.tril(jnp.ones((n_queries, n_keys), dtype=bool), k=n_keys - n_queries)


# %% tri with an offset
def causal_mask(n_queries, n_keys):
    return jnp.tri(n_queries, n_keys, k=n_keys - n_queries, dtype=bool)


# %% not the upper triangle
def causal_mask(Tq, Tk):
    return ~jnp.triu(jnp.ones((Tq, Tk), dtype=bool), Tk - Tq + 1)


# %% distances to the end
def causal_mask(n_queries, n_keys):
    behind_query = jnp.arange(n_queries, 0, -1)
    behind_key = jnp.arange(n_keys, 0, -1)
    return jnp.greater_equal(behind_key[None, :], behind_query[:, None])


# %% broadcasted iota
import jax


def causal_mask(n_queries, n_keys):
    rows = jax.lax.broadcasted_iota(jnp.int32, (n_queries, n_keys), 0)
    columns = jax.lax.broadcasted_iota(jnp.int32, (n_queries, n_keys), 1)
    return columns - rows <= n_keys - n_queries


# %% a mask of Python lists
def causal_mask(n_queries, n_keys):
    return jnp.array([[j <= i + n_keys - n_queries for j in range(n_keys)] for i in range(n_queries)])


# %% vmap over positions
import jax


def causal_mask(n_queries, n_keys):
    keys = jnp.arange(n_keys)
    return jax.vmap(lambda position: keys <= position)(jnp.arange(n_keys - n_queries, n_keys))


# %% floats turned into a mask
def causal_mask(n_queries, n_keys):
    return jnp.tril(jnp.ones((n_queries, n_keys)), n_keys - n_queries).astype(bool)


# %% a mask from indices
def causal_mask(n_queries, n_keys):
    i, j = jnp.indices((n_queries, n_keys))
    return jnp.where(j > i + (n_keys - n_queries), False, True)


# %% a mask in NumPy
import numpy as np


def causal_mask(n_queries, n_keys):
    return np.tri(n_queries, n_keys, n_keys - n_queries) == 1


# %% cached masks
import functools


@functools.lru_cache(maxsize=None)
def causal_mask(n_queries, n_keys):
    return jnp.arange(n_keys) < jnp.arange(n_keys - n_queries + 1, n_keys + 1)[:, None]


# %% jax.nn.softmax with where
import jax


def masked_softmax(scores, mask):
    weights = jax.nn.softmax(scores, axis=-1, where=mask)
    return jnp.where(mask.any(axis=-1, keepdims=True), weights, 0.0)


# %% NaN of an empty row replaced
import jax


def masked_softmax(scores, mask):
    return jnp.nan_to_num(jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1), nan=0.0)


# %% a fill of -1e9, zeros afterwards
import jax


def masked_softmax(scores, mask):
    return jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1) * mask


# %% a penalty of -1e9, zeros for empty rows
import jax


def masked_softmax(scores, mask):
    weights = jax.nn.softmax(scores + (~mask) * -1e9, axis=-1)
    return jnp.where(mask.any(axis=-1, keepdims=True), weights, 0.0)


# %% the smallest float
import jax


def masked_softmax(scores, mask):
    hidden = jnp.where(mask, scores, jnp.finfo(scores.dtype).min)
    return jnp.where(mask, jax.nn.softmax(hidden), 0)


# %% the logarithm of the mask
import jax


def masked_softmax(scores, mask):
    weights = jax.nn.softmax(scores + jnp.log(mask.astype(scores.dtype)), axis=-1)
    return jnp.where(jnp.any(mask, -1, keepdims=True), weights, 0.0)


# %% masked after the softmax and shared out again
import jax


def masked_softmax(scores, mask):
    weights = jax.nn.softmax(scores, axis=-1) * mask
    total = weights.sum(axis=-1, keepdims=True)
    return weights / jnp.where(total == 0, 1.0, total)


# %% a tiny epsilon in the denominator
def masked_softmax(scores, mask):
    largest = jnp.max(scores, axis=-1, keepdims=True, where=mask, initial=-1e30)
    exponentials = jnp.where(mask, jnp.exp(jnp.where(mask, scores - largest, 0.0)), 0.0)
    return exponentials / (exponentials.sum(-1, keepdims=True) + 1e-9)


# %% softmax row by row under vmap
import jax


def masked_softmax(scores, mask):
    def one_row(row, visible):
        row = jnp.where(visible, row, -1e30)
        exponentials = jnp.exp(row - row.max()) * visible
        return exponentials / jnp.maximum(exponentials.sum(), 1e-30)

    return jax.vmap(one_row)(scores, mask)


# %% logsumexp
import jax


def masked_softmax(scores, mask):
    total = jax.scipy.special.logsumexp(scores, axis=-1, keepdims=True, b=mask)
    return jnp.where(mask, jnp.exp(jnp.where(mask, scores - total, -jnp.inf)), 0.0)


# %% an empty row sees everything first
import jax


def masked_softmax(scores, mask):
    empty = ~mask.any(axis=-1, keepdims=True)
    weights = jax.nn.softmax(jnp.where(mask | empty, scores, -jnp.inf), axis=-1)
    return jnp.where(empty, 0.0, weights)


# %% lists of Python numbers
import math


def masked_softmax(scores, mask):
    rows = []
    for row, visible in zip(scores.tolist(), mask.tolist()):
        shown = [score for score, seen in zip(row, visible) if seen]
        total = sum(math.exp(score - max(shown)) for score in shown)
        rows.append([math.exp(score - max(shown)) / total if seen else 0.0 for score, seen in zip(row, visible)])
    return jnp.array(rows)


# %% softmax in NumPy
import numpy as np


def masked_softmax(scores, mask):
    scores, mask = np.array(scores), np.asarray(mask)
    weights = np.zeros_like(scores)
    for row in range(len(scores)):
        if mask[row].any():
            shown = scores[row, mask[row]]
            exponentials = np.exp(shown - shown.max())
            weights[row, mask[row]] = exponentials / exponentials.sum()
    return weights


# %% a jit object
import jax


@jax.jit
def masked_softmax(scores, mask):
    hidden = jnp.where(mask, scores, -jnp.inf)
    largest = jax.lax.stop_gradient(jnp.maximum(hidden.max(axis=-1, keepdims=True), -1e30))
    exponentials = jnp.exp(hidden - largest)
    return exponentials / jnp.maximum(exponentials.sum(axis=-1, keepdims=True), 1e-30)


# %% the library's attention for the output
import jax


def causal_attend(q, k, v):
    mask = causal_mask(len(q), len(k))
    weights = masked_softmax(q @ k.T / k.shape[1] ** 0.5, mask)
    heads = [part[None, :, None, :] for part in (q, k)]
    width = max(k.shape[1], v.shape[1])
    padded = [jnp.pad(part, ((0, 0), (0, 0), (0, 0), (0, width - k.shape[1]))) for part in heads]
    values = jnp.pad(v, ((0, 0), (0, width - v.shape[1])))[None, :, None, :]
    output = jax.nn.dot_product_attention(*padded, values, mask=mask[None, None], scale=k.shape[1] ** -0.5)
    return output[0, :, 0, : v.shape[1]], weights


# %% einsum
def causal_attend(q, k, v):
    scores = jnp.einsum("id,jd->ij", q, k) / jnp.sqrt(jnp.float32(q.shape[-1]))
    weights = masked_softmax(scores, causal_mask(*scores.shape))
    return jnp.einsum("ij,jd->id", weights, v), weights


# %% prefix by prefix
import jax


def causal_attend(q, k, v):
    outputs, rows = [], []
    for i in range(len(q)):
        seen = max(i + 1 + len(k) - len(q), 0)
        row = jax.nn.softmax(k[:seen] @ q[i] / jnp.sqrt(k.shape[1])) if seen else jnp.zeros(0)
        rows.append(jnp.pad(row, (0, len(k) - seen)))
        outputs.append(row @ v[:seen])
    return jnp.stack(outputs), jnp.stack(rows)


# %% scan over queries
import jax


def causal_attend(q, k, v):
    def step(position, query):
        seen = jnp.arange(k.shape[0]) <= position
        weights = masked_softmax((k @ query / jnp.sqrt(k.shape[-1]))[None], seen[None])[0]
        return position + 1, (weights @ v, weights)

    return jax.lax.scan(step, k.shape[0] - q.shape[0], q)[1]


# %% vmap over queries
import jax


def causal_attend(q, k, v):
    def one(query, visible):
        weights = masked_softmax((k @ query)[None] / k.shape[-1] ** 0.5, visible[None])[0]
        return weights @ v, weights

    return jax.vmap(one)(q, causal_mask(q.shape[0], k.shape[0]))


# %% everything inside, filled with -1e9
import jax


def causal_attend(q, k, v):
    scores = jnp.matmul(q / jnp.sqrt(q.shape[-1]), k.swapaxes(0, 1))
    future = jnp.triu(jnp.ones_like(scores), 1 + k.shape[0] - q.shape[0])
    weights = jax.nn.softmax(scores - 1e9 * future, axis=-1)
    return [weights @ v, weights]


# %% everything inside, filled with -1e4
import jax


def causal_attend(q, k, v):
    scores = q @ k.T * k.shape[-1] ** -0.5
    visible = jnp.tri(q.shape[0], k.shape[0], k.shape[0] - q.shape[0], dtype=bool)
    weights = jax.nn.softmax(jnp.where(visible, scores, -1e4), axis=-1)
    return weights @ v, weights


# %% masked after the softmax and shared out again, inside
import jax


def causal_attend(q, k, v):
    weights = jax.nn.softmax(q @ k.T / jnp.sqrt(k.shape[-1]), axis=-1)
    weights = jnp.tril(weights, k.shape[0] - q.shape[0])
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v, weights


# %% the keys' axis first
def causal_attend(q, k, v):
    scores = k @ q.T / jnp.sqrt(k.shape[-1])
    visible = causal_mask(q.shape[0], k.shape[0]).T
    hidden = jnp.where(visible, scores, -1e30)
    exponentials = jnp.where(visible, jnp.exp(hidden - hidden.max(axis=0)), 0.0)
    weights = (exponentials / jnp.maximum(exponentials.sum(axis=0), 1e-30)).T
    return weights @ v, weights


# %% a named tuple from a callable object
import collections

Attention = collections.namedtuple("Attention", ["output", "weights"])


class CausalAttention:
    def __call__(self, queries, keys, values):
        scores = queries @ keys.T / jnp.sqrt(keys.shape[-1])
        weights = masked_softmax(scores, causal_mask(queries.shape[0], keys.shape[0]))
        return Attention(weights=weights, output=weights @ values)


causal_attend = CausalAttention()


# %% a partial
import functools


def attend_with(mask_of, softmax, q, k, v):
    weights = softmax(q @ k.T / jnp.sqrt(k.shape[-1]), mask_of(q.shape[0], k.shape[0]))
    return weights @ v, weights


causal_attend = functools.partial(attend_with, causal_mask, masked_softmax)


# %% plain NumPy
import numpy as np


def causal_attend(q, k, v):
    q, k, v = np.asarray(q), np.asarray(k), np.asarray(v)
    scores = q @ k.T / np.sqrt(k.shape[1])
    weights = np.asarray(masked_softmax(scores, np.tri(len(q), len(k), len(k) - len(q), dtype=bool)))
    return weights @ v, weights


# %% another place and another ending
t = 0
new_k = k.at[1:].multiply(2.0)
new_v = jnp.concatenate([v[:1], v[1:] + jnp.arange(9.0)[:, None]])
changed, _ = causal_attend(q, new_k, new_v)


# %% only the last value
t = jnp.array(8)
new_k, new_v = k, v.at[9].add(100)
changed = causal_attend(q, new_k, new_v)[0]


# %% a band of three
band = jnp.tri(10, dtype=bool) & ~jnp.tri(10, k=-3, dtype=bool)
window_w = band / band.sum(axis=-1, keepdims=True)
two_layers = jnp.matmul(window_w, window_w)


# %% repaired by the offset of tril
def forgetful_weights(some_q, all_k):
    """Given, and wrong: the weights of the last queries over all keys."""
    mask = jnp.tril(jnp.ones((some_q.shape[0], all_k.shape[0]), dtype=bool))
    return masked_softmax(some_q @ all_k.T / jnp.sqrt(all_k.shape[-1]), mask)


forgotten = forgetful_weights(q[-3:], k)
repaired = causal_attend(q[7:], k, v)[1]
