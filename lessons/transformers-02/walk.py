"""The lesson as a tour of ten minutes, computed as it is told."""

import itertools

import numpy as np

from grader.narration import number, row, section, table
from grader.oracle.attention import scaled_dot_product_attention, softmax, softmax_jacobian, sqrt_dk_experiment
from grader.oracle.causal import causal_attention, causal_mask, masked_softmax

WORDS = ("animal", "tired", "street")
QUERY = np.array([1.0, 1.0, 1.0, 1.0])
KEYS = np.array([[1.0, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]])
VALUES = np.array([[1.0, 0], [0, 1], [1, 1]])


def words_of(mask):
    """A mask as words for a table."""
    return [["may look" if seen else "–" for seen in line] for line in mask]


@section("Predict first", takeaway="A wrong prediction shows you where to look. A number that you have seen does not.")
def predict_first():
    """This walk gives away what the page asks you to predict."""
    yield "If you want to find out first, run `grade predict transformers-02` now and come back."


@section(
    "A head forecasts noise",
    takeaway="No honest forecast of noise has a loss below chance. One that has is looking ahead.",
)
def leak():
    """Draw 10 symbols at random from 4, and let the attention head of lesson 01 say at every position what comes next.

    Nobody can know. The best honest forecast gives 1/4 to each symbol; its loss, minus the logarithm of the share given
    to what really came, is ln 4.
    """
    noise = np.random.default_rng(seed=1).integers(0, 4, size=(2000, 10))
    symbols, places, next_places = np.eye(4)[noise], np.eye(10), np.eye(10, k=1)
    losses = []
    for steepness in (0, 2, 4):
        both = []
        for attention in (scaled_dot_product_attention, causal_attention):
            output, _ = attention(steepness * np.sqrt(10) * next_places, places, symbols)
            shares = (1 - 4 / 100) * output[:, :-1] + 1 / 100
            both.append(-np.log((shares * symbols[:, 1:]).sum(axis=-1)).mean())
        losses.append([f"{steepness}", number(both[0]), number(both[1])])
    yield f"Chance is ln 4 = {number(np.log(4))}. The head asks for the next position, more or less insistently:"
    yield table("Loss of the forecasts", losses, columns=["steepness", "sees everything", "causal mask"])
    yield "Seeing everything it copies the answer, so training would drive the steepness up. Under a mask it cannot."


@section("From scores to weights", takeaway="Softmax looks at differences of scores, and sharpens them.")
def sharpening():
    """In "The animal didn't cross the street because it was tired", whom does "it" mean? A head compares the query of
    "it" with the keys of three words.
    """
    products = KEYS @ QUERY
    scores = products / np.sqrt(4)
    weights = softmax(scores)
    yield table(
        "From vectors to weights",
        [products, scores, np.exp(scores), weights, scores / scores.sum()],
        columns=WORDS,
        rows=["dot product", "over √4", "e to the score", "softmax", "score / sum"],
    )
    yield f"The values {', '.join(map(row, VALUES))} blend to {row(weights @ VALUES)}."
    yield (
        f"Doubled, the scores give {row(softmax(2 * scores))}: sharper. Raised by 100 they give "
        f"{row(softmax(scores + 100))}: the same."
    )


@section("How weights answer", takeaway="Weights that have settled no longer answer, and nothing can be learned.")
def answering():
    """A model learns by nudging scores. The Jacobian of the softmax says how far each weight moves for a nudge."""
    scores = KEYS @ QUERY / 2
    yield table("Jacobian", softmax_jacobian(softmax(scores)), columns=WORDS, rows=WORDS)
    norms = [np.linalg.norm(softmax_jacobian(softmax(factor * scores))) for factor in (0, 1, 10)]
    yield table("Its norm, for scores times", norms, columns=["0", "1", "10"])
    yield "Each column sums to zero: what one weight gains, the others pay."


@section("Why the scores are divided", takeaway="Width alone must not make the softmax settle. √Dk takes it out.")
def root():
    """A dot product of width Dk adds up Dk terms. Take four signs and look at all their sums."""
    sums = np.array([sum(signs) for signs in itertools.product((-1, 1), repeat=4)])
    yield f"{len(sums)} patterns: variance {number(sums.var())}; over √4 it is {number((sums / 2).var())}."
    rows = sqrt_dk_experiment([2**power for power in range(1, 11)], trials=200)  # as on the page
    cells = [
        [
            row.width,
            "divided" if row.scaled else "as it is",
            number(row.mean_largest_weight),
            number(row.mean_jacobian_norm),
        ]
        for row in rows
        if row.width in (4, 64, 512)
    ]
    yield "Gaussian queries with 16 Gaussian keys each:"
    yield table(
        "The root", [[str(cell) for cell in line] for line in cells], columns=["Dk", "scores", "largest weight", "norm"]
    )


@section("The mask", takeaway="Query i stands at position i + Tk - Tq and sees the keys up to there.")
def rule():
    """A mask is a table of True and False: may query i look at key j?"""
    names = [f"key {j}" for j in range(4)]
    yield table("Four positions", words_of(causal_mask(4, 4)), columns=names, rows=[f"query {i}" for i in range(4)])
    yield "A model that writes asks only for its newest positions, over all the keys that it has kept:"
    yield table("Two queries, four keys", words_of(causal_mask(2, 4)), columns=names, rows=["query 0", "query 1"])
    more = causal_mask(5, 3).sum(axis=1)
    yield f"5 queries over 3 keys see {row(more)} keys: the first two stand before all of them."


@section("Softmax over what is visible", takeaway="Hide with minus infinity before the exponential; never with 0.")
def hiding():
    """The scores are [2, 0, 1] and the last key is hidden. What should stand in for its score?"""
    scores, mask = np.array([2.0, 0.0, 1.0]), np.array([True, True, False])
    ways = {
        "scores times mask": softmax(scores * mask),
        "mask added": softmax(scores + mask),
        "weights times mask": softmax(scores) * mask,
        "minus infinity": masked_softmax(scores, mask),
    }
    cells = [[*weights, weights.sum()] for weights in ways.values()]
    yield table("Weights", cells, columns=["key 0", "key 1", "hidden", "sum"], rows=list(ways))
    low = scores - 20000
    yield (
        f"A fill of -10000 is a trap: at scores of {row(low, digits=6)} it gives "
        f"{row(softmax(np.where(mask, low, -1e4)))}, where {row(masked_softmax(low, mask))} is right."
    )
    yield "A row that sees nothing has a total of 0. Divided by 1 in place of 0 it gives zeros, and its gradients too."


@section("Before and after", takeaway="Above the diagonal nothing, exactly; within a row the ratios stay.")
def before_and_after():
    """Four positions with scores of their own, first with nothing hidden, then under the mask."""
    scores = np.array([[1.0, 2, 0, 1], [0, 1, 2, 2], [2, 1, 1, 3], [1, 0, 1, 2]])
    names, rows = [f"key {j}" for j in range(4)], [f"query {i}" for i in range(4)]
    yield table("Nothing hidden", softmax(scores), columns=names, rows=rows, digits=3)
    yield table("Masked", masked_softmax(scores, causal_mask(4, 4)), columns=names, rows=rows, digits=3)
    yield "The first row has one key left, which gets all. The last sees everything and did not change."


@section("Tests from both sides", takeaway="Nothing leaks, nothing is lost, and the last queries get the last rows.")
def relations():
    """Here are five wrong masks. Which relation sees which?"""
    rng = np.random.default_rng(seed=2)
    q, k, v = rng.normal(size=(3, 5, 4))
    i, j = np.arange(5)[:, None], np.arange(5)
    wrong = {
        "none": lambda tq, tk: np.ones((tq, tk), bool),
        "one step too far": lambda tq, tk: np.tri(tq, tk, tk - tq + 1, dtype=bool),
        "inverted": lambda tq, tk: ~np.tri(tq, tk, tk - tq, dtype=bool),
        "window of two": lambda tq, tk: causal_mask(tq, tk) & ~np.tri(tq, tk, tk - tq - 2, dtype=bool),
        "aligned at the start": lambda tq, tk: np.tri(tq, tk, dtype=bool),
    }

    def seen(mask_of):
        """For each relation whether it notices."""

        def attend(q, k, v):
            weights = masked_softmax(q @ k.T / 2, mask_of(len(q), len(k)))
            return weights @ v, weights

        output, weights = attend(q, k, v)
        late = i > 2
        moved, _ = attend(q, np.where(late, -k, k), np.where(late, v + 3, v))
        mean = np.cumsum(v, axis=0) / (i + 1)
        yield not np.allclose(moved[:3], output[:3])
        yield not (weights[j <= i] > 0).all()
        yield not np.allclose(attend(0 * q, k, v)[0], mean)
        yield not np.allclose(attend(q[-2:], k, v)[0], output[-2:])

    yield table(
        "Who notices",
        [["notices" if one else "–" for one in seen(mask)] for mask in wrong.values()],
        columns=["future changed", "past used", "running mean", "last two alone"],
        rows=list(wrong),
    )
    yield "The window leaks nothing, and the alignment shows in the last column alone."


@section("What to take along", takeaway="Write the mask yourself, and test it before you trust a flag.")
def take_along():
    """JAX's `is_causal=True` aligns its triangle at the start. One query over three keys then sees key 0 alone."""
    values = np.array([[1.0], [2.0], [6.0]])
    start = masked_softmax(np.zeros((1, 3)), np.tri(1, 3, dtype=bool)) @ values
    end = masked_softmax(np.zeros((1, 3)), causal_mask(1, 3)) @ values
    yield f"Values {row(values[:, 0])}, a query of zeros: {row(start[0])} at the start, {row(end[0])} at the end."
    yield (
        "In training there are as many queries as keys, and both agree. The difference shows when the model writes, "
        "with no error and no NaN."
    )
    yield "Now write it: `grade start transformers-02`, then `grade lesson transformers-02`."
