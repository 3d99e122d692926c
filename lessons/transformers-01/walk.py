"""The lesson as a tour of ten minutes, computed as it is told."""

import numpy as np

from grader.narration import number, row, section, table
from grader.oracle.attention import scaled_dot_product_attention as attend
from grader.oracle.attention import softmax

KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
VALUES = np.array([[2.0, 0.0], [0.0, 4.0], [4.0, 2.0]])
QUERY = np.array([[2.0, 0.0]])
SHIFT = np.array([5.0, -2.0])
ORDER = [2, 0, 1]

KEY_NAMES = ("key 0", "key 1", "key 2")
OUTPUT_NAMES = ("first", "second")


@section(
    "A mixture by hand",
    takeaway="An output is a weighted average of value rows. Weights are shares, values are content.",
)
def mixture():
    """One position of a sequence needs something from the others, more of some and less of others. Attention collects
    it as a weighted average. Where the weights come from can wait; first see what they do.

    This walk gives away what the page asks you to predict. If you want to find out first, run `grade predict
    transformers-01` now and come back.
    """
    weights, values = np.array([0.25, 0.75]), VALUES[:2]
    parts = weights[:, None] * values
    yield f"Two value rows, {row(values[0])} and {row(values[1])}, and the weights {row(weights)}:"
    names = [f"{number(weight)} of {row(value)}" for weight, value in zip(weights, values, strict=True)]
    yield table("The mixture", np.vstack([parts, parts.sum(axis=0)]), columns=OUTPUT_NAMES, rows=[*names, "sum"])
    taller = values * [[1], [2]]
    yield (
        f"The weights sum to {number(weights.sum())}; the output {row(weights @ values)} sums to "
        f"{number((weights @ values).sum())}, and nothing asks for one. Now make the second value row "
        f"{row(taller[1])}: the output becomes {row(weights @ taller)} and the weights know nothing of it."
    )
    yield "So a picture of the weights alone, a heatmap, cannot tell you the output. You need the values too."


@section("Four letters for all shapes", takeaway="A row per query, a column per key. Softmax shares out along a row.")
def axes():
    """Tq counts the queries, Tk the keys; Dk is the width of a query and of a key, Dv the width of a value.

    A query meets every key in a dot product, so queries and keys are equally wide. Each key brings one value row, and
    that may have any width.
    """
    queries, values = np.zeros((2, 2)), np.zeros((3, 5))
    output, weights = attend(queries, KEYS, values)
    yield "Two queries, three keys, and value rows that are 5 wide:"
    yield table(
        "Shapes",
        [
            [f"{queries.shape} @ {KEYS.T.shape}", f"{(queries @ KEYS.T).shape}"],
            ["softmax along each row", f"{weights.shape}"],
            [f"{weights.shape} @ {values.shape}", f"{output.shape}"],
        ],
        columns=["computed from", "shape"],
        rows=["scores", "weights", "output"],
    )
    yield (
        f"Dk = {KEYS.shape[1]} is summed away in the first product and Tk = {KEYS.shape[0]} in the second. "
        "What remains is a row per query, as wide as a value."
    )
    yield "All four sizes should differ when you test. In a square case a swapped axis changes no shape, and it hides."


@section("The query that has no preference", takeaway="A zero query returns the mean of the values. Your first test.")
def zero_query():
    """Here is a case that you can answer without any code: a query of zeros. Its dot product with every key is 0.

    Softmax raises e to each score and divides by the sum of the results.
    """
    scores = np.zeros(2) @ KEYS.T
    output, weights = attend(np.zeros((1, 2)), KEYS, VALUES)
    steps = [scores, np.exp(scores), weights[0]]
    yield table("From scores to weights", steps, columns=KEY_NAMES, rows=["score", "e to the score", "weight"])
    yield f"Equal weights make the plain mean. The value rows are {', '.join(map(row, VALUES))}:"
    total = VALUES.sum(axis=0)
    yield table("The output", [total, total / 3, output[0]], columns=OUTPUT_NAMES, rows=["sum", "sum / 3", "output"])
    yield (
        "You know this answer for any keys and any values. A function that returns something else is wrong, and no "
        "reference is needed to say so."
    )


@section("From scores to weights, step by step", takeaway="Higher scores get higher weights; equal scores tie.")
def steps():
    """Now a query with a preference. It looks at the first coordinate of a key and at nothing else."""
    products = (QUERY @ KEYS.T)[0]
    scores = products / np.sqrt(KEYS.shape[1])
    shifted = scores - scores.max()
    exponentials = np.exp(shifted)
    output, weights = attend(QUERY, KEYS, VALUES)
    yield f"The query {row(QUERY[0])} and the keys {', '.join(map(row, KEYS))}:"
    yield table(
        "One row",
        [products, scores, shifted, exponentials, weights[0]],
        columns=KEY_NAMES,
        rows=["dot product", "divided by √2", "minus the maximum", "e to the power", "divided by the sum"],
    )
    yield (
        f"The exponentials sum to {number(exponentials.sum())}, and each weight is an exponential over this sum. Keys "
        "0 and 2 both have a 1 where the query looks, so they tie."
    )
    yield (
        f"The output is {row(output[0])}. Compare with {row(VALUES.mean(axis=0))} for the zero query: weight has moved "
        "away from key 1, which brings the row with the 4 in its second coordinate."
    )


@section(
    "Why the scores are divided",
    takeaway="√Dk takes out the growth that comes from width alone. It guarantees nothing.",
)
def scale():
    """A dot product adds up Dk terms, so wide rows give large scores only because they are wide.

    Take random rows, with coordinates of mean 0 and variance 1, and measure how far their dot products spread.
    """
    rng = np.random.default_rng(seed=0)
    widths = [4, 64, 256]
    spreads = []
    for width in widths:
        queries, keys = rng.normal(size=(2, 10_000, width))
        spreads.append((queries * keys).sum(axis=-1).std())
    roots = np.sqrt(widths)
    cells = np.stack([widths, spreads, roots, spreads / roots], axis=-1)
    yield table("10,000 dot products", cells, columns=["Dk", "spread", "√Dk", "spread / √Dk"], digits=3)
    yield "The spread grows like the root of the width. Divided by the root it stays near 1, whatever the width."
    sharp = attend(10 * QUERY, KEYS, VALUES)[1][0]
    yield (
        f"This moderates scores and cannot hold them down. The query {row(10 * QUERY[0])} is divided by √2 as "
        f"well, and key 1 is left with a weight of {number(sharp[1], digits=1)}."
    )


@section("Large scores", takeaway="Subtract the maximum of each row: the weights stay, and nothing overflows.")
def stability():
    """Scores of a few hundred are ordinary numbers, but e to the power of them is not: float32 ends below e to the 89.

    Softmax leaves a way out. Add one constant to a whole row and every exponential grows by the same factor, which the
    division cancels.
    """
    scores = np.array([2.0, 0.0, 1.0])
    added = [0, -2, 10]
    weights = [[*(scores + a), *softmax(scores + a)] for a in added]
    columns = [*(f"score {j}" for j in range(3)), *(f"weight {j}" for j in range(3))]
    yield table("A constant added to a row", weights, columns=columns, rows=[f"{a:+d}" for a in added])
    yield "So choose the constant that makes the largest score 0. Then the largest exponential is 1:"
    large = np.array([1000.0, 999.0, 0.0])
    shifted = large - large.max()
    rows = ["score", "minus the maximum", "weight"]
    yield table("Large scores", [large, shifted, softmax(large)], columns=KEY_NAMES, rows=rows)
    low = np.exp(np.array([0.0, 1.0]) - 1000)
    yield (
        "It has to be the maximum of each row. Subtract this 1000 from another row, [0, 1], and its exponentials are "
        f"{row(low)}: 0 over 0 is no weight."
    )


@section("Move every value", takeaway="Adding c to every value adds c to every output, because weights sum to one.")
def value_shift():
    """A relation is a test for inputs that nobody worked out: it says how the output must move when the input does.

    The first relation moves the values. Weights do not see it, for they come from queries and keys.
    """
    before, weights = attend(QUERY, KEYS, VALUES)
    after, same = attend(QUERY, KEYS, VALUES + SHIFT)
    yield f"The query {row(QUERY[0])} again, with {row(SHIFT)} added to every value row:"
    yield table("Weights", np.vstack([weights, same]), columns=KEY_NAMES, rows=["before", "after"])
    outputs = np.vstack([before, after, after - before])
    yield table("Output", outputs, columns=OUTPUT_NAMES, rows=["before", "after", "moved by"])
    tripled = 3 * weights
    yield (
        "The shift arrives once for each unit of weight. If a row of weights summed to 3, the output would move by "
        f"{row((tripled @ SHIFT[None].repeat(3, axis=0))[0])}. So this tests the row sums without looking at them."
    )


@section("Change the order", takeaway="Pairs of key and value may stand in any order; a value may not leave its key.")
def order():
    """The output is a sum over pairs of a weight and a value row, and a sum has no order."""
    before, weights = attend(QUERY, KEYS, VALUES)
    paired, moved = attend(QUERY, KEYS[ORDER], VALUES[ORDER])
    mismatched, _ = attend(QUERY, KEYS, VALUES[ORDER])
    yield f"Rows in the order {row(ORDER)}, first keys and values together, then the values alone:"
    outputs = np.vstack([before, paired, mismatched])
    yield table("Output", outputs, columns=OUTPUT_NAMES, rows=["as it was", "together", "values alone"])
    yield (
        f"Together, the weights go from {row(weights[0])} to {row(moved[0])}: each follows its key. Alone, the small "
        f"weight of key 1 meets {row(VALUES[ORDER][1])}, the value row of key 0."
    )
    tied, _ = attend(QUERY, KEYS, VALUES[[2, 1, 0]])
    yield (
        f"Swap only value rows 0 and 2, and the output is {row(tied[0])}: nothing shows, because keys 0 and 2 tie. A "
        "test can pass because its input was too symmetric to fail."
    )


@section(
    "The wrong axis",
    takeaway="Softmax over the queries keeps the shapes and breaks the rows. One test is never enough.",
)
def wrong_axis():
    """The classic mistake crashes nothing: the softmax runs down the columns, over the queries.

    Take two zero queries and three keys once more.
    """
    scores = np.zeros((2, 3))
    for title, weights in (("Over the queries", softmax(scores, axis=0)), ("Over the keys", softmax(scores))):
        sums = weights.sum(axis=-1, keepdims=True)
        rows = ["query 0", "query 1"]
        yield table(title, np.hstack([weights, sums]), columns=[*KEY_NAMES, "row sum"], rows=rows)
    wrong = softmax(scores, axis=0)
    yield (
        f"With our values the wrong weights give {row((wrong @ VALUES)[0])} where the mean is "
        f"{row(VALUES.mean(axis=0))}, so the zero query catches them. The shift of the values does too:"
    )
    moved = wrong @ (VALUES + SHIFT) - wrong @ VALUES
    reordered = wrong[:, ORDER] @ VALUES[ORDER] - wrong @ VALUES
    yield table(
        "How the wrong output moves",
        np.vstack([moved[0], reordered[0]]),
        columns=OUTPUT_NAMES,
        rows=[f"values moved by {row(SHIFT)}", "pairs reordered"],
    )
    yield "The reordered pairs find nothing: over the queries, too, all keys are treated alike."


@section("What to take along", takeaway="Start from the answer that you know, then test what must not change.")
def take_along():
    """The whole mechanism is three lines: scaled scores, a softmax of every row, a mixture of the value rows.

    Each relation of this walk sees some mistakes and misses others. Here are four wrong ways from scores to weights.
    """
    mistakes = {
        "over the queries": lambda scores: softmax(scores, axis=0),
        "no sum": np.exp,
        "a position in the score": lambda scores: softmax(scores - np.arange(3)),
        "no scale": lambda scores: softmax(scores * np.sqrt(2)),
    }
    queries = np.array([[2.0, 0.0], [-1.0, 3.0]])

    def relations(weights_of):
        """For each relation what comes out, and what has to."""

        def output(queries, keys, values):
            return weights_of(queries @ keys.T / np.sqrt(2)) @ values

        usual = output(queries, KEYS, VALUES)
        yield output(0 * queries, KEYS, VALUES), VALUES.mean(axis=0)
        yield output(queries, KEYS, VALUES + SHIFT), usual + SHIFT
        yield output(queries, KEYS[ORDER], VALUES[ORDER]), usual

    yield table(
        "Which relation sees which mistake",
        [
            ["–" if np.allclose(*pair) else "sees it" for pair in relations(weights_of)]
            for weights_of in mistakes.values()
        ],
        columns=["zero query", "value shift", "paired order"],
        rows=list(mistakes),
    )
    yield (
        "No relation sees everything, and a missing scale escapes all three: softmax of any multiple of the scores "
        "still shares out one. That takes a comparison with numbers that were computed another way."
    )
    yield (
        "Nothing here knew before from after: every query met every key. A model that predicts the next token must not "
        "see it, and that takes a mask. It is the subject of the next lesson."
    )
    yield "Now write it: `grade start transformers-01`, then `grade lesson transformers-01`."
