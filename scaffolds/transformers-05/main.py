"""transformers-05: norm, gate, add: the block."""

# %% Step 1: imports
import jax
import jax.numpy as jnp


# %% Step 2: attention, finished
def multi_head_attention(params, x, n_heads, n_kv_heads):
    """Lesson 03 under a causal mask: each token looks at itself and at what came before.

    params {wq (D, H·d), wk (D, G·d), wv (D, G·d), wo (H·d, D)}, x (T, D), n_heads = H,
    n_kv_heads = G -> (T, D)
    """
    tokens = len(x)
    q = (x @ params["wq"]).reshape(tokens, n_heads, -1).transpose(1, 0, 2)  # (H, T, d)
    k = (x @ params["wk"]).reshape(tokens, n_kv_heads, -1).transpose(1, 0, 2)  # (G, T, d)
    v = (x @ params["wv"]).reshape(tokens, n_kv_heads, -1).transpose(1, 0, 2)  # (G, T, d)
    k = jnp.repeat(k, n_heads // n_kv_heads, axis=0)  # (H, T, d)
    v = jnp.repeat(v, n_heads // n_kv_heads, axis=0)  # (H, T, d)

    scores = q @ k.transpose(0, 2, 1) / jnp.sqrt(q.shape[-1])  # (H, T, T)
    past = jnp.tri(tokens, dtype=bool)  # (T, T), True where a token may look
    weights = jax.nn.softmax(jnp.where(past, scores, -jnp.inf), axis=-1)  # (H, T, T)
    return (weights @ v).transpose(1, 0, 2).reshape(tokens, -1) @ params["wo"]  # (T, D)


# %% Step 3: two norms
def layer_norm(x, gain, bias, eps):
    """Give every row mean 0 and variance 1, then stretch and shift each coordinate.

    x (T, D), gain (D,), bias (D,), eps number -> (T, D)
    """
    mean = ...  # TODO: the mean of every row, (T, 1)
    variance = ...  # TODO: the mean of the squared deviations from it, (T, 1)
    normed = ...  # TODO: the deviations over the root of variance plus eps, (T, D)
    output = ...  # TODO: normed with gain and bias, (T, D)
    return output


def rms_norm(x, gain, eps):
    """Give every row a root mean square of 1, then stretch each coordinate.

    x (T, D), gain (D,), eps number -> (T, D)
    """
    mean_square = ...  # TODO: the mean of the squares of every row, (T, 1)
    normed = ...  # TODO: x over the root of mean_square plus eps, (T, D)
    output = ...  # TODO: normed with gain, (T, D)
    return output


# %% Step 4: the gated MLP
def swiglu(x, w_gate, w_up, w_down):
    """Widen every row twice, let one copy gate the other, and narrow the result.

    x (T, D), w_gate (D, F), w_up (D, F), w_down (F, D) -> (T, D)
    """
    gate = ...  # TODO: the SiLU of x times w_gate, (T, F)
    up = ...  # TODO: x times w_up, as it is, (T, F)
    output = ...  # TODO: the product of both, entry by entry, then times w_down, (T, D)
    return output


# %% Step 5: the block
def block(params, x, n_heads, n_kv_heads):
    """Add to every row what attention, then the MLP, makes of a normed copy.

    params {norm_attention (D,), wq (D, H·d), wk (D, G·d), wv (D, G·d), wo (H·d, D), norm_mlp (D,),
    w_gate (D, F), w_up (D, F), w_down (F, D)}, x (T, D), n_heads = H, n_kv_heads = G -> (T, D)
    """
    attended = ...  # TODO: x plus the attention of its normed rows, (T, D)

    output = ...  # TODO: attended plus the MLP of its normed rows, (T, D)
    return output


# %% Step 6: run and check
# Experiment 1: a row, the same row plus 10, and three times the row.
numbers = jnp.array([[1.0, 7.0, 7.0, 1.0], [11.0, 17.0, 17.0, 11.0], [3.0, 21.0, 21.0, 3.0]])  # (T, D)
ones, zeros = jnp.ones(4), jnp.zeros(4)
layer_normed = layer_norm(numbers, ones, zeros, 1e-5)
rms_normed = rms_norm(numbers, ones, 1e-5)
centred = rms_norm(numbers - numbers.mean(axis=-1, keepdims=True), ones, 1e-5)

# Experiment 2: column 0 goes to the gate, column 1 (all ones) to the other branch.
gates = jnp.array([[-4.0, 1.0], [-1.0, 1.0], [0.0, 1.0], [1.0, 1.0], [4.0, 1.0]])  # (T, D)
first, second = jnp.eye(2)
gated = swiglu(gates, first[:, None], second[:, None], first[None, :])  # D = 2, F = 1


# Experiment 3: a whole block, then the same block with silent halves.
def waves(start, rows, columns):
    """Numbers between -1 and 1 that look random and are the same everywhere, (rows, columns)."""
    return jnp.sin(jnp.arange(start, start + rows * columns).reshape(rows, columns))


params = {
    "norm_attention": jnp.array([1.0, 0.5, 2.0, 1.0]),  # (D,)
    "wq": waves(0, 4, 6),  # (D, H·d) with D = 4, H = 3, d = 2
    "wk": waves(30, 4, 2),  # (D, G·d) with G = 1
    "wv": waves(40, 4, 2),
    "wo": waves(50, 6, 4),  # (H·d, D)
    "norm_mlp": jnp.array([2.0, 1.0, 1.0, 0.5]),  # (D,)
    "w_gate": waves(80, 4, 5),  # (D, F) with F = 5
    "w_up": waves(100, 4, 5),
    "w_down": waves(120, 5, 4),  # (F, D)
}
x = jnp.array([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, -1.0, 2.0]])  # (T, D) with T = 2
output = block(params, x, 3, 1)
silent = block({**params, "wo": jnp.zeros((6, 4)), "w_down": jnp.zeros((5, 4))}, x, 3, 1)

# %% Exercise 1: make it yours
attention_only = {**params, "w_down": jnp.zeros((5, 4))}

factor = ...  # TODO: a number of your choice, from 2 to 100
change = ...  # TODO: what the block with attention_only adds to x, (T, D)
scaled_change = ...  # TODO: what it adds to factor * x, (T, D)

# %% Exercise 2: somebody else's checkpoint
stored = jnp.array([-0.5, 0.0, 0.5, 1.0])  # every gain minus 1, (D,)
fused = jnp.concatenate([params["w_gate"], params["w_up"]], axis=1)  # (D, 2·F), the gate in front

from_stored = ...  # TODO: the RMS norm of numbers with the gains that stored stands for, eps 1e-5
unfused = ...  # TODO: the gated MLP of x with the two halves of fused, and w_down
layer_params = ...  # TODO: numbers in the two gains, the four attention matrices, the three of the MLP, (3,)


# %% Exercise 3: half a block with three faults
def ported(x, gain, w_gate, w_up, w_down):
    """Half a block, with an eps of 0.1: x (T, D), gain (D,), w_gate, w_up (D, F), w_down (F, D) -> (T, D).

    It runs, and it is wrong in three places.
    """
    x = gain * x / jnp.sqrt(jnp.mean(jnp.square(x)) + 0.1)
    hidden = jax.nn.silu((x @ w_gate) * (x @ w_up))
    return x + hidden @ w_down


def repaired(x, gain, w_gate, w_up, w_down):
    """The same without its three faults.

    x (T, D), gain (D,), w_gate (D, F), w_up (D, F), w_down (F, D) -> (T, D)
    """
    output = ...  # TODO: the program above, repaired, (T, D)
    return output


half = (params["norm_mlp"], params["w_gate"], params["w_up"], params["w_down"])
from_port = ported(x, *half)
from_repair = repaired(x, *half)

# %% What came out
answers = {
    "layer_normed": layer_normed,
    "rms_normed": rms_normed,
    "centred": centred,
    "gated": gated,
    "output": output,
    "silent": silent,
    "factor": factor,
    "change": change,
    "scaled_change": scaled_change,
    "from_stored": from_stored,
    "unfused": unfused,
    "layer_params": layer_params,
    "from_port": from_port,
    "from_repair": from_repair,
}
for name, value in answers.items():
    if value is not ...:
        print(name, jnp.array_str(jnp.atleast_1d(jnp.asarray(value)), precision=4), sep="\n")
unfinished = [name for name, value in answers.items() if value is ...]
if unfinished:
    print("Still to do:", ", ".join(unfinished))
    print("Fill in the first TODO from the top, save, then: grade lesson transformers-05")
