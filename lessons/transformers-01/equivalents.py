# Other right ways of writing the lesson's code. Each cell takes the place of the cells of the
# solution that set the same names; `grade verify` shows that every one of them passes.

# %% jax.nn.softmax
import jax


def attend(q, k, v):
    weights = jax.nn.softmax(q @ k.T / k.shape[1] ** 0.5, axis=-1)
    return weights @ v, weights


# %% einsum
def attend(q, k, v):
    scores = jnp.einsum("id,jd->ij", q, k) / jnp.sqrt(jnp.float32(q.shape[1]))
    exponentials = jnp.exp(scores - jnp.max(scores, axis=1, keepdims=True))
    weights = exponentials / jnp.einsum("ij->i", exponentials)[:, None]
    return jnp.einsum("ij,jd->id", weights, v), weights


# %% vmap over queries
import jax


def attend(q, k, v):
    def one(query):
        weights = jax.nn.softmax(k @ query / jnp.sqrt(k.shape[-1]))
        return weights @ v, weights

    return jax.vmap(one)(q)


# %% Python loops
def attend(q, k, v):
    outputs, rows = [], []
    for query in q:
        scores = jnp.stack([jnp.dot(query, key) for key in k]) / k.shape[1] ** 0.5
        exponentials = jnp.exp(scores - jnp.max(scores))
        weights = exponentials / jnp.sum(exponentials)
        outputs.append(sum(weight * value for weight, value in zip(weights, v)))
        rows.append(weights)
    return jnp.stack(outputs), jnp.stack(rows)


# %% scan
import jax


def attend(q, k, v):
    def step(carry, query):
        weights = jax.nn.softmax(k @ query / jnp.sqrt(k.shape[-1]))
        return carry, (weights @ v, weights)

    return jax.lax.scan(step, None, q)[1]


# %% key axis first
def attend(q, k, v):
    scores = k @ q.T / jnp.sqrt(k.shape[-1])
    exponentials = jnp.exp(scores - scores.max(axis=0))
    weights = exponentials / exponentials.sum(axis=0)
    return weights.T @ v, weights.T


# %% prescaled queries
def attend(q, k, v):
    scores = jnp.matmul(q / jnp.sqrt(q.shape[-1]), k.swapaxes(0, 1))
    shifted = jnp.exp(scores - jnp.amax(scores, -1)[:, None])
    weights = shifted / jnp.sum(shifted, -1)[:, None]
    return jnp.dot(weights, v), weights


# %% both inputs scaled by the fourth root
def attend(q, k, v):
    root = k.shape[-1] ** 0.25
    scores = (q / root) @ (k / root).T
    scores = scores - scores.max(-1, keepdims=True)
    weights = jnp.exp(scores) / jnp.exp(scores).sum(-1, keepdims=True)
    return weights @ v, weights


# %% logsumexp
import jax


def attend(q, k, v):
    scores = q @ k.T * k.shape[-1] ** -0.5
    weights = jnp.exp(scores - jax.scipy.special.logsumexp(scores, axis=-1, keepdims=True))
    return weights @ v, weights


# %% log_softmax
import jax


def attend(q, k, v):
    weights = jnp.exp(jax.nn.log_softmax(q @ k.T / jnp.sqrt(k.shape[-1]), axis=-1))
    return weights @ v, weights


# %% plain NumPy inside a JAX file
import numpy as np


def attend(q, k, v):
    q, k, v = np.asarray(q), np.asarray(k), np.asarray(v)
    scores = q @ k.T / np.sqrt(k.shape[1])
    scores = scores - scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ v, weights


# %% a file without JAX
import numpy as jnp


# %% lists of Python numbers
import math


def attend(q, k, v):
    q, k, v = q.tolist(), k.tolist(), v.tolist()
    root = math.sqrt(len(k[0]))
    outputs, rows = [], []
    for query in q:
        scores = [sum(a * b for a, b in zip(query, key)) / root for key in k]
        exponentials = [math.exp(score - max(scores)) for score in scores]
        weights = [e / sum(exponentials) for e in exponentials]
        outputs.append([sum(w * row[j] for w, row in zip(weights, v)) for j in range(len(v[0]))])
        rows.append(weights)
    return outputs, rows


# %% a list of two arrays
import jax


def attend(q, k, v):
    weights = jax.nn.softmax(q @ k.T / jnp.sqrt(k.shape[-1]))
    return [weights @ v, weights]


# %% a named tuple
import collections
import jax

Attention = collections.namedtuple("Attention", ["output", "weights"])


def attend(q: jax.Array, k: jax.Array, v: jax.Array) -> Attention:
    weights = jax.nn.softmax(q @ k.T / jnp.sqrt(k.shape[-1]))
    return Attention(weights=weights, output=weights @ v)


# %% a jit object
import jax


@jax.jit
def attend(q, k, v):
    weights = jax.nn.softmax(q @ k.T / jnp.sqrt(k.shape[-1]), axis=-1)
    return weights @ v, weights


# %% a lambda over a helper
import jax

attention_weights = lambda q, k: jax.nn.softmax(q @ k.T / jnp.sqrt(k.shape[-1]))
attend = lambda q, k, v: (attention_weights(q, k) @ v, attention_weights(q, k))


# %% a partial
import functools
import jax


def scaled(power, q, k, v):
    weights = jax.nn.softmax(q @ k.T * k.shape[-1] ** power)
    return weights @ v, weights


attend = functools.partial(scaled, -0.5)


# %% a bound method
import jax


class Head:
    def attend(self, q, k, v):
        weights = jax.nn.softmax(q @ k.T / jnp.sqrt(k.shape[-1]))
        return weights @ v, weights


attend = Head().attend


# %% a callable object
import jax


class Attend:
    def __call__(self, queries, keys, values):
        weights = jax.nn.softmax(queries @ keys.T / jnp.sqrt(keys.shape[-1]))
        return weights @ values, weights


attend = Attend()


# %% dot_product_attention for the output, width padded
import jax


def attend(q, k, v):
    heads = [part[None, :, None, :] for part in (q, k)]
    width = max(k.shape[1], v.shape[1])
    padded = [jnp.pad(part, ((0, 0), (0, 0), (0, 0), (0, width - k.shape[1]))) for part in heads]
    values = jnp.pad(v, ((0, 0), (0, width - v.shape[1])))[None, :, None, :]
    output = jax.nn.dot_product_attention(*padded, values, scale=k.shape[1] ** -0.5)[0, :, 0, : v.shape[1]]
    return output, jax.nn.softmax(q @ k.T / jnp.sqrt(k.shape[-1]))


# %% a mask that hides nothing
import jax


def attend(q, k, v, mask=None):
    scores = q @ k.T / jnp.sqrt(k.shape[-1])
    if mask is None:
        mask = jnp.ones_like(scores, dtype=bool)
    scores = jnp.where(mask, scores, -jnp.inf)
    weights = jax.nn.softmax(scores, axis=-1, where=mask)
    return weights @ v, weights


# %% stop_gradient at the maximum and a tiny epsilon
import jax


def attend(q, k, v):
    scores = jnp.inner(q, k) / jnp.sqrt(k.shape[-1])
    exponentials = jnp.exp(scores - jax.lax.stop_gradient(scores.max(-1, keepdims=True)))
    weights = exponentials / (exponentials.sum(-1, keepdims=True) + 1e-9)
    return weights @ v, weights


# %% another order
order = jnp.array([1, 2, 0])
paired, _ = attend(q_new, k[order], v[order])
mismatched, _ = attend(q_new, k, v[order])
