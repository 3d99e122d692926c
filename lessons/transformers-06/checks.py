"""The relations that a next-token loss obeys, then the comparison with NumPy; perplexity, and the exercises.

Logits of the probes are multiples of 1/8, so that float32 holds them and their differences exactly. The mask has a
hole and real tokens behind it, since a target counts by its own mask and by nothing else. No two neighbouring tokens
are alike, so a forecast that copies is always wrong. Each check leans on the ones before it, so that one mistake is
one failure and what follows from it waits.
"""

from dataclasses import dataclass

import numpy as np

from grader.checking import advice, check, expect, expect_close, expect_different
from grader.oracle.losses import bits_per_byte as bits_of
from grader.oracle.losses import cost_gradient, next_token_gradient, next_token_loss, token_costs

# At a level of 1000 the steps of float32 are 6e-5, and a right answer by way of log ∑ exp is off by as much;
# wrong ones are infinite, or off by more than 1.
AT_HEIGHT = 1e-3
SURE = 30.0  # e to the power -30 is nothing beside 1, in float32
FAR = 10_000.0


@dataclass(frozen=True)
class Probe:
    """The inputs of one grading."""

    logits: np.ndarray  # (3, 5, 7)
    tokens: np.ndarray  # (3, 5), neighbours differ
    mask: np.ndarray  # (3, 5) bool, 4, 2 and 2 counted targets, one of them behind a hole
    other_logits: np.ndarray  # (3, 5, 7)
    other_tokens: np.ndarray  # (3, 5), differs from tokens everywhere
    levels: np.ndarray  # (3, 5, 1), a constant for each position
    order: np.ndarray  # (7,), another numbering of the vocabulary
    heights: np.ndarray  # (3, 5, 1), 1000 and -1000 where a target counts, else 0
    small: tuple[np.ndarray, np.ndarray, np.ndarray]  # (1, 2, 3), (1, 2), (1, 2): one target
    two_texts: tuple[np.ndarray, np.ndarray, np.ndarray]  # (2, 6, 5), (2, 6), (2, 6): as in main.py, other numbers

    @property
    def counted(self):
        """(3, 4) bool: where position t has a target that counts."""
        return self.mask[:, 1:]

    @property
    def batch(self):
        """The three arguments at ordinary size."""
        return self.logits, self.tokens, self.mask

    @property
    def short(self):
        """Three texts of two tokens, all real."""
        return self.logits[:, :2], self.tokens[:, :2], np.ones((3, 2), dtype=bool)

    @property
    def wrong(self):
        """(3, 4), for each target a token that is another."""
        return (self.tokens[:, 1:] + 3) % 7

    @property
    def far_off(self):
        """(3, 5, 7) logits in which a wrong token leads by 10,000 wherever a target counts."""
        return sure_of(self.wrong, FAR) * np.pad(self.counted, ((0, 0), (0, 1)))[..., None]

    @property
    def emptied(self):
        """The mask without a target in text 1: only its first token is real."""
        return self.mask & ((np.arange(3)[:, None] != 1) | (np.arange(5) == 0))


def eighths(rng, *shape):
    """Multiples of 1/8 between -2 and 2, of both signs and never 0."""
    return rng.integers(1, 17, shape) * rng.choice([-1.0, 1.0], shape) / 8


def tokens_without_repeats(rng, rows, columns, size):
    """Token numbers (rows, columns) below ``size`` in which no two neighbours are alike, nor the last and the first."""
    while True:
        tokens = rng.integers(0, size, (rows, columns))
        if (tokens != np.roll(tokens, -1, axis=1)).all():
            return tokens


def probe(rng):
    """All sizes different; entries of both signs; rows of unequal length."""
    mask = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 1, 0, 1, 0]], dtype=bool)
    tokens = tokens_without_repeats(rng, 3, 5, 7)
    tokens = (tokens - tokens[0, 1]) % 7  # token 0 is a target that counts, since its number means nothing
    heights = np.zeros((3, 5, 1))
    heights[:, :-1][mask[:, 1:]] = np.array([1000, -1000, 1000, 1000, -1000, 1000, -1000, -1000])[:, None]
    return Probe(
        logits=eighths(rng, 3, 5, 7),
        tokens=tokens,
        mask=mask,
        other_logits=eighths(rng, 3, 5, 7),
        other_tokens=(tokens + rng.integers(1, 7, (3, 5))) % 7,
        levels=eighths(rng, 3, 5, 1) * 3,
        order=rng.permutation(7),
        heights=heights,
        small=(eighths(rng, 1, 2, 3), np.array([[0, 1]]), np.array([[True, True]])),
        two_texts=(
            eighths(rng, 2, 6, 5),
            tokens_without_repeats(rng, 2, 6, 5),
            np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]], dtype=bool),
        ),
    )


def one_hot(tokens, size):
    """(…) -> (…, size): a single 1 at each token."""
    return np.eye(size)[tokens]


def sure_of(tokens, by):
    """Logits (B, T, 7) that prefer ``tokens`` (B, T - 1) by this much, and nothing at the last position."""
    return np.pad(by * one_hot(tokens, 7), ((0, 0), (0, 1), (0, 0)))


# ---- lm_loss ---------------------------------------------------------------------------------------


@check(exercise="lm-loss", points=1, proves="lm_loss returns one number")
def returns_one_number(student, probe):
    """lm_loss returns one number for a whole batch."""
    loss = student.lm_loss(*probe.batch)
    expect(np.isfinite(loss), f"lm_loss returns {float(loss):g} for logits between -2 and 2.")


@check(exercise="lm-loss", points=1, leans_on=[returns_one_number], proves="knowing nothing costs ln V")
def equal_logits(student, probe):
    """Equal logits share out 1/V to every token, so the loss is ln V, whatever the tokens are."""
    loss = student.lm_loss(0 * probe.logits, probe.tokens, probe.mask)
    because = "All logits are 0 and V is 7: every token gets 1/7, and each target costs -ln(1/7) = ln 7."
    expect_close(loss, np.log(7), because, what="loss")


@check(
    exercise="lm-loss",
    points=2,
    leans_on=[returns_one_number, equal_logits],
    proves="what is predicted is the next token",
)
def next_token_is_the_target(student, probe):
    """Logits that are sure of the next token cost nothing; sure of the token that stands there, they cost dearly."""
    knowing = sure_of(probe.tokens[:, 1:], SURE)
    loss = student.lm_loss(knowing, probe.tokens, probe.mask)
    because = f"At every position the next token has {SURE:g} and the others 0: its p is 1, its cost 0."
    expect_close(loss, 0.0, because, what="loss")
    copying = sure_of(probe.tokens[:, :-1], SURE)
    loss = student.lm_loss(copying, probe.tokens, probe.mask)
    because = f"Every position is sure of its own token, by {SURE:g}, and that is never the next one: it has to cost."
    expect(loss > 3, f"{because} loss is {float(loss):.4g}.")


KNOWN = [returns_one_number, equal_logits, next_token_is_the_target]


@check(exercise="lm-loss", points=1, leans_on=KNOWN, proves="only differences of logits matter")
def levels_cancel(student, probe):
    """A constant added to all logits of a position leaves the loss; one added to a single token does not."""
    loss = student.lm_loss(*probe.batch)
    raised = student.lm_loss(probe.logits + probe.levels, probe.tokens, probe.mask)
    expect_close(raised, loss, "Every position got a constant of its own, on all of its logits.", what="loss")
    favoured = probe.logits + 3 * one_hot(np.array(2), 7)
    changed = student.lm_loss(favoured, probe.tokens, probe.mask)
    expect_different(changed, loss, "The logit of token 2 was raised by 3 at every position, but the", what="loss")


@check(exercise="lm-loss", points=1, leans_on=[*KNOWN, levels_cancel], proves="a confident error costs its margin")
def confident_error(student, probe):
    """A wrong token that leads by 50 costs 50."""
    loss = student.lm_loss(sure_of(probe.wrong, 50.0), probe.tokens, probe.mask)
    because = "A wrong token leads by 50 at every position: -ln(e⁰ / (e⁵⁰ + 6)) is 50."
    expect_close(loss, 50.0, because, what="loss")


MARGIN = [*KNOWN, levels_cancel, confident_error]


@check(
    exercise="lm-loss",
    points=2,
    leans_on=MARGIN,
    proves="each counted target has one share of the mean, whatever else is in the batch",
)
def one_logit_at_a_time(student, probe):
    """Raising one right logit lowers the loss by that target's share, one over the number of targets that count."""
    gain = np.log(7) - (np.log(6 + np.e) - 1)  # what one target costs less when its logit is 1 among zeros
    for row, position in np.ndindex(3, 4):
        raised = np.zeros((3, 5, 7))
        raised[row, position, probe.tokens[row, position + 1]] = 1.0
        loss = student.lm_loss(raised, probe.tokens, probe.mask)
        counts = probe.counted[row, position]
        share = "its mask is True, and 8 targets count in all" if counts else "its mask is False, so it does not count"
        because = (
            f"All logits are 0 but one: 1 for tokens[{row}, {position + 1}], at the position before it; {share}. "
            f"From ln 7 = {np.log(7):.5f} the loss falls by {gain if counts else 0:.5f}{' / 8' if counts else ''}."
        )
        expect_close(loss, np.log(7) - counts * gain / 8, because, what="loss")


SHARES = [*MARGIN, one_logit_at_a_time]


@check(exercise="lm-loss", points=1, leans_on=SHARES, proves="the last position predicts nothing")
def last_position(student, probe):
    """Other logits at the last position change nothing: there is no token after it."""
    logits = np.concatenate([probe.logits[:, :-1], 3 * probe.other_logits[:, -1:]], axis=1)
    because = "Only the logits of the last position were changed, and no token comes after it."
    loss = student.lm_loss(*probe.batch)
    expect_close(student.lm_loss(logits, probe.tokens, probe.mask), loss, because, what="loss")


@check(
    exercise="lm-loss", points=1, leans_on=[*SHARES, last_position], proves="nothing predicts the first token of a text"
)
def first_token(student, probe):
    """Another first token, or another mask at it, changes nothing: no position predicts it."""
    loss = student.lm_loss(*probe.batch)
    tokens, mask = probe.tokens.copy(), probe.mask.copy()
    tokens[:, 0], mask[:, 0] = probe.other_tokens[:, 0], ~probe.mask[:, 0]
    because = "Only the first token of each text was changed, and no position comes before it."
    expect_close(student.lm_loss(probe.logits, tokens, probe.mask), loss, because, what="loss")
    because = "Only the mask of the first tokens was changed, and they are no targets."
    expect_close(student.lm_loss(probe.logits, probe.tokens, mask), loss, because, what="loss")


@check(
    exercise="lm-loss",
    points=2,
    leans_on=[*SHARES, last_position, first_token],
    proves="filler has no influence, however much of it there is",
)
def filler_does_not_count(student, probe):
    """Other tokens where the mask is False, other forecasts of them, and more filler at the end change nothing."""
    loss = student.lm_loss(*probe.batch)
    tokens = np.where(probe.mask, probe.tokens, probe.other_tokens)
    logits = probe.logits.copy()
    logits[:, :-1] = np.where(probe.counted[..., None], probe.logits[:, :-1], 3 * probe.other_logits[:, :-1])
    because = "Only tokens with a mask of False, and the logits that predict them, were changed."
    expect_close(student.lm_loss(logits, tokens, probe.mask), loss, because, what="loss")
    longer = (
        np.concatenate([probe.logits, probe.other_logits[:, :3]], axis=1),
        np.concatenate([probe.tokens, probe.other_tokens[:, :3]], axis=1),
        np.concatenate([probe.mask, np.zeros((3, 3), dtype=bool)], axis=1),
    )
    expect_close(
        student.lm_loss(*longer), loss, "Three columns of filler were added, with a mask of False.", what="loss"
    )


FILLER = [*SHARES, last_position, first_token, filler_does_not_count]


@check(exercise="lm-loss", points=2, leans_on=FILLER, proves="every target counts alike, in long texts and short ones")
def ragged_batch(student, probe):
    """The loss of a batch is the mean over its targets: long texts count for more, and twice the batch is the same."""
    loss = student.lm_loss(*probe.batch)
    rows = [student.lm_loss(*(part[row : row + 1] for part in probe.batch)) for row in range(3)]
    counts = probe.counted.sum(axis=1)
    because = (
        f"The texts alone give {', '.join(f'{row:.4f}' for row in rows)}, with {', '.join(map(str, counts))} targets: "
        "the whole is their mean weighted by these."
    )
    expect_close(loss, counts @ rows / counts.sum(), because, what="loss")
    twice = student.lm_loss(*(np.concatenate([part, part]) for part in probe.batch))
    expect_close(twice, loss, "Every text was given twice.", what="loss")


@check(exercise="lm-loss", points=1, leans_on=[*FILLER, ragged_batch], proves="a token's number means nothing")
def another_numbering(student, probe):
    """Numbering the vocabulary another way, in logits and tokens alike, changes nothing."""
    loss = student.lm_loss(*probe.batch)
    again = student.lm_loss(probe.logits[..., np.argsort(probe.order)], probe.order[probe.tokens], probe.mask)
    because = f"Token i is called {probe.order.tolist()}[i] now, in the logits and in the tokens."
    expect_close(again, loss, because, what="loss")


RELATIONS = [*FILLER, ragged_batch, another_numbering]


@check(exercise="lm-loss", points=2, leans_on=RELATIONS, proves="lm_loss agrees with an independent NumPy calculation")
def numpy_oracle(student, probe):
    """lm_loss agrees with the mean cost computed in NumPy at double precision."""
    for batch in (probe.batch, probe.two_texts, (2 * probe.other_logits, probe.other_tokens, probe.mask)):
        expect_close(student.lm_loss(*batch), next_token_loss(*batch), "NumPy disagrees.", what="loss")


@check(exercise="lm-loss", points=2, leans_on=RELATIONS, proves="large logits stay finite and exact")
def large_logits(student, probe):
    """A wrong token that leads by 10,000 costs 10,000, a right one 0, and logits near ±1000 count by differences."""
    certain = sure_of(probe.tokens[:, 1:], FAR)
    for logits, right, because in (
        (probe.far_off, FAR, "A wrong token leads by 10,000 wherever a target counts."),
        (certain, 0.0, "The right token leads by 10,000 at every position."),
    ):
        loss = student.lm_loss(logits, probe.tokens, probe.mask)
        expect_close(loss, right, finite(loss, because), what="loss")
    loss = student.lm_loss(probe.logits + probe.heights, probe.tokens, probe.mask)
    because = finite(loss, "The logits of a position are all near 1000 or near -1000 and differ by little.")
    expect_close(loss, next_token_loss(*probe.batch), because, what="loss", tolerance=AT_HEIGHT)


def finite(loss, otherwise):
    """Why a loss at large logits is wrong: not finite, or ``otherwise``."""
    if np.isfinite(loss):
        return otherwise
    return f"{otherwise} The loss is not finite: an e to the logit became infinite, or a p became 0 before its log."


@check(exercise="lm-loss", points=1, leans_on=RELATIONS, proves="one target is enough, and so is one text")
def one_target(student, probe):
    """One text of two tokens has one target, and its cost is the loss; three such texts have three."""
    logits, tokens, mask = probe.small
    because = "One text of two tokens: position 0 predicts token 1, and that is all."
    expect_close(student.lm_loss(logits, tokens, mask), token_costs(logits[0, 0], tokens[0, 1]), because, what="loss")
    because = "Three texts of two tokens have a target each, and the loss is the mean of three costs."
    expect_close(student.lm_loss(*probe.short), next_token_loss(*probe.short), because, what="loss")


@check(
    exercise="lm-loss", points=1, leans_on=[*RELATIONS, numpy_oracle], proves="a text without a target changes nothing"
)
def text_without_targets(student, probe):
    """A text of which only the first token is real adds nothing, and the others give the loss."""
    loss = student.lm_loss(probe.logits, probe.tokens, probe.emptied)
    right = next_token_loss(probe.logits, probe.tokens, probe.emptied)
    because = "Text 1 has one real token and so no target; 6 targets remain, in texts 0 and 2."
    expect_close(loss, right, because, what="loss")


@check(exercise="lm-loss", points=1, leans_on=[returns_one_number], proves="lm_loss remembers nothing")
def repeated_call(student, probe):
    """The same question gets the same answer, whatever was asked in between."""
    first = student.ask_again("lm_loss", *probe.batch)
    student.ask_again("lm_loss", 2 * probe.other_logits, probe.other_tokens, probe.mask)
    again = student.ask_again("lm_loss", *probe.batch)
    expect_close(again, first, "The same call was made twice, with another one in between.", what="loss")


LOSS = [*RELATIONS, numpy_oracle, large_logits, one_target, text_without_targets]


@advice(exercise="lm-loss", needs=[numpy_oracle], proves="lm_loss works inside jax.jit")
def loss_under_jit(student, probe):
    """lm_loss gives the same value inside jax.jit."""
    (loss,) = student.transformed("jit", "lm_loss", *probe.batch)
    expect_close(loss, next_token_loss(*probe.batch), "Under jit the value changes.", what="loss", tolerance=1e-4)


@advice(exercise="lm-loss", needs=[numpy_oracle], proves="lm_loss works under jax.vmap")
def loss_under_vmap(student, probe):
    """jax.vmap over a stack of logits gives what separate calls give."""
    stack = np.stack([probe.logits, probe.other_logits])
    (losses,) = student.transformed("vmap", "lm_loss", stack, probe.tokens, probe.mask)
    right = [next_token_loss(logits, probe.tokens, probe.mask) for logits in stack]
    expect_close(losses, right, "Under vmap the values change.", what="losses", tolerance=1e-4)


@advice(exercise="lm-loss", needs=[numpy_oracle], proves="the gradient is p minus 1 at the target, over all targets")
def gradient_is_p_minus_one(student, probe):
    """The gradient by the logits is (p - 1)/N at the target, p/N beside it, and 0 where nothing is predicted."""
    (gradient,) = student.transformed("grad", "lm_loss", *probe.batch)
    because = "N = 8 targets count; each row of the gradient sums to 0, and the last position has none."
    expect_close(gradient, next_token_gradient(*probe.batch), because, what="gradient", tolerance=1e-5)


@advice(exercise="lm-loss", needs=[numpy_oracle, large_logits], proves="gradients stay finite at large logits")
def finite_gradients(student, probe):
    """The gradient is finite where a wrong token leads by 10,000."""
    (gradient,) = student.transformed("grad", "lm_loss", probe.far_off, probe.tokens, probe.mask)
    because = "The gradient is not finite: somewhere a logarithm of 0 is taken and its result thrown away."
    expect(np.isfinite(gradient).all(), because)


# ---- perplexity ------------------------------------------------------------------------------------


@check(exercise="perplexity", points=1, proves="ln V nats are V choices")
def as_many_as_the_vocabulary(student, probe):
    """A loss of 0 leaves one choice, a loss of ln V leaves V: a model that knows nothing chooses among all."""
    expect_close(student.perplexity(0.0), 1.0, "A loss of 0 means: always right, one choice.", what="perplexity")
    for size in (2, 7, 50):
        because = f"A loss of ln {size} = {np.log(size):.4f} is that of {size} equally likely tokens."
        expect_close(student.perplexity(np.float32(np.log(size))), size, because, what="perplexity")


@check(
    exercise="perplexity", points=1, leans_on=[as_many_as_the_vocabulary], proves="losses add, perplexities multiply"
)
def perplexities_multiply(student, probe):
    """The perplexity of a sum of two losses is the product of their perplexities."""
    small, large, both = (student.perplexity(loss) for loss in (0.75, 2.5, 3.25))
    because = "The losses are 3/4, 5/2 and their sum 13/4: e to a sum is the product."
    expect_close(both, small * large, because, what="perplexity(13/4)")


@check(
    exercise="perplexity",
    points=1,
    leans_on=[as_many_as_the_vocabulary, perplexities_multiply],
    proves="perplexity agrees with an independent NumPy calculation",
)
def perplexity_oracle(student, probe):
    """perplexity agrees with e to the loss in NumPy at double precision."""
    for loss in (0.125, 1.5, 4.0, 10.0):
        expect_close(student.perplexity(loss), np.exp(loss), f"The loss is {loss}.", what="perplexity")


PERPLEXITY = [as_many_as_the_vocabulary, perplexities_multiply, perplexity_oracle]


@advice(exercise="perplexity", needs=[perplexity_oracle], proves="perplexity works inside jax.jit")
def perplexity_under_jit(student, probe):
    """perplexity gives the same value inside jax.jit."""
    (choices,) = student.transformed("jit", "perplexity", 1.5)
    expect_close(choices, np.exp(1.5), "Under jit the value changes.", what="perplexity", tolerance=1e-4)


# ---- the exercises ---------------------------------------------------------------------------------

# The two texts of main.py: the cat sat on the mat · the mat sat, filled up with "the".
TOKENS = np.array([[0, 1, 2, 3, 0, 4], [0, 4, 2, 0, 0, 0]])
MASK = np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]], dtype=bool)
FOLLOWS = np.array(
    [
        [-1.0, 2.0, 0.0, -1.0, 1.0],
        [0.0, -1.0, 3.0, 1.0, -1.0],
        [0.0, -1.0, -1.0, 3.0, 0.0],
        [4.0, 0.0, -1.0, -1.0, 1.0],
        [0.0, 0.0, 1.0, 0.0, -1.0],
    ]
)
LOGITS = FOLLOWS[TOKENS]


def expect_the_texts(student):
    """Raise Failure unless tokens and logits are the lesson's."""
    for name, value in (("tokens", TOKENS), ("logits", LOGITS)):
        expect_close(
            student.variable(name), value, f"The runs need the {name} of the two texts as they came.", what=name
        )


@check(exercise="experiments", points=1, leans_on=[*LOSS, *PERPLEXITY], proves="a table of words beats equal logits")
def two_texts(student, probe):
    """uniform, loss and choices hold what the two texts cost without and with the table of words."""
    expect_the_texts(student)
    expect_close(student.variable("uniform"), np.log(5), "Equal logits over 5 words cost ln 5.", what="uniform")
    right = next_token_loss(LOGITS, TOKENS, MASK)
    expect_close(student.variable("loss"), right, "The loss of the two texts under the table.", what="loss")
    expect_close(student.variable("choices"), np.exp(right), "The perplexity of that loss.", what="choices")


@check(
    exercise="experiments",
    points=1,
    leans_on=[*LOSS, two_texts],
    proves="sure and right costs nothing, sure and wrong all",
)
def sure_forecasts(student, probe):
    """copied, known and sure hold what three forecasts without a doubt cost."""
    expect_the_texts(student)
    following = np.roll(TOKENS, -1, axis=1)
    mats = FAR * one_hot(np.full((2, 6), 4), 5)
    for name, logits, because in (
        ("copied", 20 * one_hot(TOKENS, 5), "Sure of the word that stands there, by 20."),
        ("known", 20 * one_hot(following, 5), "Sure of the word that comes next, by 20."),
        ("sure", mats, "Sure of mat, by 10,000; 5 of the 7 targets are another word."),
    ):
        expect_close(student.variable(name), next_token_loss(logits, TOKENS, MASK), because, what=name)


def own_choice(student):
    """The student's logits and target, if the target is a word that is not the favourite."""
    logits = student.variable("my_logits", shape=(5,))
    target = float(student.variable("my_target", shape=()))
    expect(target in range(5), f"my_target is {target:g}; a whole number from 0 to 4 names a word.")
    because = f"my_target is {target:g}, which has the largest of your logits; choose a word that the model doubts."
    expect(logits[int(target)] < logits.max(), because)
    return logits, int(target)


@check(exercise="make-it-yours", points=1, leans_on=LOSS, proves="your own target costs minus its log probability")
def own_cost(student, probe):
    """my_cost is what my_target costs under my_logits, with a target that is not the favourite."""
    logits, target = own_choice(student)
    cost = student.variable("my_cost", shape=(), given=[logits, np.array(target)])
    because = f"Minus the natural logarithm of the probability of word {target}."
    expect_close(cost, token_costs(logits, target), because, what="my_cost")


@check(exercise="make-it-yours", points=1, proves="its gradient is p, minus 1 at the target")
def own_slope(student, probe):
    """my_slope holds how the cost of my_target changes with each of my_logits."""
    logits, target = own_choice(student)
    slope = student.variable("my_slope", shape=(5,), given=[logits, np.array(target)])
    because = f"Each logit pulls by its probability p, and word {target} by p - 1."
    expect_close(slope, cost_gradient(logits, target), because, what="my_slope")


@check(exercise="two-tokenizers", points=2, proves="bits per byte compare across tokenizers")
def bits(student, probe):
    """bits_per_byte holds what each of the two models needs for a byte of the same text."""
    right = bits_of([3.1, 1.9], [1000, 1800], 4200)
    because = "Nats for the whole text, in bits (over ln 2), spread over its 4200 bytes."
    expect_close(student.variable("bits_per_byte", shape=(2,)), right, because, what="bits_per_byte")


ROW_COUNTS = np.array([5, 2])


@check(exercise="repair", points=1, leans_on=LOSS, proves="the mean of two means is not the mean")
def fault_is_shown(student, probe):
    """mean_of_means holds what the given, wrong function says of the two texts."""
    expect_the_texts(student)
    rows = [next_token_loss(LOGITS[row : row + 1], TOKENS[row : row + 1], MASK[row : row + 1]) for row in (0, 1)]
    because = "The given function adds the losses of the two texts and halves the sum."
    expect_close(student.variable("mean_of_means"), np.mean(rows), because, what="mean_of_means")


@check(exercise="repair", points=1, leans_on=LOSS, proves="weighted by their targets, the texts give the batch")
def fault_is_repaired(student, probe):
    """row_counts counts the targets of each text; repaired is the loss of the batch."""
    expect_the_texts(student)
    because = "A text of six real tokens has five targets, one of three has two."
    expect_close(student.variable("row_counts", shape=(2,)), ROW_COUNTS, because, what="row_counts")
    because = "The losses of the texts, weighted by their targets, give the loss of the batch."
    expect_close(
        student.variable("repaired", shape=()), next_token_loss(LOGITS, TOKENS, MASK), because, what="repaired"
    )
