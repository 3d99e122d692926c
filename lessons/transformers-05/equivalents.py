# Other right ways of writing the lesson's code. Each cell takes the place of the cells of the
# solution that set the same names; `grade verify` shows that every one of them passes.

# %% var and rsqrt
def layer_norm(x, gain, bias, eps):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + eps) * gain + bias


def rms_norm(x, gain, eps):
    return x * jax.lax.rsqrt(jnp.mean(x**2, axis=-1, keepdims=True) + eps) * gain


# %% jax.nn.standardize
def layer_norm(x, gain, bias, eps):
    return jax.nn.standardize(x, axis=-1, epsilon=eps) * gain + bias


def rms_norm(x, gain, eps):
    rms = jnp.linalg.norm(x, axis=-1, keepdims=True) / jnp.sqrt(x.shape[-1])
    return gain * (x / jnp.sqrt(rms**2 + eps))


# %% mean of squares minus the squared mean
def layer_norm(x, gain, bias, eps):
    mean = jnp.mean(x, axis=1)
    variance = jnp.mean(x * x, axis=1) - mean * mean
    return ((x.T - mean) / jnp.sqrt(variance + eps)).T * gain[None, :] + bias[None, :]


def rms_norm(x, gain, eps):
    return x * gain / jnp.sqrt(jnp.sum(x * x, axis=1) / x.shape[1] + eps)[:, None]


# %% layer norm by way of the RMS norm
def rms_norm(x, gain, eps):
    return gain * x / jnp.sqrt((x**2 + eps).mean(-1, keepdims=True))


def layer_norm(x, gain, bias, eps):
    return rms_norm(x - x.mean(-1, keepdims=True), gain, eps) + bias


# %% eps as a root under the length
def layer_norm(x, gain, bias, eps):
    deviations = x - x.sum(-1, keepdims=True) / x.shape[-1]
    return gain * deviations / jnp.hypot(jnp.std(x, -1, keepdims=True), jnp.sqrt(eps)) + bias


def rms_norm(x, gain, eps):
    return gain * x / jnp.hypot(jnp.sqrt(jnp.mean(x**2, -1, keepdims=True)), eps**0.5)


# %% vmap over rows
def layer_norm(x, gain, bias, eps):
    def one(row):
        deviations = row - jnp.mean(row)
        return gain * deviations / jnp.sqrt(jnp.mean(deviations**2) + eps) + bias

    return jax.vmap(one)(x)


rms_norm = lambda x, gain, eps: jax.vmap(lambda row: gain * row / jnp.sqrt(row @ row / row.size + eps))(x)


# %% Python loops
def layer_norm(x, gain, bias, eps):
    rows = []
    for row in x:
        mean = sum(row) / len(row)
        variance = sum((number - mean) ** 2 for number in row) / len(row)
        rows.append([g * (number - mean) / (variance + eps) ** 0.5 + b for number, g, b in zip(row, gain, bias)])
    return jnp.array(rows)


def rms_norm(x, gain, eps):
    rows = []
    for row in x:
        mean_square = sum(number**2 for number in row) / len(row)
        rows.append(gain * row / jnp.sqrt(mean_square + eps))
    return jnp.stack(rows)


# %% scan
def layer_norm(x, gain, bias, eps):
    def step(carry, row):
        return carry, gain * (row - row.mean()) / jnp.sqrt(row.var() + eps) + bias

    return jax.lax.scan(step, None, x)[1]


def rms_norm(x, gain, eps):
    return jax.lax.scan(lambda carry, row: (carry, gain * row * (jnp.mean(row**2) + eps) ** -0.5), None, x)[1]


# %% einsum
def layer_norm(x, gain, bias, eps):
    centred = x - jnp.einsum("td->t", x)[:, None] / x.shape[-1]
    variance = jnp.einsum("td,td->t", centred, centred) / x.shape[-1]
    return jnp.einsum("td,t,d->td", centred, (variance + eps) ** -0.5, gain) + bias


def rms_norm(x, gain, eps):
    mean_square = jnp.einsum("td,td->t", x, x) / x.shape[-1]
    return jnp.einsum("td,t,d->td", x, (mean_square + eps) ** -0.5, gain)


def swiglu(x, w_gate, w_up, w_down):
    gate = jnp.einsum("td,df->tf", x, w_gate)
    return jnp.einsum("tf,tf,tf,fd->td", gate, jax.nn.sigmoid(gate), jnp.einsum("td,df->tf", x, w_up), w_down)


# %% plain NumPy inside a JAX file
import numpy as np


def layer_norm(x, gain, bias, eps):
    x = np.asarray(x)
    return np.asarray(gain) * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + np.asarray(
        bias
    )


def rms_norm(x, gain, eps):
    x = np.asarray(x)
    return np.asarray(gain) * x / np.sqrt(np.square(x).mean(-1, keepdims=True) + eps)


# %% lists of Python numbers
def layer_norm(x, gain, bias, eps):
    result = []
    for row in x.tolist():
        mean = sum(row) / len(row)
        root = (sum((number - mean) ** 2 for number in row) / len(row) + eps) ** 0.5
        result.append([float(g) * (number - mean) / root + float(b) for number, g, b in zip(row, gain, bias)])
    return result


def rms_norm(x, gain, eps):
    result = []
    for row in x.tolist():
        root = (sum(number * number for number in row) / len(row) + eps) ** 0.5
        result.append([float(g) * number / root for number, g in zip(row, gain)])
    return jnp.array(result)


# %% SiLU by the definition
def swiglu(x, w_gate, w_up, w_down):
    gate, up = x @ w_gate, x @ w_up
    return (gate / (1 + jnp.exp(-gate)) * up) @ w_down


# %% jax.nn.swish with the product in the other order
def swiglu(x, w_gate, w_up, w_down):
    return jnp.dot(jnp.multiply(jnp.matmul(x, w_up), jax.nn.swish(jnp.matmul(x, w_gate))), w_down)


# %% sigmoid by tanh
def swiglu(x, w_gate, w_up, w_down):
    gate = x @ w_gate
    return (0.5 * gate * (1 + jnp.tanh(0.5 * gate)) * (x @ w_up)) @ w_down


# %% one fused matrix
def swiglu(x, w_gate, w_up, w_down):
    gate, up = jnp.split(x @ jnp.concatenate([w_gate, w_up], axis=1), 2, axis=-1)
    return (jax.nn.silu(gate) * up) @ w_down


# %% the GLU with its halves in order
def swiglu(x, w_gate, w_up, w_down):
    gate = x @ w_gate
    return jax.nn.glu(jnp.concatenate([gate * (x @ w_up), gate], axis=-1), axis=-1) @ w_down


# %% one hidden unit after the other
def swiglu(x, w_gate, w_up, w_down):
    output = jnp.zeros_like(x)
    for g, u, d in zip(w_gate.T, w_up.T, w_down):
        output += (jax.nn.silu(x @ g) * (x @ u))[:, None] * d
    return output


# %% jit objects
@jax.jit
def swiglu(x, w_gate, w_up, w_down):
    return (jax.nn.silu(x @ w_gate) * (x @ w_up)) @ w_down


@jax.jit
def layer_norm(x, gain, bias, eps):
    return gain * (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + eps) + bias


rms_norm = jax.jit(lambda x, gain, eps: gain * x / jnp.sqrt(jnp.square(x).mean(-1, keepdims=True) + eps))


# %% a partial
import functools


def normed(centred, x, gain, *rest):
    bias, eps = (0.0, *rest)[-2:]
    rows = x - centred * x.mean(-1, keepdims=True)
    return gain * rows / jnp.sqrt(jnp.square(rows).mean(-1, keepdims=True) + eps) + bias


layer_norm = functools.partial(normed, 1.0)
rms_norm = functools.partial(normed, 0.0)


# %% one expression
def block(params, x, n_heads, n_kv_heads):
    x = x + multi_head_attention(params, rms_norm(x, params["norm_attention"], 1e-5), n_heads, n_kv_heads)
    return x + swiglu(rms_norm(x, params["norm_mlp"], 1e-5), params["w_gate"], params["w_up"], params["w_down"])


# %% a callable object
class Block:
    def __call__(self, params, x, heads, kv_heads):
        for half in (self.attention, self.mlp):
            x = x + half(params, x, heads, kv_heads)
        return x

    def attention(self, params, x, heads, kv_heads):
        return multi_head_attention(params, rms_norm(x, params["norm_attention"], 1e-5), heads, kv_heads)

    def mlp(self, params, x, heads, kv_heads):
        return swiglu(rms_norm(x, params["norm_mlp"], 1e-5), params["w_gate"], params["w_up"], params["w_down"])


block = Block()


# %% everything written into the block
def block(p, x, n_heads, n_kv_heads):
    T, D = x.shape
    norm = lambda rows, gain: rows * jax.lax.rsqrt(jnp.mean(rows**2, -1, keepdims=True) + 1e-5) * gain
    h = norm(x, p["norm_attention"])
    share = n_heads // n_kv_heads
    q = (h @ p["wq"]).reshape(T, n_kv_heads, share, -1)
    k, v = (h @ p["wk"]).reshape(T, n_kv_heads, -1), (h @ p["wv"]).reshape(T, n_kv_heads, -1)
    scores = jnp.einsum("igsd,jgd->gsij", q, k) * q.shape[-1] ** -0.5
    weights = jax.nn.softmax(jnp.where(jnp.arange(T)[:, None] >= jnp.arange(T), scores, -1e9), axis=-1)
    x = x + jnp.einsum("gsij,jgd->igsd", weights, v).reshape(T, -1) @ p["wo"]
    h = norm(x, p["norm_mlp"])
    return x + jax.nn.silu(h @ p["w_gate"]) * (h @ p["w_up"]) @ p["w_down"]


# %% jax.nn.dot_product_attention
def block(params, x, n_heads, n_kv_heads):
    normed = rms_norm(x, params["norm_attention"], 1e-5)
    q = (normed @ params["wq"]).reshape(1, len(x), n_heads, -1)
    k, v = ((normed @ params[name]).reshape(1, len(x), n_kv_heads, -1) for name in ("wk", "wv"))
    found = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    x += found.reshape(len(x), -1) @ params["wo"]
    return x + swiglu(rms_norm(x, params["norm_mlp"], 1e-5), params["w_gate"], params["w_up"], params["w_down"])


# %% a sum of heads
def block(params, x, n_heads, n_kv_heads):
    normed = rms_norm(x, params["norm_attention"], 1e-5)
    width = params["wq"].shape[1] // n_heads
    past = jnp.tril(jnp.ones((len(x), len(x)), bool))
    for head in range(n_heads):
        mine = slice(head * width, (head + 1) * width)
        group = head // (n_heads // n_kv_heads)
        shared = slice(group * width, (group + 1) * width)
        scores = (normed @ params["wq"][:, mine]) @ (normed @ params["wk"][:, shared]).T / width**0.5
        weights = jax.nn.softmax(jnp.where(past, scores, -jnp.inf))
        x = x + weights @ (normed @ params["wv"][:, shared]) @ params["wo"][mine]
    return x + swiglu(rms_norm(x, params["norm_mlp"], 1e-5), params["w_gate"], params["w_up"], params["w_down"])


# %% attention in NumPy
import numpy as np


def block(params, x, n_heads, n_kv_heads):
    params, x = {name: np.asarray(part) for name, part in params.items()}, np.asarray(x)
    norm = lambda rows, gain: gain * rows / np.sqrt((rows**2).mean(-1, keepdims=True) + np.float32(1e-5))
    h = norm(x, params["norm_attention"])
    q, k, v = (
        np.stack(np.split(h @ params[n], c, axis=1))
        for n, c in (("wq", n_heads), ("wk", n_kv_heads), ("wv", n_kv_heads))
    )
    k, v = np.repeat(k, n_heads // n_kv_heads, 0), np.repeat(v, n_heads // n_kv_heads, 0)
    scores = q @ k.swapaxes(1, 2) / np.sqrt(np.float32(q.shape[-1]))
    scores[:, np.triu_indices(len(x), 1)[0], np.triu_indices(len(x), 1)[1]] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    x = x + np.concatenate(list(weights @ v), axis=1) @ params["wo"]
    h = norm(x, params["norm_mlp"])
    gate = h @ params["w_gate"]
    return x + (gate * 0.5 * (1 + np.tanh(gate / 2)) * (h @ params["w_up"])) @ params["w_down"]


# %% repaired with the functions of the lesson
def repaired(x, gain, w_gate, w_up, w_down):
    return x + swiglu(rms_norm(x, gain, 0.1), w_gate, w_up, w_down)


# %% another factor
factor = 2.5
change = block(params | {"w_down": jnp.zeros((5, 4))}, x, 3, 1) - x
scaled_change = block({**params, "w_down": 0 * params["w_down"]}, x * factor, 3, 1) - x * factor


# %% counted another way
stored = jnp.array([-0.5, 0.0, 0.5, 1.0])
fused = jnp.concatenate([params["w_gate"], params["w_up"]], axis=1)
from_stored = rms_norm(numbers, stored + 1.0, 1e-5)
unfused = swiglu(x, *jnp.split(fused, 2, axis=1), params["w_down"])
layer_params = [4096 + 4096, 4096 * 4096 + 2 * 4096 * 1024 + 4096 * 4096, 3 * 4096 * 14336]
