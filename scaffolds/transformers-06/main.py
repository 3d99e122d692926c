"""transformers-06: scoring the next token."""

# %% Step 1: imports
import jax.numpy as jnp


# %% Step 2: the loss
def lm_loss(logits, tokens, mask):
    """What the tokens that come next cost the model, on average and in nats.

    logits (B, T, V), tokens (B, T), mask (B, T) of True and False -> loss ()
    """
    # Position t predicts token t + 1, so the last position and the first token have no partner.
    predictions = ...  # TODO: the logits of all positions but the last, (B, T - 1, V)
    targets = ...  # TODO: the tokens that they predict, (B, T - 1)
    counted = ...  # TODO: the mask of these tokens, (B, T - 1)

    # The logarithm of every probability; the largest logit of each position becomes 0, and nothing overflows.
    log_p = ...  # TODO: the log-softmax of every position, (B, T - 1, V)

    # What each target costs: minus its own entry of log_p.
    costs = ...  # TODO: the costs of the targets, (B, T - 1)

    # One mean over all targets that count, whichever text they stand in.
    loss = ...  # TODO: the mean of the costs that count, one number
    return loss


# %% Step 3: perplexity
def perplexity(loss):
    """Among how many equally likely tokens the model seems to choose.

    loss () in nats -> perplexity ()
    """
    choices = ...  # TODO: e to the loss
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
my_logits = ...  # TODO: five logits of your own, as a jnp.array, (5,)
my_target = ...  # TODO: the number of a word, 0 to 4, that has not the largest of these logits
my_cost = ...  # TODO: what it costs, by lm_loss with one text of two tokens, ()
my_slope = ...  # TODO: how that cost changes with each logit, (5,)

# %% Exercise 2: two tokenizers
nats_per_token = jnp.array([3.1, 1.9])  # two models on the same text
tokens_in_text = jnp.array([1000, 1800])  # each with a tokenizer of its own
bytes_in_text = 4200
bits_per_byte = ...  # TODO: the bits that each model needs for a byte of the text, (2,)


# %% Exercise 3: a mean of means
def text_by_text(logits, tokens, mask):
    """Given, and wrong: the loss of a batch, one text after the other."""
    losses = [lm_loss(logits[row : row + 1], tokens[row : row + 1], mask[row : row + 1]) for row in range(len(tokens))]
    return sum(losses) / len(losses)


mean_of_means = ...  # TODO: what text_by_text says of the batch: the fault
row_counts = ...  # TODO: how many targets count in each text, (2,)
repaired = ...  # TODO: the loss of the batch, from the losses of its texts and row_counts: the repair

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
