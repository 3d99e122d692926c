"""The lesson as a tour of ten minutes, computed as it is told."""

import numpy as np

from grader.narration import number, row, section, table
from grader.oracle.attention import softmax
from grader.oracle.losses import (
    bits_per_byte,
    cost_gradient,
    log_softmax,
    log_sum_exp,
    next_token_loss,
    perplexity,
    token_costs,
)

WORDS = ("the", "cat", "sat", "on", "mat")
AFTER_THE = np.array([-1.0, 2.0, 0.0, -1.0, 1.0])
CAT, MAT = 1, 4
TOKENS = np.array([[0, 1, 2, 3, 0, 4], [0, 4, 2, 0, 0, 0]])
MASK = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]], dtype=bool)
FOLLOWS = np.array(
    [AFTER_THE, [0.0, -1.0, 3.0, 1.0, -1.0], [0.0, -1.0, -1.0, 3.0, 0.0], [4.0, 0.0, -1.0, -1.0, 1.0], [0, 0, 1, 0, -1]]
)
LOGITS = FOLLOWS[TOKENS]
TARGETS = [f"target {t}" for t in range(1, 6)]


@section(
    "One forecast, one cost", takeaway="A forecast costs minus the logarithm of what it gave to the word that came."
)
def one_forecast():
    """A model has read "the" and says, with a number for each word, what it expects. Then the next word comes. How
    good was the forecast?

    This walk gives away what the page asks you to predict. If you want to find out first, run `grade predict
    transformers-06` now and come back.
    """
    p = softmax(AFTER_THE)
    rows = ["logit", "e to the logit", "p", "-ln p"]
    yield table("After the", [AFTER_THE, np.exp(AFTER_THE), p, -np.log(p)], columns=WORDS, rows=rows)
    yield (
        f"If mat comes, the forecast costs {number(-np.log(p[MAT]))}; cat, the favourite, would have cost "
        f"{number(-np.log(p[CAT]))}. A probability of 1 costs nothing, and each halving costs ln 2 = "
        f"{number(np.log(2))} more."
    )


@section("Without any probability", takeaway="cost = log ∑ exp(z) - z of the target. Only differences of logits count.")
def without_probability():
    """The logarithm of a quotient is a difference, so there is a shorter way to the same number."""
    level = log_sum_exp(AFTER_THE)
    yield f"log ∑ exp of the five logits is {number(level)}; minus the logit of mat, 1, it is {number(level - 1)}."
    raised = AFTER_THE + 100
    yield (
        f"Add 100 to all of them: log ∑ exp becomes {number(log_sum_exp(raised), digits=6)}, the logit 101, and the "
        f"cost {number(token_costs(raised, MAT))} as before."
    )
    sizes = [2, 5, 65, 50_257]
    yield table("Equal logits", np.log(sizes), columns=[f"V = {size:,}" for size in sizes], rows=["cost: ln V"])
    yield "That is the price of knowing nothing, and the first number to compare a loss with."


@section("The slope", takeaway="The gradient is p, minus 1 at the word that came. The slopes add up to 0.")
def slope():
    """Training moves each logit against the slope of the cost. The slope needs no derivation to be tested: nudge and
    look.
    """
    nudges = [token_costs(AFTER_THE + 0.001 * np.eye(5)[j], MAT) - token_costs(AFTER_THE, MAT) for j in range(5)]
    yield table(
        "Since mat came",
        [softmax(AFTER_THE), cost_gradient(AFTER_THE, MAT), np.array(nudges) * 1000],
        columns=WORDS,
        rows=["p", "p - 1 at mat", "measured by a nudge"],
        digits=3,
    )
    yield "Up with mat, down with the rest, and most of all with cat, which took most of what mat lacked."


@section("Confident errors", takeaway="A confident error costs its margin, and float32 has to be able to say so.")
def margins():
    """Let a wrong word lead by a margin while all others stay at 0."""
    leads = np.array([2.0, 10.0, 50.0, 10_000.0])
    scores = np.stack([0 * leads, leads, 0 * leads], axis=-1).astype(np.float32)
    right = token_costs(scores, np.zeros(4, dtype=int))
    with np.errstate(divide="ignore"):
        shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
        p = (shifted / shifted.sum(axis=-1, keepdims=True))[:, 0]
        cells = [right, -np.log(p + np.float32(1e-7)), -np.log(p)]
    yield table(
        "Cost of the target",
        np.array(cells),
        columns=[f"margin {lead:g}" for lead in leads],
        rows=["log-softmax", "log(p + small)", "log(p)"],
        digits=5,
    )
    yield "A small number added to p cuts the cost off; a p that becomes 0 makes it infinite. Log-softmax forms no p."


@section("Which token", takeaway="Position t is held to token t + 1. Six tokens make five targets.")
def shift():
    """A position has read everything up to itself, so its logits are about the token after it."""
    text = [WORDS[token] for token in TOKENS[0]]
    yield table("The first text", [text[:-1], text[1:]], columns=TARGETS, rows=["position", "held to"])
    sure = 20 * np.eye(5)
    here, following = sure[TOKENS], sure[np.roll(TOKENS, -1, axis=1)]
    yield table(
        "Two forecasts without a doubt",
        [[next_token_loss(here, TOKENS, MASK), round(next_token_loss(following, TOKENS, MASK), 6)]],
        columns=["sure of this word", "sure of the next"],
        rows=["loss"],
    )
    yield "Without the shift the two change places, and a model that repeats what it reads looks perfect."


@section(
    "The noise test", takeaway="No honest loss stays below chance on noise. A loss that collapses was given the answer."
)
def noise():
    """Random symbols cannot be predicted. Train a table of logits on them, with the shift and without."""

    def trained(shift):
        rng = np.random.default_rng(seed=0)
        parts, seen = np.zeros((8, 8)), []
        for _ in range(120):
            symbols = rng.integers(0, 8, (32, 12))
            now, targets = symbols[:, : 12 - shift].ravel(), symbols[:, shift:].ravel()
            seen.append(token_costs(parts[now], targets).mean())
            change = np.zeros_like(parts)
            np.add.at(change, now, cost_gradient(parts[now], targets) / len(now))
            parts -= 10 * change
        return [seen[0], seen[19], np.mean(seen[-20:])]

    yield f"Eight symbols, so knowing nothing costs ln 8 = {number(np.log(8))}:"
    columns = ["at the start", "after 20 steps", "at the end"]
    yield table("Loss", [trained(1), trained(0)], columns=columns, rows=["next token", "no shift"], digits=3)
    yield "The second curve is the beautiful one. Only the knowledge that noise is noise tells you that it is wrong."


@section("Which targets count", takeaway="A target counts by its own mask. Sum what counts, divide once.")
def counting():
    """Short texts are filled up, and a mask says what is real. Here are the costs of both texts under a table of
    words.
    """
    costs, counted = token_costs(LOGITS[:, :-1], TOKENS[:, 1:]), MASK[:, 1:]
    yield table("Costs", costs, columns=TARGETS, rows=["text 0", "text 1"])
    yield table("Counted", counted.astype(int), columns=TARGETS, rows=["text 0", "text 1"])
    means = (costs * counted).sum(axis=1) / counted.sum(axis=1)
    yield table(
        "Four averages",
        [[(costs * counted).sum() / counted.sum()], [means.mean()], [(costs * counted).mean()], [costs.mean()]],
        columns=["nats"],
        rows=["over the 7 that count", "mean of two means", "filler as 0", "filler as it is"],
    )
    yield (
        f"The text with {counted[1].sum()} targets would get half of the weight in a mean of means. Only the first "
        "average stays the same however the batch is cut into pieces."
    )


@section("Other units", takeaway="Perplexity is e to the loss. Across tokenizers compare bits per byte.")
def units():
    """A loss is a logarithm. Undone, it is the number of equally likely words among which the model seems to choose."""
    losses = np.array([0.0, next_token_loss(LOGITS, TOKENS, MASK), np.log(5)])
    columns = ["always right", "the table", "knowing nothing"]
    yield table("Five words", [losses, perplexity(losses)], columns=columns, rows=["loss", "perplexity"])
    nats, count = np.array([3.1, 1.9]), np.array([1000, 1800])
    yield "Two models with tokenizers of their own, on one text of 4200 bytes:"
    yield table(
        "Per token and per byte",
        [nats, perplexity(nats), count, bits_per_byte(nats, count, 4200)],
        columns=["long tokens", "short tokens"],
        rows=["nats per token", "perplexity", "tokens", "bits per byte"],
    )
    yield "Per token the second looks better, per byte the first is. Long tokens are harder and fewer."


@section("What to take along", takeaway="Start from what you know: ln V, the margin, 0 for the sure and right, noise.")
def take_along():
    """Each relation sees some mistakes and misses others. Four losses, all wrong, on three tests with known answers."""

    def mean_over(costs, counted):
        return (costs * counted).sum() / counted.sum()

    def costs_of(logits):
        return token_costs(logits[:, :-1], TOKENS[:, 1:])

    mistakes = {
        "no shift": lambda logits: mean_over(token_costs(logits, TOKENS), MASK),
        "softmax twice": lambda logits: mean_over(costs_of(softmax(logits)), MASK[:, 1:]),
        "filler counts": lambda logits: costs_of(logits).mean(),
        "mean of means": lambda logits: np.mean(
            [mean_over(*pair) for pair in zip(costs_of(logits), MASK[:, 1:], strict=True)]
        ),
    }
    tests = (
        (0 * LOGITS, np.log(5)),
        (20 * np.eye(5)[np.roll(TOKENS, -1, axis=1)], 0.0),
        (LOGITS, next_token_loss(LOGITS, TOKENS, MASK)),
    )
    yield table(
        "Which test sees which mistake",
        [
            ["–" if np.isclose(loss(logits), right, atol=1e-6) else "sees it" for logits, right in tests]
            for loss in mistakes.values()
        ],
        columns=["equal logits", "sure and right", "the table"],
        rows=list(mistakes),
    )
    yield (
        f"Equal logits, the test that everybody makes, see none of them. The costs {row(-log_softmax(AFTER_THE))} of "
        "one forecast, worked out by hand, are worth more."
    )
    yield "Now write it: `grade start transformers-06`, then `grade lesson transformers-06`."
