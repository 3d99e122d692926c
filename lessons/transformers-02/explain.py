"""What each check asks: a question, the relation, and the smallest numbers that show it."""

import numpy as np

from grader.narration import explains, number, row, table
from grader.oracle.attention import scaled_dot_product_attention, softmax
from grader.oracle.causal import causal_attention, causal_mask, masked_softmax

# Not the numbers of main.py: an explanation must not answer a prediction.
Q = np.array([[1.0, 0.0], [0.0, 2.0], [2.0, -1.0]])
K = np.array([[1.0, 1.0], [-1.0, 0.0], [0.0, 2.0]])
V = np.array([[3.0, 0.0], [0.0, 6.0], [9.0, 3.0]])
SCORES = np.array([[1.0, 3.0, 0.0], [0.0, 1.0, 2.0]])
MASK = np.array([[True, False, True], [True, True, False]])

KEY_NAMES = ("key 0", "key 1", "key 2")
QUERY_NAMES = ("query 0", "query 1", "query 2")
OUTPUT_NAMES = ("first", "second")


def truth(mask):
    """A mask as words for a table."""
    return [["may look" if seen else "–" for seen in line] for line in mask]


@explains(
    "returns_mask",
    asks="One row for each what, one column for each what? And what stands in a cell?",
    formula="Tq, Tk → a mask (Tq, Tk) of True and False",
    look="the comparison in causal_mask, and the last line: return mask",
)
def shape_of_the_mask():
    """A mask is a table of True and False, a row for each query and a column for each key."""
    yield f"For 2 queries and 3 keys: {causal_mask(2, 3).shape}, of dtype {causal_mask(2, 3).dtype}."
    yield "Ones and zeros are numbers; a comparison such as `a <= b` gives True and False."


@explains(
    "sees_no_later_key",
    "sees_itself",
    "sees_the_whole_past",
    asks="Which cells of a row are True: up to the diagonal, on it, beyond it?",
    formula="Tq = Tk ⇒ Mᵢⱼ = [j ≤ i]",
    look="the comparison in causal_mask: ≤ or <, and which side is the key",
)
def triangle():
    """With as many queries as keys, query i sees the keys 0 to i: all before it, itself, and none after it."""
    yield table("Three positions", truth(causal_mask(3, 3)), columns=KEY_NAMES, rows=QUERY_NAMES)
    yield "Three checks look at the three parts: above the diagonal, on it, below it."


@explains(
    "aligned_at_the_end",
    "more_queries_than_keys",
    asks="Before the first query lie how many keys?",
    formula="Mᵢⱼ = [j ≤ i + Tk - Tq]",
    look="the line that turns row numbers into positions",
)
def end_alignment():
    """The last query stands at the last key, so query i stands at position i + Tk - Tq."""
    yield table("Two queries, four keys", truth(causal_mask(2, 4)), columns=[*KEY_NAMES, "key 3"], rows=QUERY_NAMES[:2])
    yield "Here Tk - Tq = 2 keys lie before query 0. With more queries than keys the number is negative:"
    yield table("Three queries, two keys", truth(causal_mask(3, 2)), columns=KEY_NAMES[:2], rows=QUERY_NAMES)


@explains(
    "hidden_get_nothing",
    "visible_share_one",
    asks="If a hidden key did not exist at all, what would the others get?",
    formula="Mᵢⱼ = False ⇒ Aᵢⱼ = 0; ∑ⱼ Aᵢⱼ = 1",
    look="what stands in for a hidden score before exp, and the division",
)
def shares_of_the_visible():
    """Hidden keys get exactly 0; the visible keys of a row share out 1, as if the others did not exist."""
    weights = masked_softmax(SCORES, MASK)
    yield table("Scores", SCORES, columns=KEY_NAMES, rows=QUERY_NAMES[:2])
    yield table("Mask", truth(MASK), columns=KEY_NAMES, rows=QUERY_NAMES[:2])
    yield table("Weights", weights, columns=KEY_NAMES, rows=QUERY_NAMES[:2])
    yield f"Row 0 is the softmax of {row(SCORES[0][MASK[0]])} alone: {row(softmax(SCORES[0][MASK[0]]))}."


@explains(
    "equal_scores_share",
    asks="A row of zeros under a mask with n keys visible: what is each of them worth?",
    formula="S = 0 ⇒ Aᵢⱼ = 1/n for visible j",
    look="masked_softmax from top to bottom with scores of 0",
)
def equal_shares():
    """Equal scores share equally among what is visible."""
    yield table("Weights of zeros", masked_softmax(0 * SCORES, MASK), columns=KEY_NAMES, rows=QUERY_NAMES[:2])
    multiplied = softmax(0 * SCORES) * MASK
    yield f"Masked after the softmax instead, row 0 is {row(multiplied[0])} and sums to {number(multiplied[0].sum())}."


@explains(
    "hidden_scores_do_not_count",
    "huge_hidden_scores",
    asks="Can you tell from the weights what the score of a hidden key was?",
    formula="S = T wherever M is True ⇒ A(S) = A(T)",
    look="the line that hides, and whether the maximum is taken before or after it",
)
def hidden_scores():
    """Scores under the mask have no influence, whatever they are."""
    other = np.where(MASK, SCORES, 50.0)
    yield table("Other hidden scores", other, columns=KEY_NAMES, rows=QUERY_NAMES[:2])
    yield table("The same weights", masked_softmax(other, MASK), columns=KEY_NAMES, rows=QUERY_NAMES[:2])
    yield (
        "If the maximum runs over hidden scores as well, it lies far above the visible ones, and from about 90 on e to "
        "the difference is 0 in float32."
    )


@explains(
    "softmax_oracle",
    asks="Does another program, written another way, get the same numbers?",
    formula="Aᵢⱼ = Mᵢⱼ e^(Sᵢⱼ - mᵢ) / ∑ₗ Mᵢₗ e^(Sᵢₗ - mᵢ)",
    look="masked_softmax, step by step beside the numbers below",
)
def softmax_by_hand():
    """The whole of masked_softmax is compared with NumPy at double precision."""
    shown = SCORES[1][MASK[1]]
    exponentials = np.exp(shown - shown.max())
    yield f"Row 1 sees the scores {row(shown)}; minus the largest {row(shown - shown.max())}."
    yield f"e to these: {row(exponentials)}, in total {number(exponentials.sum())}."
    yield f"Divided: {row(exponentials / exponentials.sum())}."


@explains(
    "empty_row",
    "softmax_gradients",
    "attend_more_queries_than_keys",
    asks="What has a query to share out that may see nothing?",
    formula="Mᵢ· = False ⇒ Aᵢ· = 0",
    look="the division: what is the total of such a row, and what is the largest of its scores?",
)
def nothing_to_see():
    """A row that sees nothing gives zeros, and the derivative there is a number too."""
    mask = np.array([[False, False, False], [True, True, False]])
    yield table("Weights", masked_softmax(SCORES, mask), columns=KEY_NAMES, rows=QUERY_NAMES[:2])
    yield (
        "The largest visible score of row 0 is -infinity, and -infinity minus -infinity is no number: the difference "
        "belongs inside jnp.where, where nothing of that row is chosen."
    )
    yield "Then all exponentials of row 0 are 0, and so is their total. 0 over 0 is no number; 0 over 1 is 0."
    filled = softmax(np.where(mask, SCORES, -1e9))
    yield f"A large negative fill alone gives {row(filled[0])}: all keys tie, and share."


@explains(
    "large_scores",
    "steep_attention",
    asks="What does float32 make of e to the power 1000, and to the power -1000?",
    formula="softmax(Sᵢ + c) = softmax(Sᵢ), row by row",
    look="what is subtracted before exp: the largest visible score, of each row",
)
def far_rows():
    """Rows may lie a thousand apart; each is stabilised by its own largest visible score."""
    far = SCORES + np.array([[1000.0], [-1000.0]])
    yield table("Scores", far, columns=KEY_NAMES, rows=QUERY_NAMES[:2])
    yield table("Weights", masked_softmax(far, MASK), columns=KEY_NAMES, rows=QUERY_NAMES[:2])
    yield "They are those of the scores without the thousands: within a row only differences count."


@explains(
    "very_low_scores",
    asks="Which number stands in for a hidden score in your function, and can a visible one be lower?",
    formula="fill ≪ Sᵢⱼ for every visible j",
    look="the fill in jnp.where",
)
def low_rows():
    """Visible scores near -20000 must still beat what stands in for the hidden ones."""
    low = SCORES[0] - 20000
    for fill in (-1e4, -1e9):
        weights = softmax(np.where(MASK[0], low, fill))
        yield f"Row 0 at {row(low, digits=6)}, key 1 filled with {number(fill)}: weights {row(weights)}."


@explains(
    "rows_sum_to_one",
    "future_gets_nothing",
    "past_is_used",
    asks="Which cells of the weights are 0, which are not, and what do the rows sum to?",
    formula="Aᵢⱼ = 0 for j > i; Aᵢⱼ > 0 for j ≤ i; ∑ⱼ Aᵢⱼ = 1",
    look="the line weights = … of causal_attend",
)
def lower_triangle():
    """Weight on and below the diagonal, exactly none above it, and every row sums to 1."""
    _, weights = causal_attention(Q, K, V)
    sums = weights.sum(axis=-1, keepdims=True)
    yield table("Weights", np.hstack([weights, sums]), columns=[*KEY_NAMES, "sum"], rows=QUERY_NAMES)
    yield "A function that hides too much passes every test for leaks; so the lower triangle is tested too."


@explains(
    "running_mean",
    "last_row_is_plain_attention",
    asks="Without any preference, what does position i make of the values that it sees?",
    formula="Q = 0 ⇒ Oᵢ = (V₀ + … + Vᵢ)/(i + 1)",
    look="causal_attend with q = zeros; then its last row beside attention without a mask",
)
def means():
    """Queries of zeros give running means, and the last position sees all, as without a mask."""
    output, _ = causal_attention(0 * Q, K, V)
    yield table("Values", V, columns=OUTPUT_NAMES, rows=KEY_NAMES)
    yield table("Output of zero queries", output, columns=OUTPUT_NAMES, rows=QUERY_NAMES)
    plain, _ = scaled_dot_product_attention(Q, K, V)
    masked, _ = causal_attention(Q, K, V)
    yield f"With queries again, the last row is {row(masked[-1])}, and without a mask {row(plain[-1])}."


@explains(
    "weights_reproduce_output",
    "influence",
    asks="If value row j moves, which outputs may move, and by how much?",
    formula="O = A V, so Vⱼ + c moves Oᵢ by Aᵢⱼ c",
    look="the lines output = … and return: the same weights in both",
)
def who_reaches_whom():
    """The output is the returned weights times the values, so a value reaches exactly its later positions."""
    before, weights = causal_attention(Q, K, V)
    shifted = V + np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 0.0]])
    after, _ = causal_attention(Q, K, shifted)
    cells = np.stack([weights[:, 1], (after - before)[:, 0]], axis=-1)
    yield "10 is added to the first coordinate of value row 1:"
    yield table("Movement", cells, columns=["weight for key 1", "output moved by"], rows=QUERY_NAMES)


@explains(
    "future_changes_nothing",
    "prefix_is_enough",
    asks="You cut the sequence after position t, or rewrite all that follows. Who may notice?",
    formula="attend(x)₀…ₜ depends on x₀…ₜ alone",
    look="the mask that reaches masked_softmax, and its fill",
)
def rewritten_future():
    """What comes after t changes nothing up to t, and leaving it out changes nothing either."""
    before, _ = causal_attention(Q, K, V)
    after, _ = causal_attention(Q, np.vstack([K[:2], [[7.0, -7.0]]]), np.vstack([V[:2], [[-40.0, 40.0]]]))
    cells = np.hstack([before, after])
    yield "Key and value of position 2 are replaced:"
    yield table("Output", cells, columns=["before", "", "after", " "], rows=QUERY_NAMES)
    first, _ = causal_attention(Q[:2], K[:2], V[:2])
    yield f"The first two positions alone give {row(first)}."


@explains(
    "scale_calibration",
    "value_width",
    asks="Queries and keys get more coordinates, all of them zeros. May a weight change?",
    formula="S = QKᵀ/√Dk",
    look="the line scores = …: what stands under the root",
)
def scale():
    """Scores are divided by √Dk, the width of the keys; twice the queries in four times the width change nothing."""
    _, weights = causal_attention(Q, K, V)
    wide_q, wide_k = (np.pad(part, ((0, 0), (0, 6))) for part in (2 * Q, K))
    _, same = causal_attention(wide_q, wide_k, V)
    yield f"Width {Q.shape[1]}: last row {row(weights[-1])}."
    yield f"Width {wide_q.shape[1]}, queries doubled: last row {row(same[-1])}."
    wide, _ = causal_attention(Q, K, np.hstack([V, V, V]))
    yield f"Values of width {3 * V.shape[1]} leave the weights and give an output of shape {wide.shape}."


@explains(
    "last_queries_alone",
    asks="You ask for the newest position only. At which position does that one query stand?",
    formula="attend(Q[-m:], K, V) = attend(Q, K, V)[-m:]",
    look="what causal_mask is called with: the number of queries, then the number of keys",
)
def newest_alone():
    """The last queries over all keys get the rows that they get among all queries."""
    output, _ = causal_attention(Q, K, V)
    alone, weights = causal_attention(Q[-1:], K, V)
    yield f"All three queries: last row {row(output[-1])}. The last alone: {row(alone[0])}."
    yield f"Its weights are {row(weights[0])}. Aligned at the start it would see key 0 only and return {row(V[0])}."


@explains(
    "numpy_oracle",
    "attend_under_jit",
    "attend_under_vmap",
    "attend_gradients",
    asks="Does another program get the same numbers, and do yours survive JAX's transformations?",
    formula="O = masked_softmax(QKᵀ/√Dk, M) V",
    look="causal_attend line by line; for the transformations, whether any line asks for the value of an array",
)
def whole():
    """The whole is compared with NumPy; as advice it is also tried under jit, vmap and grad."""
    output, weights = causal_attention(Q, K, V)
    scores = Q @ K.T / np.sqrt(2)
    yield table("Scores", scores, columns=KEY_NAMES, rows=QUERY_NAMES)
    yield table("Weights", weights, columns=KEY_NAMES, rows=QUERY_NAMES)
    yield table("Output", output, columns=OUTPUT_NAMES, rows=QUERY_NAMES)


@explains(
    "sentence",
    "free_and_indifferent",
    asks="Which rows of the ten words does the mask change, and which would be the same without a preference?",
    formula="weights = A(M causal), free_w = A(M all True), means = attend(0, K, V)",
    look="step 5 of main.py, which is given: only your three functions can be at fault",
)
def ten_words():
    """The runs of step 5 hold what your functions make of the sentence, with the mask and without it."""
    scores = np.array([[0.0, 1.0, 1.0]])
    for title, mask in (("nothing hidden", [True, True, True]), ("last key hidden", [True, True, False])):
        yield f"Scores {row(scores[0])}, {title}: {row(masked_softmax(scores, [mask])[0])}."


@explains(
    "another_ending",
    "beginning_stays",
    asks="Where does your change begin, and where does its effect begin?",
    formula="new K = K, new V = V up to t ⇒ new O = O up to t",
    look="exercise 1: the slice in .at[…], and the three arguments of causal_attend",
)
def own_ending():
    """new_k and new_v keep rows 0 to t; changed keeps them too, and differs somewhere after."""
    before, _ = causal_attention(Q, K, V)
    after, _ = causal_attention(Q, K, np.vstack([V[:1], V[1:] + 5]))
    yield f"Three positions, t = 0: 5 is added to value rows 1 and 2. Outputs move by {row(after - before)}."


@explains(
    "window_of_three",
    "two_layers_reach_further",
    asks="How many keys does a late row see, and through how many hands did they go?",
    formula="M = [0 ≤ i - j < W]; two layers: A A",
    look="exercise 2: the condition on the distance, and whether the future is hidden as well",
)
def windows():
    """A window of W shows a position and the W - 1 before it; two layers are a matrix product."""
    far = np.arange(5)[:, None] - np.arange(5)
    weights = masked_softmax(np.zeros((5, 5)), (far >= 0) & (far < 2))
    names = [f"key {j}" for j in range(5)]
    yield table("A window of two", weights, columns=names, rows=[f"query {i}" for i in range(5)])
    yield f"Row 4 after two layers: {row((weights @ weights)[4])}."


@explains(
    "fault_is_shown",
    "fault_is_repaired",
    asks="Where does the diagonal of the given mask start, and where would it have to?",
    formula="aligned at the start: [j ≤ i]; at the end: [j ≤ i + Tk - Tq]",
    look="exercise 3: the line mask = … of forgetful_weights",
)
def repaired_mask():
    """The given function aligns its mask at the start; the repair aligns it at the end."""
    for title, mask in (("at the start", np.tri(2, 4, dtype=bool)), ("at the end", causal_mask(2, 4))):
        yield table(
            f"Two queries, four keys, aligned {title}", truth(mask), columns=[*KEY_NAMES, "key 3"], rows=QUERY_NAMES[:2]
        )
