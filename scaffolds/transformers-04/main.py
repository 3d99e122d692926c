"""transformers-04: positions and rotations."""

# %% Step 1: imports
import jax.numpy as jnp


# %% Step 2: a row for every position
def sinusoid(length, width):
    """Sines and cosines of every position, a pair of columns for each frequency.

    length T, width D (even) -> encoding (T, D)
    """
    # One frequency for each pair of columns, falling from 1: (D/2,).
    frequencies = ...  # TODO: 10000 to the power -2j/D for j = 0, 1, …, D/2 - 1

    # Every position with every frequency: (T,) and (D/2,) -> (T, D/2).
    angles = ...  # TODO: positions 0, 1, …, T - 1 times frequencies, (T, D/2)

    # Sine and cosine of an angle side by side: (T, D/2, 2) -> (T, D).
    encoding = ...  # TODO: sine, cosine, sine, cosine, … of every row of angles, (T, D)
    return encoding


# %% Step 3: the rotation
def rope(x, positions, base):
    """Turn every pair of coordinates by its token's position times its own frequency.

    x (T, H, d), positions (T,), base a number -> rotated (T, H, d)
    """
    # One angle for each token and pair, the same in every head: (T, 1, d/2).
    angles = ...  # TODO: positions times base to the power -2j/d, with an axis of size 1 for the heads

    # Neighbours make a pair: coordinates 0 and 1, 2 and 3, …, each (T, H, d/2).
    turned_first = ...  # TODO: the first coordinate of every pair, turned
    turned_second = ...  # TODO: the second coordinate of every pair, turned

    # Each coordinate back in its place: (T, H, d/2, 2) -> (T, H, d).
    rotated = ...  # TODO: both together in the shape of x
    return rotated


# %% Step 4: run and check
def scores_at(query, key, query_positions, key_positions, base):
    """The scores of a query and a key, both (d,), that stand at these positions, both (n,) -> (n,)"""
    rows = (len(query_positions), 1, 1)
    queries = rope(jnp.tile(query, rows), query_positions, base)
    keys = rope(jnp.tile(key, rows), key_positions, base)
    if queries is ... or keys is ...:
        return ...  # rope is still to be written
    return (jnp.asarray(queries) * jnp.asarray(keys)).sum(axis=(1, 2))


# Experiment 1: the encoding of six positions, four numbers each.
encoding = sinusoid(6, 4)

# Experiment 2: one vector as query and as key, 0 to 8 positions apart, then everything 100 positions later.
ones = jnp.ones(4)
key_positions = jnp.arange(9)
query_positions = jnp.full(9, 8)
scores = scores_at(ones, ones, query_positions, key_positions, 100.0)
shifted = scores_at(ones, ones, query_positions + 100, key_positions + 100, 100.0)

# %% Exercise 1: make it yours
query = jnp.array([2.0, 1.0, 0.0, -1.0])
key = jnp.array([1.0, -1.0, 2.0, 1.0])
places = ...  # TODO: three rows [position of the query, position of the key], as a jnp.array
own_scores = ...  # TODO: scores_at of query and key at these positions, base 100.0

# %% Exercise 2: read another checkpoint
wq = jnp.arange(16.0).reshape(2, 8)
to_halves = ...  # TODO: the order of the 8 coordinates that makes half-split pairs of neighbours, as a jnp.array
converted = ...  # TODO: the columns of wq in that order


# %% Exercise 3: a rotation that stretches
def broken_rope(x, positions, base):
    """Meant as a rotation with half-split pairs (j, j + d/2); one line belongs to the other pairing."""
    half = x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(half) / half)
    angles = jnp.outer(positions, frequencies)[:, None, :]
    angles = jnp.repeat(angles, 2, axis=-1)
    partners = jnp.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * jnp.cos(angles) + partners * jnp.sin(angles)


sample = jnp.array([[[1.0, 2.0, 3.0, 0.0]], [[0.0, 1.0, -1.0, 2.0]], [[3.0, 0.0, 1.0, 1.0]]])
broken_lengths = ...  # TODO: lengths of the rows of broken_rope(sample, jnp.array([0, 1, 5]), 100.0), (3, 1)


def repaired_rope(x, positions, base):
    """broken_rope with its one wrong line put right."""
    return ...  # TODO: all lines of broken_rope, with the wrong one put right


# %% What came out
answers = {
    "encoding": encoding,
    "scores": scores,
    "shifted": shifted,
    "places": places,
    "own_scores": own_scores,
    "to_halves": to_halves,
    "converted": converted,
    "broken_lengths": broken_lengths,
}
for name, value in answers.items():
    if value is not ...:
        print(name, jnp.array_str(jnp.asarray(value), precision=4), sep="\n")
unfinished = [name for name, value in answers.items() if value is ...]
if repaired_rope(sample, jnp.array([0, 1, 5]), 100.0) is ...:
    unfinished.append("repaired_rope")
if unfinished:
    print("Still to do:", ", ".join(unfinished))
    print("Fill in the first TODO from the top, save, then: grade lesson transformers-04")
