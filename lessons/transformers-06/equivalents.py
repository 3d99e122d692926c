# Other right ways of writing the lesson's code. Each cell takes the place of the cells of the
# solution that set the same names; `grade verify` shows that every one of them passes.

# %% jax.nn.log_softmax
import jax


def lm_loss(logits, tokens, mask):
    log_p = jax.nn.log_softmax(logits[:, :-1], axis=-1)
    costs = -jnp.take_along_axis(log_p, tokens[:, 1:, None], axis=-1).squeeze(-1)
    return jnp.sum(costs * mask[:, 1:]) / jnp.sum(mask[:, 1:])


# %% logsumexp minus the logit
import jax


def lm_loss(logits, tokens, mask):
    targets, counted = tokens[:, 1:], mask[:, 1:]
    right = jnp.take_along_axis(logits[:, :-1], targets[..., None], -1)[..., 0]
    costs = jax.nn.logsumexp(logits[:, :-1], axis=-1) - right
    return jnp.where(counted, costs, 0.0).sum() / jnp.maximum(counted.sum(), 1)


# %% one-hot
import jax


def lm_loss(logits, tokens, mask):
    one_hot = jax.nn.one_hot(tokens[:, 1:], logits.shape[-1])
    costs = -(one_hot * jax.nn.log_softmax(logits[:, :-1])).sum(-1)
    return (costs * mask[:, 1:]).sum() / mask[:, 1:].sum()


# %% einsum
import jax


def lm_loss(logits, tokens, mask):
    weight = mask[:, 1:].astype(jnp.float32)
    one_hot = jax.nn.one_hot(tokens[:, 1:], logits.shape[-1])
    total = jnp.einsum("btv,btv,bt->", jax.nn.log_softmax(logits)[:, :-1], one_hot, weight)
    return -total / jnp.einsum("bt->", weight)


# %% fancy indexing
import jax


def lm_loss(logits, tokens, mask):
    log_p = jax.nn.log_softmax(logits)
    rows, columns = jnp.arange(tokens.shape[0])[:, None], jnp.arange(tokens.shape[1] - 1)[None, :]
    costs = -log_p[rows, columns, tokens[:, 1:]]
    return jnp.average(costs, weights=mask[:, 1:].astype(costs.dtype))


# %% flattened
import jax


def lm_loss(logits, tokens, mask):
    flat = logits[:, :-1].reshape(-1, logits.shape[-1])
    targets = tokens[:, 1:].reshape(-1)
    weights = mask[:, 1:].reshape(-1).astype(jnp.float32)
    costs = -jax.nn.log_softmax(flat)[jnp.arange(flat.shape[0]), targets]
    return jnp.dot(costs, weights) / weights.sum()


# %% mean with where
import jax


def lm_loss(logits, tokens, mask):
    log_p = jax.nn.log_softmax(logits[:, :-1])
    picked = jnp.take_along_axis(log_p, jnp.expand_dims(tokens[:, 1:], -1), axis=-1)[:, :, 0]
    return -jnp.mean(picked, where=mask[:, 1:])


# %% vmap over positions and texts
import jax


def lm_loss(logits, tokens, mask):
    def cost(row, token):
        return jax.nn.logsumexp(row) - row[token]

    costs = jax.vmap(jax.vmap(cost))(logits[:, :-1], tokens[:, 1:])
    return (costs * mask[:, 1:]).sum() / mask[:, 1:].sum()


# %% totals of each text, then one division
import jax


def lm_loss(logits, tokens, mask):
    def of_one_text(row, ids, real):
        costs = -jax.nn.log_softmax(row[:-1])[jnp.arange(ids.shape[0] - 1), ids[1:]]
        return jnp.where(real[1:], costs, 0).sum(), real[1:].sum()

    totals, counts = jax.vmap(of_one_text)(logits, tokens, mask)
    return totals.sum() / counts.sum()


# %% scan over positions
import jax


def lm_loss(logits, tokens, mask):
    def step(carry, part):
        row, ids, real = part
        costs = jax.nn.logsumexp(row, axis=-1) - jnp.take_along_axis(row, ids[:, None], axis=-1)[:, 0]
        return (carry[0] + (costs * real).sum(), carry[1] + real.sum()), None

    parts = (logits[:, :-1].swapaxes(0, 1), tokens[:, 1:].T, mask[:, 1:].T)
    (total, count), _ = jax.lax.scan(step, (0.0, 0), parts)
    return total / count


# %% Python loops
import jax


def lm_loss(logits, tokens, mask):
    total, count = 0.0, 0
    for row, ids, real in zip(logits, tokens, mask):
        for t in range(len(ids) - 1):
            if real[t + 1]:
                total -= jax.nn.log_softmax(row[t])[ids[t + 1]]
                count += 1
    return total / count


# %% boolean indexing
import jax


def lm_loss(logits, tokens, mask):
    counted = mask[:, 1:]
    chosen, targets = logits[:, :-1][counted], tokens[:, 1:][counted]
    return -jax.nn.log_softmax(chosen)[jnp.arange(len(targets)), targets].mean()


# %% labels of -100 that are looked up safely
import jax


def lm_loss(logits, tokens, mask):
    labels = jnp.where(mask, tokens, -100)[:, 1:]
    safe = jnp.where(labels == -100, 0, labels)
    costs = -jnp.take_along_axis(jax.nn.log_softmax(logits[:, :-1]), safe[..., None], axis=-1)[..., 0]
    return jnp.where(labels == -100, 0, costs).sum() / (labels != -100).sum()


# %% rolled targets with a mask that ends
import jax


def lm_loss(logits, tokens, mask):
    targets = jnp.roll(tokens, -1, axis=1)
    counted = jnp.roll(mask, -1, axis=1).at[:, -1].set(False)
    costs = -jnp.take_along_axis(jax.nn.log_softmax(logits), targets[..., None], axis=-1)[..., 0]
    return (costs * counted).sum() / counted.sum()


# %% targets padded with zeros that do not count
import jax


def lm_loss(logits, tokens, mask):
    targets = jnp.pad(tokens[:, 1:], ((0, 0), (0, 1)))
    counted = jnp.pad(mask[:, 1:], ((0, 0), (0, 1)))
    costs = jax.nn.logsumexp(logits, axis=-1) - jnp.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return (costs * counted).sum() / counted.sum()


# %% a mean of products over a mean of the mask
import jax


def lm_loss(logits, tokens, mask):
    weight = mask[:, 1:].astype(jnp.float32)
    costs = -jnp.take_along_axis(jax.nn.log_softmax(logits[:, :-1]), tokens[:, 1:, None], axis=-1)[..., 0]
    return jnp.mean(costs * weight) / jnp.mean(weight)


# %% a tiny epsilon under the total
import jax


def lm_loss(logits, tokens, mask):
    weight = mask[:, 1:].astype(jnp.float32)
    costs = -jnp.take_along_axis(jax.nn.log_softmax(logits[:, :-1]), tokens[:, 1:, None], axis=-1)[..., 0]
    return (costs * weight).sum() / (weight.sum() + 1e-8)


# %% log-softmax twice
import jax


def lm_loss(logits, tokens, mask):
    log_p = jax.nn.log_softmax(jax.nn.log_softmax(logits[:, :-1]))  # the second changes nothing
    costs = -jnp.take_along_axis(log_p, tokens[:, 1:, None], axis=-1)[..., 0]
    return (costs * mask[:, 1:]).sum() / mask[:, 1:].sum()


# %% margins against the right token
def lm_loss(logits, tokens, mask):
    right = jnp.take_along_axis(logits[:, :-1], tokens[:, 1:, None], axis=-1)
    costs = jnp.logaddexp.reduce(logits[:, :-1] - right, axis=-1)
    return (costs * mask[:, 1:]).sum() / mask[:, 1:].sum()


# %% bits turned back into nats
import jax


def lm_loss(logits, tokens, mask):
    bits = -jax.nn.log_softmax(logits[:, :-1]) / jnp.log(2.0)
    costs = jnp.take_along_axis(bits, tokens[:, 1:, None], axis=-1)[..., 0]
    return (costs * mask[:, 1:]).sum() / mask[:, 1:].sum() * jnp.log(2.0)


# %% plain NumPy inside a JAX file
import numpy as np


def lm_loss(logits, tokens, mask):
    scores, targets, counted = np.asarray(logits)[:, :-1], np.asarray(tokens)[:, 1:], np.asarray(mask)[:, 1:]
    scores = scores - scores.max(axis=-1, keepdims=True)
    log_p = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0][counted].mean()


# %% Python numbers
import math


def lm_loss(logits, tokens, mask):
    costs = []
    for row, ids, real in zip(logits.tolist(), tokens.tolist(), mask.tolist()):
        for scores, token, counts in zip(row, ids[1:], real[1:]):
            if counts:
                largest = max(scores)
                costs.append(largest + math.log(sum(math.exp(z - largest) for z in scores)) - scores[token])
    return sum(costs) / len(costs)


def perplexity(loss):
    return math.exp(loss)


# %% a jit object
import jax


@jax.jit
def lm_loss(logits, tokens, mask):
    costs = -jnp.take_along_axis(jax.nn.log_softmax(logits[:, :-1]), tokens[:, 1:, None], axis=-1)[..., 0]
    return jnp.sum(costs, where=mask[:, 1:]) / jnp.count_nonzero(mask[:, 1:])


# %% a partial
import functools
import jax


def loss_with(axis, logits, tokens, mask):
    log_p = jax.nn.log_softmax(logits[:, :-1], axis=axis)
    costs = -jnp.take_along_axis(log_p, tokens[:, 1:, None], axis=axis)[..., 0]
    return (costs * mask[:, 1:]).sum() / mask[:, 1:].sum()


lm_loss = functools.partial(loss_with, -1)


# %% a callable object with a bound method
import jax


class Scoring:
    def __call__(self, logits, tokens, mask):
        costs = -jnp.take_along_axis(jax.nn.log_softmax(logits[:, :-1]), tokens[:, 1:, None], axis=-1)[..., 0]
        return (costs * mask[:, 1:]).sum() / mask[:, 1:].sum()

    def choices(self, loss):
        return jnp.exp(loss)


lm_loss = Scoring()
perplexity = lm_loss.choices


# %% a custom gradient: p minus 1
import jax


@jax.custom_jvp
def cost(row, token):
    return jax.nn.logsumexp(row) - row[token]


@cost.defjvp
def cost_jvp(primals, tangents):
    row, token = primals
    slope = jax.nn.softmax(row) - jax.nn.one_hot(token, row.shape[-1])
    return cost(row, token), slope @ tangents[0]


def lm_loss(logits, tokens, mask):
    costs = jax.vmap(jax.vmap(cost))(logits[:, :-1], tokens[:, 1:])
    return (costs * mask[:, 1:]).sum() / mask[:, 1:].sum()


# %% powers of two
def perplexity(loss):
    return 2 ** (loss / jnp.log(2.0))


# %% a power of e
import math


def perplexity(loss):
    return math.e**loss


# %% the reciprocal of a probability
def perplexity(loss):
    return 1 / jnp.exp(-loss)


# %% NumPy
import numpy as np

perplexity = np.exp


# %% my cost by hand, other choices
import jax

my_logits = jnp.array([0.0, 2.0, 2.0, -1.0, 4.0])
my_target = jnp.array(1)
two_positions = ...
my_cost = -jax.nn.log_softmax(my_logits)[my_target]
exponentials = ...
my_slope = jax.nn.softmax(my_logits).at[my_target].add(-1.0)


# %% my slope by jax.grad
import jax

my_logits = jnp.array([3.0, 0.0, 0.0, 0.0, 0.0])
my_target = 4
two_positions = exponentials = ...
my_cost = jax.nn.logsumexp(my_logits) - my_logits[my_target]
my_slope = jax.grad(lambda z: jax.nn.logsumexp(z) - z[my_target])(my_logits)


# %% bits by log2 of e
nats_per_token = tokens_in_text = bytes_in_text = ...
bits_per_byte = [3.1 * 1000 / 4200 * jnp.log2(jnp.e), 1.9 * 1800 / 4200 * jnp.log2(jnp.e)]


# %% repaired by totals
def text_by_text(logits, tokens, mask):
    losses = [lm_loss(logits[row : row + 1], tokens[row : row + 1], mask[row : row + 1]) for row in range(len(tokens))]
    return sum(losses) / len(losses)


mean_of_means = text_by_text(logits, tokens, mask)
row_counts = mask.sum(axis=1) - 1
row_losses = [lm_loss(logits[row, None], tokens[row, None], mask[row, None]) for row in (0, 1)]
repaired = sum(n * part for n, part in zip(row_counts, row_losses)) / sum(row_counts)
