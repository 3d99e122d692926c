# Other right ways of writing the lesson's code. Each cell takes the place of the cells of the
# solution that set the same names; `grade verify` shows that every one of them passes.

# %% split: stacked pieces
def split_heads(x, n_heads):
    return jnp.stack(jnp.split(x, n_heads, axis=-1))


# %% split: a list of slices
def split_heads(x, n_heads):
    d = x.shape[1] // n_heads
    return jnp.array([x[:, h * d : (h + 1) * d] for h in range(n_heads)])


# %% split: columns first, turned back
def split_heads(x, n_heads):
    return jnp.swapaxes(x.T.reshape(n_heads, -1, x.shape[0]), 1, 2)


# %% split: Fortran order
def split_heads(x, n_heads):
    return jnp.reshape(x, (x.shape[0], -1, n_heads), order="F").transpose(2, 0, 1)


# %% split: vmap over the heads


def split_heads(x, n_heads):
    d = x.shape[-1] // n_heads
    return jax.vmap(lambda h: jax.lax.dynamic_slice_in_dim(x, h * d, d, axis=1))(jnp.arange(n_heads))


# %% split: a matrix that picks columns
def split_heads(x, n_heads):
    picks = jnp.eye(x.shape[1]).reshape(x.shape[1], n_heads, -1)
    return jnp.einsum("tc,chd->htd", x, picks)


# %% split: plain NumPy and moveaxis
import numpy as np


def split_heads(x, n_heads):
    x = np.asarray(x)
    return np.moveaxis(x.reshape(x.shape[0], n_heads, -1), 1, 0)


# %% split: jit with a static count
import functools


@functools.partial(jax.jit, static_argnums=1)
def split_heads(x, n_heads):
    return x.reshape(x.shape[0], n_heads, -1).swapaxes(0, 1)


# %% merge: concatenate
def merge_heads(x):
    return jnp.concatenate(list(x), axis=-1)


# %% merge: hstack
def merge_heads(x):
    return jnp.hstack([*x])


# %% merge: einsum, then reshape
def merge_heads(x):
    return jnp.einsum("htd->thd", x).reshape(x.shape[1], -1)


# %% merge: filled with at
def merge_heads(x):
    n, t, d = x.shape
    joined = jnp.zeros((t, n * d))
    for h in range(n):
        joined = joined.at[:, h * d : (h + 1) * d].set(x[h])
    return joined


# %% merge: lists of Python numbers
def merge_heads(x):
    return jnp.array([[float(number) for one in x for number in one[t]] for t in range(x.shape[1])])


# %% merge: vmap over the tokens

merge_heads = jax.vmap(jnp.ravel, in_axes=1)


# %% a loop over heads


def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    d = params["wq"].shape[1] // n_heads
    share = n_heads // n_kv_heads
    tables, total = [], 0.0
    for h in range(n_heads):
        g = h // share
        q = x @ params["wq"][:, h * d : (h + 1) * d]
        k = x @ params["wk"][:, g * d : (g + 1) * d]
        v = x @ params["wv"][:, g * d : (g + 1) * d]
        s = q @ k.T / d**0.5
        if mask is not None:
            s = jnp.where(mask, s, -1e9)
        w = jax.nn.softmax(s)
        tables.append(w)
        total = total + w @ v @ params["wo"][h * d : (h + 1) * d]
    return total, jnp.stack(tables)


# %% einsum from the weights of the layer


def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    D, d = x.shape[-1], params["wk"].shape[-1] // n_kv_heads
    q = jnp.einsum("tm,mhd->htd", x, params["wq"].reshape(D, n_heads, d))
    k = jnp.einsum("tm,mgd->gtd", x, params["wk"].reshape(D, n_kv_heads, d))
    v = jnp.einsum("tm,mgd->gtd", x, params["wv"].reshape(D, n_kv_heads, d))
    k, v = (jnp.repeat(part, n_heads // n_kv_heads, 0) for part in (k, v))
    s = jnp.einsum("hid,hjd->hij", q, k) * d**-0.5
    if mask is not None:
        s = s + jnp.where(mask, 0.0, -jnp.inf)
    w = jax.nn.softmax(s, -1)
    mixed = jnp.einsum("hij,hjd->ihd", w, v)
    return jnp.einsum("ihd,hdm->im", mixed, params["wo"].reshape(n_heads, d, -1)), w


# %% query heads in groups, keys never repeated


def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    T = x.shape[0]
    share = n_heads // n_kv_heads
    q = (x @ params["wq"]).reshape(T, n_kv_heads, share, -1)
    k = (x @ params["wk"]).reshape(T, n_kv_heads, -1)
    v = (x @ params["wv"]).reshape(T, n_kv_heads, -1)
    s = jnp.einsum("igrd,jgd->grij", q, k) / jnp.sqrt(q.shape[-1])
    if mask is not None:
        s = jnp.where(mask[None, None], s, jnp.finfo(s.dtype).min)
    w = jax.nn.softmax(s, axis=-1)
    mixed = jnp.einsum("grij,jgd->igrd", w, v).reshape(T, -1)
    return mixed @ params["wo"], w.reshape(n_heads, T, T)


# %% dot_product_attention, which knows about groups


def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    T = x.shape[0]
    q = (x @ params["wq"]).reshape(1, T, n_heads, -1)
    k = (x @ params["wk"]).reshape(1, T, n_kv_heads, -1)
    v = (x @ params["wv"]).reshape(1, T, n_kv_heads, -1)
    layout = None if mask is None else mask[None, None]
    mixed = jax.nn.dot_product_attention(q, k, v, mask=layout)
    s = jnp.einsum("ihd,jhd->hij", q[0], jnp.repeat(k[0], n_heads // n_kv_heads, axis=1)) / jnp.sqrt(q.shape[-1])
    return mixed.reshape(T, -1) @ params["wo"], jax.nn.softmax(s, where=None if mask is None else mask[None])


# %% vmap over the heads


def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    def one(q, k, v):
        s = q @ k.T / jnp.sqrt(k.shape[-1])
        w = jax.nn.softmax(s if mask is None else jnp.where(mask, s, -jnp.inf))
        return w @ v, w

    group = jnp.arange(n_heads) // (n_heads // n_kv_heads)
    q = split_heads(x @ params["wq"], n_heads)
    k = split_heads(x @ params["wk"], n_kv_heads)[group]
    v = split_heads(x @ params["wv"], n_kv_heads)[group]
    mixed, w = jax.vmap(one)(q, k, v)
    return merge_heads(mixed) @ params["wo"], w


# %% a scan over heads, compiled once for each shape
import functools


@functools.partial(jax.jit, static_argnums=(2, 3))
def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    share = n_heads // n_kv_heads
    q, k, v = (
        split_heads(x @ params[name], count)
        for name, count in (("wq", n_heads), ("wk", n_kv_heads), ("wv", n_kv_heads))
    )

    def step(total, h):
        s = q[h] @ k[h // share].T / jnp.sqrt(k.shape[-1])
        w = jax.nn.softmax(s if mask is None else jnp.where(mask, s, -jnp.inf))
        rows = jax.lax.dynamic_slice_in_dim(params["wo"], h * k.shape[-1], k.shape[-1])
        return total + w @ v[h // share] @ rows, w

    return jax.lax.scan(step, jnp.zeros((len(x), params["wo"].shape[1])), jnp.arange(n_heads))


# %% masked after the softmax, shared out again


def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    q = split_heads(x @ params["wq"], n_heads)
    k = split_heads(x @ params["wk"], n_kv_heads).repeat(n_heads // n_kv_heads, axis=0)
    v = split_heads(x @ params["wv"], n_kv_heads).repeat(n_heads // n_kv_heads, axis=0)
    s = q @ k.mT / jnp.sqrt(k.shape[-1])
    if mask is None:
        mask = jnp.ones(s.shape[1:], bool)
    e = jnp.exp(s - jnp.max(s, axis=-1, keepdims=True, where=mask, initial=-jnp.inf)) * mask
    e = jnp.where(mask, e, 0.0)
    w = e / e.sum(-1, keepdims=True)
    return merge_heads(w @ v) @ params["wo"], w


# %% the logarithm of the mask added


def multi_head_attention(params, x, n_heads, n_kv_heads, mask=None):
    q, k, v = x @ params["wq"], x @ params["wk"], x @ params["wv"]
    q, k, v = split_heads(q, n_heads), split_heads(k, n_kv_heads), split_heads(v, n_kv_heads)
    T, d = x.shape[0], q.shape[-1]
    k = jnp.broadcast_to(k[:, None], (n_kv_heads, n_heads // n_kv_heads, T, d)).reshape(n_heads, T, d)
    v = jnp.broadcast_to(v[:, None], (n_kv_heads, n_heads // n_kv_heads, T, d)).reshape(n_heads, T, d)
    s = jnp.matmul(q / jnp.sqrt(d), k.swapaxes(-2, -1))
    s = s if mask is None else s + jnp.log(mask.astype(jnp.float32))
    w = jnp.exp(s - jax.scipy.special.logsumexp(s, axis=-1, keepdims=True))
    return merge_heads(w @ v) @ params["wo"], w


# %% columns of wk and wv repeated, then as many heads as queries


def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    def widened(w):
        blocks = w.reshape(w.shape[0], n_kv_heads, -1)
        return jnp.repeat(blocks, n_heads // n_kv_heads, axis=1).reshape(w.shape[0], -1)

    q, k, v = (split_heads(x @ w, n_heads) for w in (params["wq"], widened(params["wk"]), widened(params["wv"])))
    s = q @ k.transpose(0, 2, 1) * q.shape[-1] ** -0.5
    w = jax.nn.softmax(s if mask is None else jnp.where(mask[None, :, :], s, float("-inf")), axis=2)
    return merge_heads(w @ v) @ params["wo"], w


# %% one product for queries, keys and values


def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    fused = x @ jnp.concatenate([params["wq"], params["wk"], params["wv"]], axis=1)
    wide, narrow = params["wq"].shape[1], params["wk"].shape[1]
    q, k, v = jnp.split(fused, [wide, wide + narrow], axis=1)
    q, k, v = split_heads(q, n_heads), split_heads(k, n_kv_heads), split_heads(v, n_kv_heads)
    k, v = jnp.repeat(k, len(q) // len(k), axis=0), jnp.repeat(v, len(q) // len(v), axis=0)
    s = q @ jnp.transpose(k, (0, 2, 1)) / jnp.sqrt(q.shape[-1])
    s = s if mask is None else s - 1e9 * (1 - mask)
    w = jax.nn.softmax(s)
    return [merge_heads(w @ v) @ params["wo"], w]


# %% key axis first


def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    q = split_heads(x @ params["wq"], n_heads)
    k = jnp.repeat(split_heads(x @ params["wk"], n_kv_heads), n_heads // n_kv_heads, axis=0)
    v = jnp.repeat(split_heads(x @ params["wv"], n_kv_heads), n_heads // n_kv_heads, axis=0)
    s = k @ q.swapaxes(1, 2) / jnp.sqrt(k.shape[-1])
    if mask is not None:
        s = jnp.where(mask.T, s, -jnp.inf)
    w = jax.nn.softmax(s, axis=1).swapaxes(1, 2)
    return merge_heads(w @ v) @ params["wo"], w


# %% plain NumPy inside a JAX file
import numpy as np


def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    p = {name: np.asarray(w) for name, w in params.items()}
    x = np.asarray(x)
    q, k, v = (
        np.asarray(split_heads(x @ p[name], n)) for name, n in (("wq", n_heads), ("wk", n_kv_heads), ("wv", n_kv_heads))
    )
    k, v = np.repeat(k, n_heads // n_kv_heads, 0), np.repeat(v, n_heads // n_kv_heads, 0)
    s = np.einsum("hid,hjd->hij", q, k) / np.sqrt(q.shape[-1])
    if mask is not None:
        s[:, ~np.asarray(mask)] = -np.inf
    w = np.exp(s - s.max(-1, keepdims=True))
    w /= w.sum(-1, keepdims=True)
    return np.concatenate(list(w @ v), axis=-1) @ p["wo"], w


# %% a named tuple
import collections

Attended = collections.namedtuple("Attended", ["output", "weights"])


def multi_head_attention(params, x, n_heads, n_kv_heads, mask) -> Attended:
    q = split_heads(x @ params["wq"], n_heads)
    k = jnp.repeat(split_heads(x @ params["wk"], n_kv_heads), n_heads // n_kv_heads, axis=0)
    v = jnp.repeat(split_heads(x @ params["wv"], n_kv_heads), n_heads // n_kv_heads, axis=0)
    s = q @ k.swapaxes(-1, -2) / jnp.sqrt(k.shape[-1])
    w = jax.nn.softmax(s if mask is None else jnp.where(mask, s, -jnp.inf))
    return Attended(weights=w, output=merge_heads(w @ v) @ params["wo"])


# %% jit with static counts
import functools


@functools.partial(jax.jit, static_argnums=(2, 3))
def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    q = split_heads(x @ params["wq"], n_heads)
    k = jnp.repeat(split_heads(x @ params["wk"], n_kv_heads), n_heads // n_kv_heads, axis=0)
    v = jnp.repeat(split_heads(x @ params["wv"], n_kv_heads), n_heads // n_kv_heads, axis=0)
    s = q @ k.swapaxes(-1, -2) / jnp.sqrt(k.shape[-1])
    w = jax.nn.softmax(s if mask is None else jnp.where(mask, s, -jnp.inf))
    return merge_heads(w @ v) @ params["wo"], w


# %% a callable object


class Layer:
    def __call__(self, params, x, n_heads, n_kv_heads, mask=None):
        q = split_heads(x @ params["wq"], n_heads)
        k, v = (self.shared(x @ params[name], n_kv_heads, n_heads) for name in ("wk", "wv"))
        w = self.weigh(q, k, mask)
        return merge_heads(w @ v) @ params["wo"], w

    @staticmethod
    def shared(flat, n_kv_heads, n_heads):
        return jnp.concatenate(
            [head[None] for head in split_heads(flat, n_kv_heads) for _ in range(n_heads // n_kv_heads)]
        )

    def weigh(self, q, k, mask):
        s = q @ k.swapaxes(1, 2) / jnp.sqrt(q.shape[2])
        return jax.nn.softmax(s if mask is None else jnp.where(mask, s, -jnp.inf), axis=-1)


multi_head_attention = Layer()


# %% another head, dropped by subtraction
head = 3
contributions = jnp.stack(
    [
        weights[h] @ (x @ params["wv"])[:, h // 2 * 2 : h // 2 * 2 + 2] @ params["wo"][2 * h : 2 * h + 2]
        for h in range(4)
    ]
)
without = contributions[:head].sum(axis=0) + contributions[head + 1 :].sum(axis=0)


# %% blocks written out, bytes in a list
blocks = jnp.split(params["wk"], 2, axis=1)
wide_wk = jnp.concatenate([blocks[0], blocks[0], blocks[1], blocks[1]], axis=1)
wide_wv = params["wv"][:, jnp.array([0, 1, 0, 1, 2, 3, 2, 3])]
token_bytes = [2 * 32 * n * 128 * 2 for n in (32, 8, 1)]


# %% repaired: a loop over heads


def ported(q, k, v):
    return ...


def repaired(q, k, v):
    found = []
    for h in range(len(q)):
        g = h * len(k) // len(q)
        found.append(jax.nn.softmax(q[h] @ k[g].T / jnp.sqrt(q.shape[-1])) @ v[g])
    return jnp.concatenate(found, axis=-1)


small = jnp.arange(24.0).reshape(4, 3, 2) / 24
from_port = from_repair = repaired(small, small[:2], small[2:])


# %% attention that needs no cutting of its own, merging that answers with a list
def split_heads(x, n_heads):
    d = x.shape[1] // n_heads
    return jnp.array([x[:, h * d : (h + 1) * d].tolist() for h in range(n_heads)])


def merge_heads(x):
    return [[number for one in x for number in one[t].tolist()] for t in range(len(x[0]))]


def multi_head_attention(params, x, n_heads, n_kv_heads, mask):
    q, k, v = (
        jnp.moveaxis((x @ params[name]).reshape(len(x), count, -1), 1, 0)
        for name, count in (("wq", n_heads), ("wk", n_kv_heads), ("wv", n_kv_heads))
    )
    k, v = (jnp.repeat(part, n_heads // n_kv_heads, axis=0) for part in (k, v))
    s = q @ k.swapaxes(1, 2) / jnp.sqrt(k.shape[2])
    w = jax.nn.softmax(s if mask is None else jnp.where(mask, s, -jnp.inf))
    return jnp.concatenate([*(w @ v)], axis=1) @ params["wo"], w
