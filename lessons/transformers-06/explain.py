"""What each check asks: a question, the relation, and the smallest numbers that show it."""

import numpy as np

from grader.narration import explains, number, row, table
from grader.oracle.attention import softmax
from grader.oracle.losses import (
    bits_per_byte,
    cost_gradient,
    log_softmax,
    next_token_gradient,
    next_token_loss,
    perplexity,
    token_costs,
)

# Three words and texts of four: not those of main.py, since an explanation must not answer a prediction.
TOKENS = np.array([[0, 2, 1, 0], [2, 0, 1, 1]])
MASK = np.array([[1, 1, 1, 1], [1, 1, 0, 0]], dtype=bool)
TABLE = np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 0.0], [0.0, 2.0, -1.0]])
LOGITS = TABLE[TOKENS]
WORD_NAMES = ("word 0", "word 1", "word 2")
TARGET_NAMES = ("target 1", "target 2", "target 3")


def loss_of(logits, tokens=TOKENS, mask=MASK):
    """The loss of the two small texts."""
    return next_token_loss(logits, tokens, mask)


@explains(
    "returns_one_number",
    asks="What is the shape of what you return?",
    formula="logits (B, T, V), tokens (B, T), mask (B, T) → loss ()",
    look="the line loss = …: sums over both axes, above and below the fraction bar",
)
def one_number():
    """A loss is one number for the whole batch. A cost for every target is a step on the way to it."""
    yield table("Costs", token_costs(LOGITS[:, :-1], TOKENS[:, 1:]), columns=TARGET_NAMES, rows=["text 0", "text 1"])
    yield f"Four of them count, and their mean is {number(loss_of(LOGITS))}."


@explains(
    "equal_logits",
    asks="All words are equally likely. What does each of them cost?",
    formula="z = 0 ⇒ p = 1/V ⇒ L = ln V",
    look="the line loss = … if yours is a multiple of ln V; the line log_p = … if it is something else",
)
def knowing_nothing():
    """Equal logits share out 1/V to every word, so each target costs ln V, and so does their mean."""
    sizes = np.array([2, 3, 7])
    columns = [f"V = {size}" for size in sizes]
    yield table("Equal logits", [1 / sizes, np.log(sizes)], columns=columns, rows=["p", "cost"])
    yield f"The two small texts, with logits of 0 over three words: {number(loss_of(0 * LOGITS))}."


@explains(
    "next_token_is_the_target",
    asks="Which token has the model read last at position t, and which one is it asked about?",
    formula="z(t) = 30 at token t + 1 ⇒ L = 0;  z(t) = 30 at token t ⇒ L = 30",
    look="the lines predictions = … and targets = …: all positions but the last, all tokens but the first",
)
def held_to_the_next():
    """Logits that are sure of the next token cost nothing; sure of the token that stands there, they cost dearly."""
    tokens, mask = np.array([[0, 2, 1, 0]]), np.ones((1, 4), dtype=bool)
    following, here = 30 * np.eye(3)[np.roll(tokens, -1, axis=1)], 30 * np.eye(3)[tokens]
    yield f"One text, {row(tokens[0])}:"
    losses = [[round(next_token_loss(logits, tokens, mask), 6) for logits in (following, here)]]
    yield table("Loss", losses, columns=["sure of the next", "sure of this one"])


@explains(
    "levels_cancel",
    asks="All logits of one position rise by the same amount. Which probabilities change?",
    formula="log ∑ exp(z + a) - (z + a) = log ∑ exp(z) - z",
    look="the line log_p = …: maximum and sum run over the vocabulary, axis=-1, with keepdims=True",
)
def only_differences():
    """A constant added to all logits of a position leaves its cost; one added to a single token does not."""
    z = np.array([0.0, 1.0, 2.0])
    yield table(
        "Costs", -log_softmax([z, z + 5, z + 5 * np.eye(3)[2]]), columns=WORD_NAMES, rows=["z", "all + 5", "one + 5"]
    )


@explains(
    "confident_error",
    asks="A wrong word leads by 50. How small is p of the target, and what is minus its logarithm?",
    formula="-ln(1 / (e⁵⁰ + V - 1)) = 50",
    look="anything that ends a cost: a number added to p, a clip, a second softmax, smoothing",
)
def costs_its_margin():
    """A confident error costs its margin, without an upper end."""
    leads = [0.0, 2.0, 10.0, 50.0]
    costs = [token_costs([0.0, lead, 0.0], 0) for lead in leads]
    yield table("A wrong word leads", costs, columns=[f"by {lead:g}" for lead in leads], rows=["cost"])


@explains(
    "one_logit_at_a_time",
    asks="One target gets a better forecast. Which share of the loss belongs to it?",
    formula="ΔL = Δc / N, with N the number of targets that count",
    look="the lines counted = … and loss = …: which targets are in the sum, and what it is divided by",
)
def one_share_each():
    """Raising one right logit lowers the loss by one share: 1/N of what that target saves, or nothing if it does not
    count.
    """
    saved = np.zeros((2, 3))
    for place in np.ndindex(2, 3):
        raised = np.zeros((2, 4, 3))
        raised[place[0], place[1], TOKENS[place[0], place[1] + 1]] = 1.0
        saved[place] = loss_of(0 * LOGITS) - loss_of(raised)
    yield "All logits are 0; then one right logit is 1. What the loss falls by, for each of the six targets:"
    yield table("Saved", saved, columns=TARGET_NAMES, rows=["text 0", "text 1"])
    single = np.log(3) - token_costs([1.0, 0.0, 0.0], 0)
    yield f"The target itself saves {number(single)}; four targets count, and a quarter of it is {number(single / 4)}."


@explains(
    "last_position",
    asks="Which token comes after the last one?",
    formula="∂L / ∂z(T - 1) = 0",
    look="the line predictions = …: logits[:, :-1]; with roll, the mask of the last column",
)
def nothing_after_the_end():
    """The logits of the last position have no influence: there is nothing to hold them to."""
    other = LOGITS.copy()
    other[:, -1] = [5.0, -5.0, 0.0]
    yield f"The loss is {number(loss_of(LOGITS))} before and {number(loss_of(other))} after a change there."


@explains(
    "first_token",
    asks="Which position predicts the first token of a text?",
    formula="L does not depend on tokens[:, 0], nor on mask[:, 0]",
    look="the lines targets = … and counted = …: both begin with column 1",
)
def nothing_before_the_start():
    """The first token of a text is no target, so neither it nor its mask has an influence on given logits."""
    tokens, mask = TOKENS.copy(), MASK.copy()
    tokens[:, 0], mask[:, 0] = [2, 0], False
    changed = [loss_of(LOGITS), loss_of(LOGITS, tokens), loss_of(LOGITS, TOKENS, mask)]
    yield table("Loss", [changed], columns=["as it was", "other first tokens", "first masks False"])


@explains(
    "filler_does_not_count",
    asks="Which numbers may you change without changing what the model is asked?",
    formula="m(t + 1) = 0 ⇒ neither z(t) nor token t + 1 matters",
    look="the line loss = …: costs times counted above the fraction bar, counted.sum() below it",
)
def filler():
    """Tokens with a mask of False, the logits that predict them and further columns of them change nothing."""
    tokens, logits = np.where(MASK, TOKENS, 0), LOGITS.copy()
    logits[1, 1:] = [9.0, 0.0, -9.0]
    longer = [np.concatenate([part, part[:, :2]], axis=1) for part in (LOGITS, TOKENS)]
    mask = np.concatenate([MASK, np.zeros((2, 2), dtype=bool)], axis=1)
    losses = [loss_of(LOGITS), loss_of(logits, tokens), next_token_loss(*longer, mask)]
    yield table("Loss", [losses], columns=["as it was", "other filler", "two more columns"])


@explains(
    "ragged_batch",
    "fault_is_shown",
    "fault_is_repaired",
    asks="One text has many targets, the other few. What share has one target of each?",
    formula="L = (N₀ L₀ + N₁ L₁) / (N₀ + N₁), not (L₀ + L₁)/2",
    look="a mean over one axis before the last step; in Exercise 3, what each text's loss is multiplied by",
)
def every_target_alike():
    """The loss of a batch is the mean over its targets: each text counts by how many it has."""
    alone = [loss_of(*(part[b, None] for part in (LOGITS, TOKENS, MASK))) for b in (0, 1)]
    counts = MASK[:, 1:].sum(axis=1)
    yield table("Two small texts", [counts, alone], columns=["text 0", "text 1"], rows=["targets", "loss alone"])
    yield (
        f"Weighted by their targets they give {number(counts @ alone / counts.sum())}, which is the loss of the batch, "
        f"{number(loss_of(LOGITS))}. The mean of the two is {number(np.mean(alone))}."
    )


@explains(
    "another_numbering",
    asks="The words get other numbers, in logits and tokens alike. What has changed?",
    formula="L(z[…, π⁻¹], π(tokens)) = L(z, tokens)",
    look="comparisons of tokens with a number, such as 0 for filler; slices of the vocabulary",
)
def numbers_are_names():
    """A token's number is a name. Numbering the vocabulary another way changes nothing."""
    order = np.array([1, 2, 0])
    renamed = LOGITS[..., np.argsort(order)]
    yield f"Words 0, 1, 2 are called {row(order)} now. Text 0 becomes {row(order[TOKENS][0])}."
    yield f"The loss is {number(loss_of(LOGITS))} before and {number(loss_of(renamed, order[TOKENS]))} after."


@explains(
    "numpy_oracle",
    asks="Can you follow one target from its logits to its cost with a pencil?",
    formula="c = log ∑ exp(z) - z(target),  L = ∑ m c / ∑ m",
    look="print log_p, costs and loss for one text of two tokens, one after the other",
)
def compared_with_numpy():
    """The loss agrees with the same formula computed in NumPy at double precision."""
    z = LOGITS[0, 0]
    yield f"Text 0 begins with {row(TOKENS[0, :2])}; the logits of position 0 are {row(z)}:"
    yield table("Steps", [z, softmax(z), -log_softmax(z)], columns=WORD_NAMES, rows=["logits", "p", "-log p"])
    yield f"The target is word 2, so this position costs {number(token_costs(z, 2))}."


@explains(
    "large_logits",
    asks="Is there a line that takes the logarithm of a probability? What is the smallest probability of float32?",
    formula="log p = (z - m) - log ∑ exp(z - m), with m the largest logit of the position",
    look="the line log_p = …: the maximum of each position is subtracted, and no p is formed",
)
def far_apart():
    """A margin of 10,000 costs 10,000, and only differences count at any height."""
    z = np.array([0.0, 10_000.0, 0.0])
    shifted = z - z.max()
    steps = [shifted, np.exp(shifted), -log_softmax(z)]
    yield table("A wrong word leads by 10,000", steps, columns=WORD_NAMES, rows=["z - m", "exp", "cost"], digits=5)
    yield "The exponentials of the others are 0, and so would be their p. Their cost comes from z - m and is exact."


@explains(
    "one_target",
    asks="How many positions of a text of two tokens have a target?",
    formula="B = 1, T = 2 ⇒ L = c₀",
    look="squeeze() without an axis, indices written as numbers, sizes taken from the wrong axis",
)
def a_single_target():
    """One text of two tokens has one target, and its cost is the loss."""
    logits, tokens = LOGITS[:1, :2], TOKENS[:1, :2]
    loss = next_token_loss(logits, tokens, np.ones((1, 2), dtype=bool))
    yield f"The text {row(tokens[0])}, with logits {row(logits[0, 0])} at position 0: {number(loss)}."


@explains(
    "text_without_targets",
    asks="What is the mean of no costs, and does your function ever need it?",
    formula="N₁ = 0 ⇒ L = L₀",
    look="a division for each text by itself, where a count can be 0",
)
def an_empty_text():
    """A text without a target adds nothing to the sum and nothing to the count."""
    mask = MASK & [[True] * 4, [True, False, False, False]]
    loss = loss_of(LOGITS, TOKENS, mask)
    yield f"Without the target of text 1 the loss of the batch is that of text 0: {number(loss)}."
    yield "A mean for text 1 alone would be 0 over 0."


@explains(
    "repeated_call",
    asks="What may the answer depend on besides the three arguments?",
    formula="lm_loss(z, tokens, mask) = lm_loss(z, tokens, mask), whatever came in between",
    look="names that lm_loss uses and does not receive: globals, caches, default arguments",
)
def nothing_remembered():
    """The same question gets the same answer, whatever was asked in between."""
    yield table("Loss", [[loss_of(LOGITS), loss_of(-LOGITS), loss_of(LOGITS)]], columns=["asked", "other", "again"])


@explains(
    "loss_under_jit",
    "perplexity_under_jit",
    asks="Inside jax.jit the arrays have shapes but no values yet. Does a line of yours need to look at a value?",
    formula="jax.jit(f)(x) = f(x)",
    look="if, float(…), math functions, numpy functions, boolean indexing (its result has no known shape)",
)
def inside_jit():
    """jax.jit compiles from shapes alone. How many targets count is a value, so it may be summed but not indexed by."""
    yield f"Two masks of one shape count {row([MASK[:, 1:].sum(), 6])} targets, and share one compiled program."
    yield "costs * counted has the same shape for both; costs[counted] has not."


@explains(
    "loss_under_vmap",
    asks="If lm_loss is called for a stack of logits at once, which axis does it not see?",
    formula="vmap(lm_loss)(Z)[i] = lm_loss(Z[i]), with tokens and mask shared",
    look="boolean indexing and conversions to NumPy or to a Python number",
)
def over_a_stack():
    """jax.vmap over a stack of logits gives what one call for each of them gives."""
    losses = [loss_of(LOGITS), loss_of(2 * LOGITS)]
    yield f"A stack of shape {(2, *LOGITS.shape)} gives losses of shape (2,):"
    yield table("Losses", [losses], columns=["logits", "twice the logits"])


@explains(
    "gradient_is_p_minus_one",
    asks="What do the slopes of one position add up to, and which of them is negative?",
    formula="∂L/∂z = (p - 1)/N at the target, p/N beside it, 0 where nothing is predicted",
    look="stop_gradient, rounding, comparisons: steps that pass values but no slope",
)
def slopes():
    """The gradient by the logits is p, minus 1 at the target, over the number of targets that count."""
    gradient = next_token_gradient(LOGITS, TOKENS, MASK)[0]
    rows = [f"position {t}" for t in range(4)]
    yield table("Text 0", gradient, columns=WORD_NAMES, rows=rows, digits=3)
    yield "Each row adds up to 0, and the last position has no slope at all."


@explains(
    "finite_gradients",
    asks="Where p is 0, what is the slope of its logarithm?",
    formula="∂c/∂z = p - 1 at the target, never below -1",
    look="a logarithm of 0 whose result is replaced afterwards: its slope stays infinite",
)
def finite_slopes():
    """The slope of a cost lies between -1 and 1 however wrong the forecast is."""
    slopes_far = cost_gradient([0.0, 10_000.0, 0.0], 0)
    yield table("A wrong word leads by 10,000", slopes_far, columns=WORD_NAMES)


@explains(
    "as_many_as_the_vocabulary",
    asks="A model knows nothing about V words. Among how many does it choose?",
    formula="e⁰ = 1,  e^(ln V) = V",
    look="the line choices = …: e to the loss, with the sign and the base that belong to nats",
)
def as_many_as_there_are():
    """A loss of 0 leaves one choice; the loss of knowing nothing, ln V, leaves all V."""
    sizes = [1, 2, 10, 1000]
    losses = np.log(sizes)
    columns = [f"ln {size}" for size in sizes]
    yield table("Perplexity", [losses, perplexity(losses)], columns=columns, rows=["loss", "perplexity"])


@explains(
    "perplexities_multiply",
    asks="A loss grows by ln 2. What happens to the number of choices?",
    formula="e^(a + b) = e^a · e^b",
    look="anything that is added to the result, or a function that is no exponential",
)
def multiplied():
    """Losses add, perplexities multiply."""
    a, b = np.log(2), np.log(3)
    yield table("Perplexity", [perplexity([a, b, a + b])], columns=["ln 2", "ln 3", "ln 2 + ln 3"])


@explains(
    "perplexity_oracle",
    asks="Which key of a pocket calculator undoes ln?",
    formula="perplexity = e^L",
    look="the line choices = …: jnp.exp(loss) and nothing else, without rounding",
)
def e_to_the_loss():
    """Perplexity is e to the loss in nats."""
    losses = [0.25, 1.0, 3.0]
    yield table("Perplexity", perplexity(losses), columns=[f"loss {loss:g}" for loss in losses])


@explains(
    "two_texts",
    asks="Which of uniform and loss do you know without computing anything?",
    formula="uniform = L(0), loss = L(follows[tokens]), choices = e^loss",
    look="Step 4: the tokens, the mask and the table as they came",
)
def a_table_of_words():
    """A table that knows which word follows which beats equal logits, in the loss and in the perplexity."""
    losses = np.array([loss_of(0 * LOGITS), loss_of(LOGITS)])
    columns = ["equal logits", "the small table"]
    yield "Two small texts over three words, in place of those of the lesson:"
    yield table("Two forecasts", [losses, perplexity(losses)], columns=columns, rows=["loss", "perplexity"])


@explains(
    "sure_forecasts",
    asks="Which of the forecasts is right everywhere, which nowhere, and which sometimes?",
    formula="L = margin · (share of targets that are another word)",
    look="Step 4 as it came; a wrong number here is one of lm_loss at large margins",
)
def without_a_doubt():
    """A forecast without a doubt costs nothing where it is right, and its margin where it is wrong."""
    sure_of_word_0 = 1000 * np.eye(3)[np.zeros((2, 4), dtype=int)]
    yield "Sure of word 0 by 1000, everywhere, in the two small texts:"
    yield table("Costs", token_costs(sure_of_word_0[:, :-1], TOKENS[:, 1:]), columns=TARGET_NAMES)
    yield f"Two of the four targets that count are word 0, so the loss is {number(loss_of(sure_of_word_0))}."


@explains(
    "own_cost",
    asks="Which token of a text of two tokens is the target, and which position predicts it?",
    formula="lm_loss(z (1, 2, 5), [[any, target]], [[True, True]]) = -ln p(target)",
    look="Exercise 1: your logits stand at position 0, my_target is token 1 and not the favourite",
)
def your_own_cost():
    """One text of two tokens has one target, so lm_loss of it is that target's cost."""
    z = np.array([2.0, 0.0, 1.0])
    yield table("Three logits", [z, -log_softmax(z)], columns=WORD_NAMES, rows=["logit", "cost as the target"])


@explains(
    "own_slope",
    asks="You raise one logit a little. For which word does that lower the cost of the target?",
    formula="∂c/∂z = p - one-hot(target)",
    look="Exercise 1: probabilities that add up to 1, then 1 taken away at my_target",
)
def your_own_slope():
    """The slope is p at every word, and p - 1 at the target."""
    z = np.array([2.0, 0.0, 1.0])
    rows = ["p", "slope, target word 1"]
    yield table("Three logits", [softmax(z), cost_gradient(z, 1)], columns=WORD_NAMES, rows=rows, digits=3)


@explains(
    "bits",
    asks="What does the whole text cost, in bits, and over how many bytes is that spread?",
    formula="bits per byte = L / ln 2 · tokens / bytes",
    look="Exercise 2: divide by ln 2, multiply by tokens, divide by bytes",
)
def per_byte():
    """Bits per byte is the cost of the whole text over its bytes, so tokens of any length can be compared."""
    nats = np.array([2.0, 1.0])
    cells = [nats, [100, 250], bits_per_byte(nats, [100, 250], 400)]
    yield "A text of 400 bytes, cut in two ways:"
    yield table(
        "Two models", cells, columns=["long tokens", "short"], rows=["nats per token", "tokens", "bits per byte"]
    )
