# Other right ways of writing the lesson's code. Each cell takes the place of the cells of the
# solution that set the same names; `grade verify` shows that every one of them passes.

# %% sinusoid with all sines first
def sinusoid(length, width):
    angles = jnp.arange(length)[:, None] / 10000.0 ** (jnp.arange(0, width, 2) / width)
    return jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], axis=1)


# %% sinusoid by exp and log, filled with .at
def sinusoid(length, width):
    position = jnp.arange(length, dtype=jnp.float32)[:, None]
    div_term = jnp.exp(jnp.arange(0, width, 2) * -(jnp.log(10000.0) / width))
    encoding = jnp.zeros((length, width))
    encoding = encoding.at[:, 0::2].set(jnp.sin(position * div_term))
    return encoding.at[:, 1::2].set(jnp.cos(position * div_term))


# %% sinusoid as one cosine, shifted by a quarter turn
def sinusoid(length, width):
    column = jnp.arange(width)
    angles = jnp.arange(length)[:, None] * 10000.0 ** (-(column // 2 * 2) / width)
    return jnp.where(column % 2 == 0, jnp.sin(angles), jnp.cos(angles))


# %% sinusoid in Python loops
import math


def sinusoid(length, width):
    rows = []
    for position in range(length):
        row = []
        for j in range(width // 2):
            angle = position / 10000 ** (2 * j / width)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return rows


# %% sinusoid in NumPy, in place
import numpy as np


def sinusoid(length, width):
    table = np.zeros((length, width))
    angles = np.arange(length)[:, None] / np.power(10000, 2 * np.arange(width // 2) / width)
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


# %% sinusoid from a long table, cut
def sinusoid(length, width):
    angles = jnp.outer(jnp.arange(8192), 10000.0 ** (-2 * jnp.arange(width // 2) / width))
    return jnp.stack([jnp.sin(angles), jnp.cos(angles)], axis=-1).reshape(8192, width)[:length]


# %% sinusoid from complex numbers, by vmap over positions
import jax


def sinusoid(length, width):
    frequencies = 1.0 / 10000.0 ** (2 * jnp.arange(width // 2) / width)

    def row(position):
        waves = jnp.exp(1j * position * frequencies)
        return jnp.stack([waves.imag, waves.real], axis=1).ravel()

    return jax.vmap(row)(jnp.arange(length))


# %% sinusoid under jit with static sizes
import functools
import jax


@functools.partial(jax.jit, static_argnums=(0, 1))
def sinusoid(length: int, width: int) -> jax.Array:
    angles = jnp.einsum("t,j->tj", jnp.arange(length) * 1.0, 10000.0 ** (-jnp.arange(0, width, 2) / width))
    return jnp.stack((jnp.sin(angles), jnp.cos(angles)), -1).reshape(length, -1)


# %% rope with half-split pairs
def rope(x, positions, base):
    half = x.shape[-1] // 2
    angles = positions[:, None, None] * base ** (-jnp.arange(half) / half)
    first, second = x[..., :half], x[..., half:]
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


# %% rope with rotate_half
def rotate_half(x):
    first, second = jnp.split(x, 2, axis=-1)
    return jnp.concatenate((-second, first), axis=-1)


def rope(x, positions, base):
    inv_freq = 1.0 / (base ** (jnp.arange(0, x.shape[-1], 2).astype(jnp.float32) / x.shape[-1]))
    freqs = jnp.einsum("i,j->ij", positions.astype(jnp.float32), inv_freq)
    emb = jnp.concatenate((freqs, freqs), axis=-1)[:, None, :]
    return x * jnp.cos(emb) + rotate_half(x) * jnp.sin(emb)


# %% rope with rotate_every_two
def rope(x, positions, base):
    d = x.shape[-1]
    sinusoids = jnp.outer(positions, 1.0 / base ** (jnp.arange(0, d, 2) / d))
    sin, cos = (jnp.repeat(part, 2, axis=-1)[:, None, :] for part in (jnp.sin(sinusoids), jnp.cos(sinusoids)))
    every_two = jnp.stack((-x[..., 1::2], x[..., ::2]), axis=-1).reshape(x.shape)
    return x * cos + every_two * sin


# %% rope backwards
def rope(x, positions, base):
    d = x.shape[-1]
    angles = jnp.outer(positions, base ** (-2 * jnp.arange(d // 2) / d))[:, None, :]
    first, second = x[..., 0::2], x[..., 1::2]
    turned = [
        first * jnp.cos(angles) + second * jnp.sin(angles),
        second * jnp.cos(angles) - first * jnp.sin(angles),
    ]
    return jnp.stack(turned, axis=-1).reshape(x.shape)


# %% rope backwards in halves
def rope(x, positions, base):
    half = x.shape[-1] // 2
    angles = -jnp.outer(positions, base ** (-jnp.arange(half) / half))[:, None, :]
    first, second = x[..., :half], x[..., half:]
    turned = [
        first * jnp.cos(angles) - second * jnp.sin(angles),
        first * jnp.sin(angles) + second * jnp.cos(angles),
    ]
    return jnp.concatenate(turned, axis=-1)


# %% rope by complex numbers
import jax


def rope(x, positions, base):
    tokens, heads, d = x.shape
    pairs = x.reshape(tokens, heads, d // 2, 2)
    frequencies = base ** (-2 * jnp.arange(d // 2) / d)
    turns = jnp.exp(1j * jnp.outer(positions, frequencies))
    turned = jax.lax.complex(pairs[..., 0], pairs[..., 1]) * turns[:, None, :]
    return jnp.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


# %% rope by polar numbers in halves
import jax


def rope(x, positions, base):
    half = x.shape[-1] // 2
    z = x[..., :half] + 1j * x[..., half:]
    angles = positions[:, None, None] * jnp.exp(-jnp.log(base) * jnp.arange(half) / half)
    turned = jnp.abs(z) * jnp.exp(1j * (jnp.angle(z) + angles))
    return jnp.concatenate([turned.real, turned.imag], axis=-1)


# %% rope as a matrix for every position
import jax


def rope(x, positions, base):
    d = x.shape[-1]

    def matrix(position):
        angles = position * base ** (-2 * jnp.arange(d // 2) / d)
        blocks = [jnp.array([[jnp.cos(angle), -jnp.sin(angle)], [jnp.sin(angle), jnp.cos(angle)]]) for angle in angles]
        return jax.scipy.linalg.block_diag(*blocks)

    return jnp.stack([token @ matrix(position).T for token, position in zip(x, positions)])


# %% rope by einsum over two-by-two blocks
def rope(x, positions, base):
    tokens, heads, d = x.shape
    angles = jnp.outer(positions, base ** (-2 * jnp.arange(d // 2) / d))
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    blocks = jnp.stack([jnp.stack([cos, -sin], -1), jnp.stack([sin, cos], -1)], -2)
    return jnp.einsum("tjab,thjb->thja", blocks, x.reshape(tokens, heads, -1, 2)).reshape(x.shape)


# %% rope by vmap over tokens and heads
import jax


def rope(x, positions, base):
    d = x.shape[-1]
    frequencies = base ** (-2 * jnp.arange(d // 2) / d)

    def one(row, position):
        cos, sin = jnp.cos(position * frequencies), jnp.sin(position * frequencies)
        return jnp.stack([row[0::2] * cos - row[1::2] * sin, row[0::2] * sin + row[1::2] * cos], axis=1).ravel()

    return jax.vmap(jax.vmap(one, in_axes=(0, None)), in_axes=(0, 0))(x, positions)


# %% rope by scan over tokens
import jax


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(half) / half)

    def step(carry, token):
        row, position = token
        cos, sin = jnp.cos(position * frequencies), jnp.sin(position * frequencies)
        first, second = row[:, :half], row[:, half:]
        return carry, jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=1)

    return jax.lax.scan(step, None, (x, positions))[1]


# %% rope filled with .at
def rope(x, positions, base):
    rotated = jnp.zeros_like(x)
    d = x.shape[-1]
    for j in range(d // 2):
        angle = (positions * base ** (-2 * j / d))[:, None]
        a, b = x[:, :, 2 * j], x[:, :, 2 * j + 1]
        rotated = rotated.at[:, :, 2 * j].set(a * jnp.cos(angle) - b * jnp.sin(angle))
        rotated = rotated.at[:, :, 2 * j + 1].set(a * jnp.sin(angle) + b * jnp.cos(angle))
    return rotated


# %% rope in NumPy
import numpy as np


def rope(x, positions, base):
    x, positions = np.array(x), np.asarray(positions)
    d = x.shape[-1]
    angles = (positions[:, None] * base ** (-2 * np.arange(d // 2) / d))[:, None]
    rotated = np.empty_like(x)
    rotated[..., 0::2] = x[..., 0::2] * np.cos(angles) - x[..., 1::2] * np.sin(angles)
    rotated[..., 1::2] = x[..., 0::2] * np.sin(angles) + x[..., 1::2] * np.cos(angles)
    return rotated


# %% rope as lists
import math


def rope(x, positions, base):
    result = []
    for token, position in zip(x.tolist(), positions.tolist()):
        heads = []
        for row in token:
            turned = []
            for j in range(len(row) // 2):
                angle = position / base ** (2 * j / len(row))
                a, b = row[2 * j], row[2 * j + 1]
                turned += [a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)]
            heads.append(turned)
        result.append(heads)
    return result


# %% rope from a table of cosines, indexed by position
def rope(x, positions, base):
    half = x.shape[-1] // 2
    angles = jnp.outer(jnp.arange(8192), base ** (-jnp.arange(half) / half))
    cos, sin = jnp.cos(angles)[positions][:, None], jnp.sin(angles)[positions][:, None]
    first, second = x[..., :half], x[..., half:]
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


# %% rope with heads first inside
def rope(x, positions, base):
    x = jnp.swapaxes(x, 0, 1)
    d = x.shape[-1]
    angles = jnp.outer(positions, base ** (-2 * jnp.arange(d // 2) / d))
    first, second = x[..., 0::2], x[..., 1::2]
    turned = jnp.stack(
        [first * jnp.cos(angles) - second * jnp.sin(angles), first * jnp.sin(angles) + second * jnp.cos(angles)], -1
    ).reshape(x.shape)
    return jnp.swapaxes(turned, 0, 1)


# %% rope as a callable object
import jax


class Rotary:
    def __init__(self, sign=1.0):
        self.sign = sign

    def __call__(self, x: jax.Array, positions: jax.Array, base: float = 10000.0) -> jax.Array:
        d = x.shape[-1]
        angles = self.sign * jnp.outer(positions, base ** (-2 * jnp.arange(d // 2) / d))[:, None, :]
        first, second = x[..., 0::2], x[..., 1::2]
        cos, sin = jnp.cos(angles), jnp.sin(angles)
        return jnp.stack([first * cos - second * sin, first * sin + second * cos], axis=-1).reshape(x.shape)


rope = Rotary()


# %% rope under jit
import jax


@jax.jit
def rope(x, positions, base):
    half = x.shape[-1] // 2
    angles = positions[:, None, None] * base ** (-jnp.arange(half) / half)
    z = jnp.exp(1j * angles) * (x[..., :half] + 1j * x[..., half:])
    return jnp.concatenate([z.real, z.imag], axis=-1)


# %% rope as a partial over a sign
import functools


def turned(sign, x, positions, base):
    half = x.shape[-1] // 2
    angles = sign * positions[:, None, None] * base ** (-jnp.arange(half) / half)
    first, second = jnp.split(x, 2, axis=-1)
    return jnp.concatenate(
        [first * jnp.cos(angles) - second * jnp.sin(angles), second * jnp.cos(angles) + first * jnp.sin(angles)], -1
    )


rope = functools.partial(turned, 1)


# %% other places, with a negative distance
query = jnp.array([2.0, 1.0, 0.0, -1.0])
key = jnp.array([1.0, -1.0, 2.0, 1.0])
places = jnp.array([[0, 7], [993, 1000], [1000, 0]])
own_scores = scores_at(query, key, places[:, 0], places[:, 1], 100.0)


# %% an order by reshape
wq = jnp.arange(16.0).reshape(2, 8)
to_halves = jnp.arange(8).reshape(4, 2).T.ravel()
converted = jnp.concatenate([wq[:, ::2], wq[:, 1::2]], axis=1)


# %% a repair by other partners
def broken_rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(half) / half)
    angles = jnp.outer(positions, frequencies)[:, None, :]
    angles = jnp.repeat(angles, 2, axis=-1)
    partners = jnp.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * jnp.cos(angles) + partners * jnp.sin(angles)


sample = jnp.array([[[1.0, 2.0, 3.0, 0.0]], [[0.0, 1.0, -1.0, 2.0]], [[3.0, 0.0, 1.0, 1.0]]])
broken_lengths = jnp.sqrt((broken_rope(sample, jnp.array([0, 1, 5]), 100.0) ** 2).sum(-1))


def repaired_rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(half) / half)
    angles = jnp.repeat(jnp.outer(positions, frequencies)[:, None, :], 2, axis=-1)
    partners = jnp.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)
    return x * jnp.cos(angles) + partners * jnp.sin(angles)
