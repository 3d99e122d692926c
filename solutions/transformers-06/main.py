"""transformers-06: scoring the next token."""

# %% Step 1: imports
import jax.numpy as jnp


# %% Step 2: the loss
def lm_loss(logits, tokens, mask):
    """What the tokens that come next cost the model, on average and in nats.

    logits (B, T, V), tokens (B, T), mask (B, T) of True and False -> loss ()
    """
    # Position t predicts token t + 1, so the last position and the first token have no partner.
    predictions = logits[:, :-1]  # (B, T - 1, V)
    targets = tokens[:, 1:]  # (B, T - 1)
    counted = mask[:, 1:]  # (B, T - 1), True where the target is a real token

    # The logarithm of every probability; the largest logit of each position becomes 0, and nothing overflows.
    shifted = predictions - predictions.max(axis=-1, keepdims=True)
    log_p = shifted - jnp.log(jnp.exp(shifted).sum(axis=-1, keepdims=True))  # (B, T - 1, V)

    # What each target costs: minus its own entry of log_p.
    costs = -jnp.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]  # (B, T - 1)

    # One mean over all targets that count, whichever text they stand in.
    loss = (costs * counted).sum() / counted.sum()
    return loss


# %% Step 3: perplexity
def perplexity(loss):
    """Among how many equally likely tokens the model seems to choose.

    loss () in nats -> perplexity ()
    """
    choices = jnp.exp(loss)
    return choices


# %% Step 4: run and check
words = ["the", "cat", "sat", "on", "mat"]  # V = 5
tokens = jnp.array([[0, 1, 2, 3, 0, 4], [0, 4, 2, 0, 0, 0]])  # (2, 6): the cat sat on the mat · the mat sat, filled up
mask = jnp.array([[True] * 6, [True, True, True, False, False, False]])  # (2, 6)
follows = jnp.array(  # a row for each word: how well the, cat, sat, on, mat would come next
    [
        [-1.0, 2.0, 0.0, -1.0, 1.0],
        [0.0, -1.0, 3.0, 1.0, -1.0],
        [0.0, -1.0, -1.0, 3.0, 0.0],
        [4.0, 0.0, -1.0, -1.0, 1.0],
        [0.0, 0.0, 1.0, 0.0, -1.0],
    ]
)
logits = follows[tokens]  # (2, 6, 5)
uniform = lm_loss(jnp.zeros((2, 6, 5)), tokens, mask)
loss = lm_loss(logits, tokens, mask)
choices = perplexity(loss)

# Experiment 1: sure of the word that stands there, then sure of the word that comes next.
copied = lm_loss(20.0 * jnp.eye(5)[tokens], tokens, mask)
known = lm_loss(20.0 * jnp.eye(5)[jnp.roll(tokens, -1, axis=1)], tokens, mask)

# Experiment 2: sure of "mat" at every position, by ten thousand.
sure = lm_loss(10_000.0 * jnp.eye(5)[jnp.full((2, 6), 4)], tokens, mask)

# %% Exercise 1: make it yours
my_logits = jnp.array([1.0, -2.0, 0.5, 0.0, 3.0])
my_target = 2
two_positions = jnp.stack([my_logits, my_logits])[None]  # (1, 2, 5): one text of two tokens
my_cost = lm_loss(two_positions, jnp.array([[0, my_target]]), jnp.array([[True, True]]))
exponentials = jnp.exp(my_logits - my_logits.max())
my_slope = exponentials / exponentials.sum() - jnp.eye(5)[my_target]

# %% Exercise 2: two tokenizers
nats_per_token = jnp.array([3.1, 1.9])  # two models on the same text
tokens_in_text = jnp.array([1000, 1800])  # each with a tokenizer of its own
bytes_in_text = 4200
bits_per_byte = nats_per_token / jnp.log(2) * tokens_in_text / bytes_in_text


# %% Exercise 3: a mean of means
def text_by_text(logits, tokens, mask):
    """Given, and wrong: the loss of a batch, one text after the other."""
    losses = [lm_loss(logits[row : row + 1], tokens[row : row + 1], mask[row : row + 1]) for row in range(len(tokens))]
    return sum(losses) / len(losses)


mean_of_means = text_by_text(logits, tokens, mask)
row_counts = mask[:, 1:].sum(axis=1)
row_losses = jnp.stack([lm_loss(logits[row : row + 1], tokens[row : row + 1], mask[row : row + 1]) for row in (0, 1)])
repaired = (row_losses * row_counts).sum() / row_counts.sum()

# %% What came out
answers = {
    "uniform": uniform,
    "loss": loss,
    "choices": choices,
    "copied": copied,
    "known": known,
    "sure": sure,
    "my_logits": my_logits,
    "my_target": my_target,
    "my_cost": my_cost,
    "my_slope": my_slope,
    "bits_per_byte": bits_per_byte,
    "mean_of_means": mean_of_means,
    "row_counts": row_counts,
    "repaired": repaired,
}
for name, value in answers.items():
    if value is not ...:
        print(name, jnp.array_str(jnp.atleast_1d(value), precision=4, suppress_small=True), sep="\n")
unfinished = [name for name, value in answers.items() if value is ...]
if unfinished:
    print("Still to do:", ", ".join(unfinished))
    print("Fill in the first TODO from the top, save, then: grade lesson transformers-06")
