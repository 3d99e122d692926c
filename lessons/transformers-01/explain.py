"""What each check asks: a question, the relation, and the smallest numbers that show it."""

import numpy as np

from grader.narration import explains, row, table
from grader.oracle.attention import scaled_dot_product_attention as attend
from grader.oracle.attention import softmax

# Not the query and values of main.py: an explanation must not answer a prediction.
KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
VALUES = np.array([[3.0, 0.0], [0.0, 3.0], [3.0, 6.0]])
ZERO = np.zeros((1, 2))
QUERY = np.array([[0.0, 2.0]])
SHIFT = np.array([1.0, -3.0])
ORDER = [2, 0, 1]

KEY_NAMES = ("key 0", "key 1", "key 2")
OUTPUT_NAMES = ("first", "second")


@explains(
    "returns_output_and_weights",
    asks="What does one query need to hand back: one row of numbers, or two? How wide is each?",
    formula="(Tq, Dk), (Tk, Dk), (Tk, Dv) → (Tq, Dv), (Tq, Tk)",
    look="the last line of attend: return output, weights",
)
def two_results():
    """Output and weights come back, each with a row per query: one as wide as a value, one with an entry per key."""
    output, weights = attend(np.zeros((2, 2)), KEYS, VALUES)
    yield "Two queries, three keys, values of width 2:"
    yield table("Shapes", [output.shape, weights.shape], columns=["rows", "columns"], rows=["output", "weights"])


@explains(
    "rows_sum_to_one",
    asks="Who has a total of one to share out: a query, or a key?",
    formula="Aᵢⱼ ≥ 0 and ∑ⱼ Aᵢⱼ = 1 for every query i",
    look="the lines of the softmax: over which axis do maximum and sum run?",
)
def shares_of_one():
    """Each query distributes a weight of one over the keys, and no share is negative."""
    weights = softmax(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]))
    yield "Two rows of scores, [0, 0, 0] and [1, 0, 1], become two rows of weights:"
    sums = weights.sum(axis=-1, keepdims=True)
    yield table("Weights", np.hstack([weights, sums]), columns=[*KEY_NAMES, "sum"], rows=["query 0", "query 1"])
    yield f"The columns sum to {row(weights.sum(axis=0))}. Nothing asks them to sum to one."


@explains(
    "uniform_query",
    "known_answer",
    asks="What can a query of zeros tell one key from another by?",
    formula="Q = 0 ⇒ Aᵢⱼ = 1/Tk ⇒ Oᵢ = (∑ⱼ Vⱼ)/Tk",
    look="attend from top to bottom, with q = zeros: scores, weights, output",
)
def no_preference():
    """A query of zeros scores every key alike, so its output is the mean of the value rows."""
    output, weights = attend(ZERO, KEYS, VALUES)
    yield table("Scores", ZERO @ KEYS.T, columns=KEY_NAMES)
    yield table("Weights", weights, columns=KEY_NAMES)
    yield f"The value rows are {row(VALUES)}. Their mean is {row(VALUES.mean(axis=0))}, the output {row(output)}."


@explains(
    "weights_reproduce_output",
    asks="If somebody mixes the values with the weights that you return, do they get your output?",
    formula="O = A V, with the returned A",
    look="the line output = …, and that nothing changes weights after it",
)
def the_weights_that_mix():
    """The output is the returned weights times the values: no other weights, and nothing after the mixture."""
    output, weights = attend(QUERY, KEYS, VALUES)
    yield f"For the query {row(QUERY[0])}, weight times value row:"
    yield table("Parts of the output", weights.T * VALUES, columns=OUTPUT_NAMES, rows=KEY_NAMES)
    yield f"The columns sum to {row((weights.T * VALUES).sum(axis=0))}, and the output is {row(output[0])}."


@explains(
    "value_shift",
    asks="Every value grows by the same vector. Which of scores, weights and output can notice?",
    formula="attend(Q, K, V + c) = (O + c, A)",
    look="the line output = …, and whether any line before it uses v",
)
def values_moved():
    """Adding a vector c to every value row adds c to every output row and leaves the weights."""
    before, weights = attend(QUERY, KEYS, VALUES)
    after, same = attend(QUERY, KEYS, VALUES + SHIFT)
    yield f"The query {row(QUERY[0])}, with {row(SHIFT)} added to every value row:"
    yield table(
        "Output", np.vstack([before, after, after - before]), columns=OUTPUT_NAMES, rows=["before", "after", "moved by"]
    )
    yield table("Weights", np.vstack([weights, same]), columns=KEY_NAMES, rows=["before", "after"])


@explains(
    "paired_permutation",
    "paired_unchanged",
    asks="Does a sum depend on the order of its terms? Which terms does one row of the output add up?",
    formula="attend(Q, K[π], V[π]) = (O, A[:, π]) for any order π",
    look="the lines scores and weights: does any term count positions? In Exercise 1: is it k[order] and v[order]?",
)
def pairs_reordered():
    """Keys and values in the same new order leave the output; each weight follows its key."""
    output, weights = attend(QUERY, KEYS, VALUES)
    again, moved = attend(QUERY, KEYS[ORDER], VALUES[ORDER])
    yield table("Weights before", weights, columns=KEY_NAMES)
    yield table("Weights after", moved, columns=[KEY_NAMES[index] for index in ORDER])
    yield f"The output is {row(output[0])} before and {row(again[0])} after."


@explains(
    "unpaired_permutation",
    "mismatched_differs",
    asks="Which value row does the weight of key 1 meet before the reordering, and which one after it?",
    formula="attend(Q, K, V[π]) ≠ attend(Q, K, V), in general",
    look="the line output = …: is v mixed by these weights? In Exercise 1: does order move a row whose weight differs?",
)
def values_reordered_alone():
    """Reordering the values without their keys changes the output, because weights meet value rows of other keys."""
    output, weights = attend(QUERY, KEYS, VALUES)
    changed, _ = attend(QUERY, KEYS, VALUES[ORDER])
    meeting = [[f"{row(weights[0, j])} of {row(VALUES[i])}" for j, i in enumerate(rows)] for rows in ([0, 1, 2], ORDER)]
    yield table("What each weight takes", meeting, columns=KEY_NAMES, rows=["before", "after"])
    yield f"The output is {row(output[0])} before and {row(changed[0])} after."
    tied, _ = attend(QUERY, KEYS, VALUES[[0, 2, 1]])
    yield f"Swapping only value rows 1 and 2 gives {row(tied[0])}: their keys tie for this query, so nothing shows."


@explains(
    "independent_queries",
    asks="If a second query changes, what does the first one know of it?",
    formula="row i of attend(Q, K, V) = attend(Q[i], K, V)",
    look="every maximum and sum: does one of them run over the queries (axis 0)?",
)
def queries_on_their_own():
    """The answer for one query does not depend on which other queries are asked with it."""
    yield f"Output row of the query {row(QUERY[0])}, beside two different neighbours:"
    neighbours = np.array([[1.0, 0.0], [-4.0, 6.0]])
    outputs = [attend(np.vstack([QUERY, neighbour]), KEYS, VALUES)[0][0] for neighbour in neighbours]
    yield table("Output", outputs, columns=OUTPUT_NAMES, rows=[f"beside {row(neighbour)}" for neighbour in neighbours])


@explains(
    "key_shift",
    asks="Every key moves by the same vector. By how much does each score of one query grow?",
    formula="q·(kⱼ + c) = q·kⱼ + q·c, and softmax(s + a) = softmax(s)",
    look="the line scores = …: the plain product of q with every key, without lengths or distances",
)
def keys_moved():
    """Adding one vector to every key leaves the weights: all scores of a row grow alike, and only differences count."""
    shift = np.array([3.0, 1.0])
    moved = KEYS + shift
    rows = ["before", "after"]
    yield f"The query {row(QUERY[0])}, with {row(shift)} added to every key:"
    yield table("Dot products", np.vstack([QUERY @ KEYS.T, QUERY @ moved.T]), columns=KEY_NAMES, rows=rows)
    weights = [attend(QUERY, keys, VALUES)[1][0] for keys in (KEYS, moved)]
    yield table("Weights", weights, columns=KEY_NAMES, rows=rows)


@explains(
    "rotated_together",
    asks="You turn the sheet with all arrows on it. Which angles and lengths between them change?",
    formula="(Q R)(K R)ᵀ = Q R Rᵀ Kᵀ = Q Kᵀ, if R Rᵀ = I",
    look="the line scores = …: is every coordinate multiplied with its own counterpart, and are all of them added?",
)
def turned_together():
    """Rotating queries and keys together leaves every dot product, and with them the weights."""
    quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])  # a quarter turn, exact
    yield "A quarter turn of everything:"
    pairs = [*zip(QUERY, QUERY @ quarter, strict=True), *zip(KEYS, KEYS @ quarter, strict=True)]
    yield table(
        "Rows", [[row(old), row(new)] for old, new in pairs], columns=["before", "after"], rows=["query", *KEY_NAMES]
    )
    products = np.vstack([QUERY @ KEYS.T, (QUERY @ quarter) @ (KEYS @ quarter).T])
    yield table("Dot products", products, columns=KEY_NAMES, rows=["before", "after"])


@explains(
    "duplicated_pairs",
    asks="Every key comes twice, with its value. What can each of the two get of the weight that one had?",
    formula="attend(Q, [K; K], [V; V]) = (O, [A, A]/2)",
    look="what stands under the root (a width, not a number of keys) and what the exponentials are divided by",
)
def pairs_given_twice():
    """Giving every key/value pair twice halves each weight and leaves the output."""
    once, weights = attend(QUERY, KEYS[:2], VALUES[:2])
    twice, halves = attend(QUERY, np.tile(KEYS[:2], (2, 1)), np.tile(VALUES[:2], (2, 1)))
    yield "Two pairs, then the same two again:"
    yield table("Weights, once", weights, columns=KEY_NAMES[:2])
    yield table("Weights, twice", halves, columns=["key 0", "key 1", "key 0 again", "key 1 again"])
    yield f"The output is {row(once[0])} and {row(twice[0])}."


@explains(
    "scale_calibration",
    asks="A row of keys is four times as wide. What is your divisor now, and what was it before?",
    formula="S = Q Kᵀ / √Dk",
    look="the line scores = …: jnp.sqrt around the width of the keys, k.shape[-1]",
)
def scaled_by_the_root():
    """Scores are dot products divided by √Dk. So twice the query in four times the width leaves the weights."""
    queries, keys = [1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]
    wide_query = np.pad(2 * np.array(queries), (0, 6))
    products = [np.array(keys) @ queries, np.pad(keys, ((0, 0), (0, 6))) @ wide_query]
    yield "The query [1, 0] with two keys of width 2; then twice the query, and zeros up to width 8:"
    cells = [
        [width, np.sqrt(width), *product, *softmax(product / np.sqrt(width))]
        for width, product in zip((2, 8), products, strict=True)
    ]
    columns = ["Dk", "√Dk", "product 0", "product 1", "weight 0", "weight 1"]
    yield table("Scale", cells, columns=columns, rows=["narrow", "wide"])
    without = [softmax(product)[1] for product in products]
    yield f"Without a scale the second weight would fall from {row(without[0])} to {row(without[1])}."


@explains(
    "small_sizes",
    asks="There is one key. How much is there to choose?",
    formula="Tk = 1 ⇒ A = 1 and O = V₀, for every query",
    look="every place where an axis is summed, squeezed or indexed: does it also hold for length 1?",
)
def one_of_a_kind():
    """One key gets the whole weight, so the output is its value. One query gets what it gets among others."""
    output, weights = attend([[1.0], [-3.0]], [[2.0]], [[7.0]])
    yield "Two queries, one key of width 1, and its value 7:"
    yield table("One key", np.hstack([weights, output]), columns=["weight", "output"], rows=["query 1", "query -3"])


@explains(
    "large_scores",
    asks="What is the largest number that your exponential ever sees?",
    formula="softmax(s) = exp(s - max s) / ∑ exp(s - max s)",
    look="the line before the exponential: the maximum of each row is subtracted there, with keepdims=True",
)
def no_overflow():
    """Large scores give finite weights, because the largest score of a row becomes e to the power 0."""
    scores = np.array([1000.0, 0.0])
    shifted = scores - scores.max()
    yield f"For the scores {row(scores)} the direct formula needs e to the power 1000, which no float holds."
    steps = [shifted, np.exp(shifted), softmax(scores)]
    yield table("With the maximum subtracted", steps, columns=["key 0", "key 1"], rows=["shifted", "exp", "weights"])


@explains(
    "mixed_magnitudes",
    asks="Two rows of scores lie at very different heights. Whose maximum do you subtract from which?",
    formula="mᵢ = maxⱼ Sᵢⱼ, one for each row i",
    look="the line of the maximum: axis=-1 and keepdims=True, not one maximum for the whole matrix",
)
def each_row_its_own_maximum():
    """Every row is stabilised by its own maximum; only the differences within a row count, at any height."""
    scores = np.array([[1000.0, 1001.0], [0.0, 1.0]])
    yield table("Scores", scores, columns=["key 0", "key 1"], rows=["query 0", "query 1"])
    yield table("Minus one maximum for all", scores - scores.max(), columns=["key 0", "key 1"])
    yield "In the second row both exponentials become 0, and 0 over 0 is no weight. With a maximum for each row:"
    yield table("Weights", softmax(scores), columns=["key 0", "key 1"], rows=["query 0", "query 1"])


@explains(
    "repeated_call",
    asks="What may the answer depend on besides the three arguments?",
    formula="attend(Q, K, V) = attend(Q, K, V), whatever came in between",
    look="names that attend uses and does not receive: globals, caches, random numbers, default arguments",
)
def nothing_remembered():
    """The same question gets the same answer, whatever was asked in between."""
    asked = [QUERY, -QUERY, QUERY]
    outputs = np.vstack([attend(query, KEYS, VALUES)[0] for query in asked])
    yield table("Output", outputs, columns=OUTPUT_NAMES, rows=[f"asked {row(query[0])}" for query in asked])


@explains(
    "numpy_oracle",
    "changed_query",
    asks="Can you follow one query through the three steps with a pencil, and name the first step that differs?",
    formula="S = Q Kᵀ / √Dk,  A = softmax of every row of S,  O = A V",
    look="print scores, weights and output of attend(q_new, k, v), one after the other",
)
def compared_with_numpy():
    """The values agree with the same formula computed in NumPy at double precision."""
    products = (QUERY @ KEYS.T)[0]
    output, weights = attend(QUERY, KEYS, VALUES)
    yield f"The query {row(QUERY[0])}, step by step:"
    steps = [products, products / np.sqrt(2), weights[0]]
    yield table("Steps", steps, columns=KEY_NAMES, rows=["dot products", "divided by √2", "weights"])
    yield f"The weights mix the value rows to {row(output[0])}."


@explains(
    "small_weights",
    asks="A key has a very low score. Is its share zero, or small? What distinguishes a zero score from no key?",
    formula="Aᵢⱼ / Aᵢₗ = exp(Sᵢⱼ - Sᵢₗ), however small",
    look="anything between scores and output that rounds, clips, compares with 0 or adds a small number",
)
def small_shares():
    """Keys with low scores keep small shares, in proportion to their exponentials; nothing is cut off or filled up."""
    scores = np.array([0.0, -5.0, -10.0])
    weights = softmax(scores)
    yield table("From scores to weights", [scores, weights], columns=KEY_NAMES, rows=["scores", "weights"])
    yield f"From key to key the weight falls by one factor, {row(weights[0] / weights[1])}, which is e to the power 5."


@explains(
    "works_under_jit",
    asks="Inside jax.jit the arrays have shapes but no values yet. Does a line of yours need to look at a value?",
    formula="jax.jit(attend)(Q, K, V) = attend(Q, K, V)",
    look="if, while, float(…), numpy functions and loops over values inside attend",
)
def inside_jit():
    """jax.jit compiles attend from shapes alone, so a line that decides by a value cannot be compiled."""
    yield "Two calls with equal shapes and different values share one compiled program, which has to be right for both:"
    outputs = np.vstack([attend(query, KEYS, VALUES)[0] for query in (ZERO, QUERY)])
    yield table("Output", outputs, columns=OUTPUT_NAMES, rows=[f"query {row(query[0])}" for query in (ZERO, QUERY)])
    yield "So k.shape[-1] may be used freely, while the question whether the largest score is above 50 may not."


@explains(
    "works_under_vmap",
    asks="If attend is called for a stack of queries at once, which axis does it see, and which one not?",
    formula="vmap(attend)(Q)[i] = attend(Q[i]), with K and V shared",
    look="axes counted from the front (axis=1): counted from the back, axis=-1 keeps its meaning",
)
def over_a_stack():
    """jax.vmap over a stack of queries gives what one call for each of them gives."""
    stack = np.stack([ZERO, QUERY])
    outputs, _ = attend(stack, KEYS, VALUES)
    yield f"A stack of two inputs {QUERY.shape}, together {stack.shape}, gives outputs of shape {outputs.shape}:"
    yield table("Output", outputs[:, 0], columns=OUTPUT_NAMES, rows=[f"from {row(query[0])}" for query in stack])


@explains(
    "finite_gradients",
    asks="How much does a weight change with its score when that weight is already close to 0 or 1?",
    formula="∂Aⱼ/∂Sⱼ = Aⱼ (1 - Aⱼ)",
    look="the maximum before the exponential; a nan patched afterwards still has a nan as its gradient",
)
def gradients():
    """Gradients stay finite at large scores: where softmax saturates they become small, not infinite."""
    gaps = np.array([0.0, 2.0, 8.0])
    weights = softmax(np.stack([gaps, 0 * gaps], axis=-1))[:, 0]
    yield "Two keys, the first with the larger score:"
    yield table(
        "Gradient of a weight by its score",
        np.stack([gaps, weights, weights * (1 - weights)], axis=-1),
        columns=["difference of scores", "weight", "gradient"],
    )


@explains(
    "value_width",
    asks="Which lines of attend should notice that the values have become wider?",
    formula="A depends on Q and K alone; O is (Tq, Dv)",
    look="the lines before the mixture: is the width read from the keys, k.shape[-1], and nowhere from v?",
)
def another_value_width():
    """Values of any width are mixed by the same weights, and the output is as wide as they are."""
    wide = np.hstack([VALUES, 10 * VALUES[:, :1]])
    yield "A third column is added to the values, ten times the first:"
    yield table("Values", wide, columns=["first", "second", "third"], rows=KEY_NAMES)
    rows = ["width 2", "width 3"]
    (narrow, before), (output, after) = attend(QUERY, KEYS, VALUES), attend(QUERY, KEYS, wide)
    yield table("Weights", np.vstack([before, after]), columns=KEY_NAMES, rows=rows)
    yield f"The output goes from {row(narrow[0])} to {row(output[0])}: the first two entries stay."


@explains(
    "scalar_values",
    asks="What do three equal weights make of three numbers, and which shape has a column?",
    formula="(2, 3) @ (3, 1) → (2, 1), every entry (v₀ + v₁ + v₂)/3",
    look="Exercise 2: two pairs of brackets around each value, and the first of the two results",
)
def scalars():
    """Two zero queries return the mean of the three scalars, each as a row of width 1."""
    output, _ = attend(np.zeros((2, 2)), KEYS, [[1.0], [2.0], [6.0]])
    yield "With the values 1, 2 and 6 in place of those of the exercise:"
    yield table("Output", output, columns=["the only column"], rows=["query 0", "query 1"])


@explains(
    "wrong_softmax_axis",
    "repaired_axis",
    asks="A total of one is shared out. Among how many entries: as many as there are queries, or keys?",
    formula="∑ᵢ Aᵢⱼ = 1 is the fault, ∑ⱼ Aᵢⱼ = 1 the repair",
    look="Exercise 3: the axis of the two sums, axis=0 for the fault and axis=-1 for the repair",
)
def the_axis():
    """Over axis 0 the columns sum to one and the rows to something else; over the last axis every row sums to one."""
    scores = np.zeros((2, 4))
    yield "Zero scores of shape (2, 4), one key more than in the exercise:"
    for title, weights in (("Over axis 0", softmax(scores, axis=0)), ("Over the last axis", softmax(scores))):
        sums = weights.sum(axis=-1, keepdims=True)
        columns = [*KEY_NAMES, "key 3", "row sum"]
        yield table(title, np.hstack([weights, sums]), columns=columns, rows=["query 0", "query 1"])
