"""What each check asks: a question, the relation, and the smallest numbers that show it."""

import numpy as np

from grader.narration import explains, number, row, table
from grader.oracle.attention import (
    merge_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)

# Not the numbers and words of main.py: an explanation must not answer a prediction.
ROWS = np.arange(10, 18).reshape(2, 4)  # two tokens, two heads of width 2
TOKENS = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])  # (3, 3)
LAYER = {
    "wq": np.array([[2.0, 0.0, 0.0, 1.0], [0.0, 2.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]]),
    "wk": np.array([[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0]]),
    "wv": np.array([[1.0, 2.0, 3.0, 0.0], [0.0, 1.0, 1.0, 4.0], [1.0, 0.0, 0.0, 1.0]]),
    "wo": np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]]),
}
GROUPED = LAYER | {"wk": LAYER["wk"][:, :2], "wv": LAYER["wv"][:, :2]}
CAUSAL = np.tri(3, dtype=bool)
TOKEN_NAMES = ("token 0", "token 1", "token 2")
KEY_NAMES = ("key 0", "key 1", "key 2")
HEAD_NAMES = ("head 0", "head 1")
OUTPUT_NAMES = ("first", "second", "third")


@explains(
    "splits_into_heads",
    asks="How many axes has the result, and what does each of them count?",
    formula="(T, H·d) → (H, T, d), with d = (H·d) // H",
    look="the sizes in the reshape: read them from x and n_heads, for any number of heads",
)
def split_shapes():
    """A row of H·d numbers becomes H heads of width d, and the axis of heads comes first."""
    cells = [[heads, 12 // heads, f"({heads}, 5, {12 // heads})"] for heads in (3, 2, 1)]
    yield table("Rows of 12, five tokens", cells, columns=["heads", "width", "shape"])


@explains(
    "split_keeps_tokens_apart",
    asks="Change one number of token 1. In which rows of the heads may something change?",
    formula="heads[:, t] depends on x[t] alone",
    look="the line with the reshape: does it cut rows in place, (T, H, d), before anything moves?",
)
def split_tokens():
    """A token's numbers stay with it. A reshape straight to (H, T, d) mixes tokens with heads."""
    right, bare = split_heads(ROWS, 2), ROWS.reshape(2, 2, 2)
    yield f"The rows {row(ROWS[0])} and {row(ROWS[1])} in two heads:"
    cells = [[row(right[head]), row(bare[head])] for head in (0, 1)]
    yield table("Heads", cells, columns=["cut, then moved", "reshape alone"], rows=HEAD_NAMES)


@explains(
    "split_owns_columns",
    asks="Which columns of x belong to head 1?",
    formula="heads[h] = x[:, h·d : (h+1)·d]",
    look="the order of sizes in the reshape: n_heads before the width",
)
def split_columns():
    """Head h owns d neighbouring columns. Every H-th column is another layout, which fits other weights."""
    blocks, dealt = split_heads(ROWS, 2), ROWS.reshape(2, 2, 2).transpose(2, 0, 1)
    cells = [[row(blocks[head]), row(dealt[head])] for head in (0, 1)]
    yield f"The rows {row(ROWS[0])} and {row(ROWS[1])} in two heads:"
    yield table("Heads", cells, columns=["neighbouring columns", "every second column"], rows=HEAD_NAMES)


@explains(
    "merges_into_rows",
    asks="How many rows has the result: one per head, or one per token?",
    formula="(H, T, d) → (T, H·d)",
    look="the last line of merge_heads: tokens first, all heads of a token in one row",
)
def merge_shapes():
    """Heads are laid side by side: one row per token, as wide as all heads together."""
    cells = [["(3, 5, 4)", "(5, 12)"], ["(6, 5, 4)", "(5, 24)"]]
    yield table("Shapes", cells, columns=["heads", "rows"])


@explains(
    "merge_keeps_tokens_apart",
    "merge_fills_columns",
    asks="Write the numbers of all heads of token 0 one after the other. Is that the first row?",
    formula="rows[t, h·d : (h+1)·d] = heads[h, t]",
    look="the transpose before the reshape: tokens to the front, the width last",
)
def merge_places():
    """A row holds all heads of one token, in the order of the heads."""
    heads = split_heads(ROWS, 2)
    cells = [[row(right), row(wrong)] for right, wrong in zip(merge_heads(heads), heads.reshape(2, 4), strict=True)]
    yield f"Two heads, {row(heads[0])} and {row(heads[1])}:"
    yield table("Merged", cells, columns=["transposed first", "reshape alone"], rows=TOKEN_NAMES[:2])


@explains(
    "merging_undoes_splitting",
    asks="Split and merge. Which number may have moved?",
    formula="merge_heads(split_heads(x, H)) = x",
    look="both functions: one goes the way of the other back, in the opposite order",
)
def round_trip():
    """Splitting loses nothing, so merging can undo it, for any number of heads."""
    cells = [row(merge_heads(split_heads(ROWS, heads))[0]) for heads in (1, 2, 4)]
    yield table("First row, split and merged", [cells], columns=["1 head", "2 heads", "4 heads"])


@explains(
    "returns_output_and_weights",
    asks="How wide is a row of the output, and how many tables of weights are there?",
    formula="params, x (T, D), H, G, mask → (T, D), (H, T, T)",
    look="the last lines: wo makes D out of H·d; return output, weights",
)
def shapes_of_the_layer():
    """The output is as wide as a token, and there is one table of weights for each query head."""
    output, weights = multi_head_attention(LAYER, TOKENS, 2, 2)
    cells = [[str(output.shape)], [str(weights.shape)]]
    yield "Three tokens of width 3, two heads of width 2, so that H·d is 4 and D is 3:"
    yield table("Shapes", cells, columns=["shape"], rows=["output", "weights"])


@explains(
    "rows_sum_to_one",
    asks="Who has a total of one to share out: a query in a head, a key, or all heads together?",
    formula="∑ⱼ A[h, i, j] = 1 for every head h and query i",
    look="the axis of the softmax: the last one",
)
def shares():
    """In every head each query distributes a weight of one over the keys."""
    _, weights = multi_head_attention(LAYER, TOKENS, 2, 2)
    for head in (0, 1):
        sums = weights[head].sum(axis=-1, keepdims=True)
        cells = np.hstack([weights[head], sums])
        yield table(f"Head {head}", cells, columns=[*KEY_NAMES, "sum"], rows=TOKEN_NAMES)
    yield f"Over the two heads the first row sums to {row(weights[:, 0].sum(axis=0))}. Nothing asks for one there."


@explains(
    "one_head_is_attention",
    asks="If there is one head, what is left of multi-head attention?",
    formula="H = 1 ⇒ O = attend(x·wq, x·wk, x·wv)·wo",
    look="the scores and their scale: √d, the width of the head, not √D",
)
def one_head():
    """With one head nothing is split, and the layer is the attention of lesson 01 between four matrices."""
    layer = {name: LAYER[name][:, :2] for name in ("wq", "wk", "wv")} | {"wo": LAYER["wo"][:2]}
    output, weights = multi_head_attention(layer, TOKENS, 1, 1)
    mixed, same = scaled_dot_product_attention(*(TOKENS @ layer[name] for name in ("wq", "wk", "wv")))
    yield table("Weights", np.vstack([weights[0, 0], same[0]]), columns=KEY_NAMES, rows=["layer", "attention"])
    cells = np.vstack([output[0], mixed[0] @ layer["wo"]])
    yield table("Output of token 0", cells, columns=OUTPUT_NAMES, rows=["layer", "attention, then wo"])


@explains(
    "uniform_queries",
    asks="All queries are zero. What can a head tell one key from another by?",
    formula="wq = 0 ⇒ A = 1/T ⇒ every row of O is mean(x·wv)·wo",
    look="the function from top to bottom, with queries of zeros",
)
def no_question():
    """Without a question each head takes the mean of its values, and all output rows agree."""
    output, _ = multi_head_attention(LAYER | {"wq": 0 * LAYER["wq"]}, TOKENS, 2, 2)
    mean = (TOKENS @ LAYER["wv"]).mean(axis=0)
    yield f"The mean of x @ wv is {row(mean)}, times wo {row(mean @ LAYER['wo'])}."
    yield table("Output", output, columns=OUTPUT_NAMES, rows=TOKEN_NAMES)


@explains(
    "permuted_tokens",
    asks="Two tokens change places. What else changes?",
    formula="O(P·x) = P·O(x) without a mask",
    look="split and merge: after them, are tokens and heads still apart?",
)
def any_order():
    """Without a mask the layer does not know the order of the tokens: reordered tokens give reordered rows."""
    order = [2, 0, 1]
    before, _ = multi_head_attention(LAYER, TOKENS, 2, 2)
    after, _ = multi_head_attention(LAYER, TOKENS[order], 2, 2)
    cells = [[row(one), row(other)] for one, other in zip(before, after, strict=True)]
    yield f"The tokens in the order {row(order)}:"
    yield table("Output rows", cells, columns=["before", "after"], rows=["row 0", "row 1", "row 2"])


@explains(
    "heads_are_separate",
    asks="Change the columns of wq that belong to head 1. Which tables of weights may change?",
    formula="A[h] depends on the columns h·d to (h+1)·d of wq and wk alone",
    look="the split of q: blocks of neighbouring columns, and none used twice",
)
def own_columns():
    """Each head has its own columns. Changing those of head 1 changes head 1 and leaves the others."""
    changed = LAYER["wq"].copy()
    changed[:, 2:] *= -2
    before, after = (multi_head_attention(LAYER | {"wq": wq}, TOKENS, 2, 2)[1] for wq in (LAYER["wq"], changed))
    cells = [[row(before[head, 0]), row(after[head, 0])] for head in (0, 1)]
    yield table("Weights of token 0", cells, columns=["before", "after"], rows=HEAD_NAMES)


@explains(
    "scale_by_head_width",
    asks="How many products are added up in one score? Which of T, D, H, d is that?",
    formula="S[h] = Q[h] K[h]ᵀ / √d",
    look="the line with the scores: the root of the last axis after the split",
)
def scaled():
    """A score adds d products, so it is divided by √d. Zeros to four times the width and twice the query leave it."""
    query, key = np.array([1.0, 3.0]), np.array([2.0, 1.0])
    wide_query, wide_key = np.pad(2 * query, (0, 6)), np.pad(key, (0, 6))
    cells = [
        [len(q), q @ k, np.sqrt(len(q)), q @ k / np.sqrt(len(q))] for q, k in ((query, key), (wide_query, wide_key))
    ]
    yield table("A score", cells, columns=["d", "dot product", "√d", "score"], rows=["narrow", "wide"])


@explains(
    "values_are_mixed",
    asks="wv is doubled. What happens to the weights, and what to the output?",
    formula="O(2·wv) = 2·O(wv), and A stays",
    look="which matrix makes k and which makes v",
)
def twice_the_values():
    """Values are mixed and take no part in the weights, so twice the values give twice the output."""
    outputs, weights = zip(
        *(multi_head_attention(LAYER | {"wv": factor * LAYER["wv"]}, TOKENS, 2, 2) for factor in (1, 2)), strict=True
    )
    cells = [[row(weights[i][0, 0]), row(outputs[i][0])] for i in (0, 1)]
    yield table("Token 0", cells, columns=["weights of head 0", "output"], rows=["wv", "2 · wv"])


@explains(
    "sum_of_single_heads",
    asks="What does one head alone add to the output?",
    formula="O = ∑ₕ attend(Q[h], K[h], V[h])·wo[h·d : (h+1)·d]",
    look="the merge and the product with wo: does head h meet its own rows of wo?",
)
def sum_over_heads():
    """The output is a sum over heads: each one's mixture times its own rows of wo."""
    output, weights = multi_head_attention(LAYER, TOKENS, 2, 2)
    parts = weights @ split_heads(TOKENS @ LAYER["wv"], 2) @ LAYER["wo"].reshape(2, 2, 3)
    cells = np.vstack([parts[:, 0], parts[:, 0].sum(axis=0), output[0]])
    yield table("Output of token 0", cells, columns=OUTPUT_NAMES, rows=[*HEAD_NAMES, "sum", "layer"])


@explains(
    "permuted_heads",
    asks="Heads 0 and 1 trade places, in all four matrices. Does anybody outside notice?",
    formula="heads renumbered in wq, wk, wv and in the rows of wo ⇒ O stays",
    look="whether split, merge and wo number the heads in the same way",
)
def renumbered():
    """Heads have no order: renumbering them in all matrices renumbers the weights and leaves the output."""
    order = [2, 3, 0, 1]
    moved = {name: LAYER[name][:, order] for name in ("wq", "wk", "wv")} | {"wo": LAYER["wo"][order]}
    outputs = [multi_head_attention(layer, TOKENS, 2, 2)[0][0] for layer in (LAYER, moved)]
    yield table("Output of token 0", outputs, columns=OUTPUT_NAMES, rows=["before", "after"])


@explains(
    "grouped_is_repeated",
    "repeated_columns",
    asks="Which key head does query head 1 use when two heads share one?",
    formula="g(h) = h // (H/G); the same as H heads with the columns of wk and wv repeated block by block",
    look="the repeat: axis 0 of (G, T, d), each head several times in a row; not tile, not single columns",
)
def repeated():
    """Fewer key/value heads are the same as a key/value head for every query head, with repeated blocks of columns."""
    served = [np.repeat([0, 1, 2], 2), np.tile([0, 1, 2], 2)]
    columns = [f"head {head}" for head in range(6)]
    yield table("6 heads on 3: the key head used", served, columns=columns, rows=["repeat", "tile"])
    wide = {name: np.tile(GROUPED[name], (1, 2)) for name in ("wk", "wv")}
    outputs = [
        multi_head_attention(GROUPED, TOKENS, 2, 1)[0][0],
        multi_head_attention(GROUPED | wide, TOKENS, 2, 2)[0][0],
    ]
    yield table("Output of token 0", outputs, columns=OUTPUT_NAMES, rows=["1 key/value head", "2 equal ones"])


@explains(
    "group_serves_neighbours",
    asks="The last of several key heads changes. Which query heads notice?",
    formula="A[h] depends on key head h // (H/G) alone",
    look="the lines that share k and v among the heads",
)
def neighbours():
    """A key/value head serves H/G query heads in a row, and no other."""
    cells = [
        [heads, groups, heads // groups, row(np.repeat(np.arange(groups), heads // groups))]
        for heads, groups in ((4, 2), (6, 3), (6, 1))
    ]
    yield table("Who is served", cells, columns=["heads", "key heads", "each serves", "key head of each head"])


@explains(
    "forbidden_get_nothing",
    asks="A key may not be seen. How much weight is nothing, and where does its share go?",
    formula="mask[i, j] False ⇒ A[h, i, j] = 0, and ∑ⱼ A[h, i, j] = 1 all the same",
    look="the line with the mask: before the softmax, -inf where it is False, in every head",
)
def hidden():
    """A hidden score becomes minus infinity, and e to the power of that is 0: in every head, for every query."""
    _, weights = multi_head_attention(LAYER, TOKENS, 2, 2, CAUSAL)
    for head in (0, 1):
        yield table(f"Head {head}, causal", weights[head], columns=KEY_NAMES, rows=TOKEN_NAMES)


@explains(
    "mask_keeps_proportions",
    asks="One of three keys is hidden. In which proportion do the other two share?",
    formula="A[i, j] / A[i, l] is the same with and without the mask, for allowed j and l",
    look="the line with the mask: allowed scores stay as they are, and nothing is added to them",
)
def proportions():
    """Among the keys that may be seen, weights keep their proportions. A mask of True changes nothing."""
    scores = np.array([1.0, 0.0, 2.0])
    free, masked = softmax(scores), softmax(np.where([True, True, False], scores, -np.inf))
    yield table("The scores 1, 0, 2", [free, masked], columns=KEY_NAMES, rows=["all seen", "key 2 hidden"])
    yield f"Key 0 over key 1 is {number(free[0] / free[1])} and {number(masked[0] / masked[1])}."


@explains(
    "first_token",
    asks="A token may see itself alone. What is there to choose?",
    formula="causal mask ⇒ O[0] = x[0]·wv·wo",
    look="what is mixed (values, not keys), and the product with wo",
)
def alone():
    """With a single key there is nothing to choose: each head finds the token's own value."""
    output, _ = multi_head_attention(LAYER, TOKENS, 2, 2, CAUSAL)
    cells = np.vstack([output[0], TOKENS[0] @ LAYER["wv"] @ LAYER["wo"]])
    yield table("Output of token 0", cells, columns=OUTPUT_NAMES, rows=["layer, causal", "x[0] @ wv @ wo"])


@explains(
    "future_unknown",
    asks="The last token changes. Which output rows may change under a causal mask?",
    formula="O[i] depends on x[0] to x[i] alone",
    look="the mask as it comes: rows are queries, columns are keys, True may be seen",
)
def no_future():
    """Under a causal mask the rows of earlier tokens do not know what comes later."""
    later = TOKENS.copy()
    later[2] = [0.0, -3.0, 2.0]
    before, after = (multi_head_attention(LAYER, x, 2, 2, CAUSAL)[0] for x in (TOKENS, later))
    cells = [[row(one), row(other)] for one, other in zip(before, after, strict=True)]
    yield table("Output, with another token 2", cells, columns=["before", "after"], rows=TOKEN_NAMES)


@explains(
    "large_scores",
    asks="What is e to the power of 1000, as a float?",
    formula="softmax(s) = softmax(s - max s), row by row, hidden keys or not",
    look="the softmax: the maximum of each row is subtracted; the fill of the mask lies far below every score",
)
def large():
    """Queries 1024 times as large give scores in the thousands. The best allowed key takes all, and nothing is nan."""
    scores = 1024 * np.array([1.0, 0.0, 2.0])
    masked = np.where([True, True, False], scores, -np.inf)
    yield table("Weights", [softmax(scores), softmax(masked)], columns=KEY_NAMES, rows=["all seen", "key 2 hidden"])


@explains(
    "repeated_call",
    asks="Does your function keep anything from one call to the next?",
    formula="f(a), f(b), f(a): the first and the third agree",
    look="lists, dicts and counters outside the function; arrays that were changed in place",
)
def no_memory():
    """The same question gets the same answer, whatever was asked in between."""
    first, _ = multi_head_attention(LAYER, TOKENS, 2, 2)
    multi_head_attention(LAYER, -TOKENS, 2, 2)
    third, _ = multi_head_attention(LAYER, TOKENS, 2, 2)
    yield table("Output of token 0", [first[0], third[0]], columns=OUTPUT_NAMES, rows=["first call", "third call"])


@explains(
    "numpy_oracle",
    "five_words",
    "words_so_far",
    asks="Every relation holds, so what can still be wrong?",
    formula="softmax(Q[h] K[g(h)]ᵀ / √d + mask) V[g(h)], side by side, times wo",
    look="grouped heads and a mask together; then compare shapes line by line",
)
def compared():
    """The relations explain, the comparison confirms: an independent calculation in NumPy gives the same numbers."""
    output, weights = multi_head_attention(GROUPED, TOKENS, 2, 1, CAUSAL)
    yield "Two heads on one key/value head, under a causal mask:"
    yield table("Weights of token 2", weights[:, 2], columns=KEY_NAMES, rows=HEAD_NAMES)
    yield table("Output", output, columns=OUTPUT_NAMES, rows=TOKEN_NAMES)


@explains(
    "works_under_jit",
    "works_under_vmap",
    "finite_gradients",
    asks="Does your function decide anything by the values of an array?",
    formula="jit(f) = f; vmap(f) = f for each; gradients finite",
    look="Python's if, float() and NumPy calls on arrays; -inf that is multiplied and not chosen by where",
)
def transformed():
    """JAX traces a function with placeholders. What is written with jnp alone can be compiled, mapped and derived."""
    cells = [["the shapes", "yes"], ["mask is None", "yes"], ["n_heads, a Python number", "yes"], ["a score", "no"]]
    yield table("What may steer an if", cells, columns=["question", "known while tracing"])


@explains(
    "cut_and_restored",
    asks="Do the cells of Step 5 still stand as they came?",
    formula="back = merge_heads(split_heads(numbers, 3)) = numbers",
    look="split_heads and merge_heads first; then the lines of experiment 1",
)
def first_experiment():
    """The experiment only calls your two functions, so a wrong result points at them."""
    heads = split_heads(ROWS, 2)
    yield f"{row(ROWS)} in two heads is {row(heads)}, merged again {row(merge_heads(heads))}."


@explains(
    "parts_sum_to_output",
    "dropped_head",
    asks="What is left of the output when the rows of wo of one head are 0?",
    formula="O = ∑ₕ contribution[h]; without head h: O - contribution[h]",
    look="the rows 2h and 2h + 1 of wo; and which value head serves head h",
)
def what_a_head_adds():
    """A head reaches the output only through its own rows of wo. With zeros there, its part is gone and no other."""
    output, weights = multi_head_attention(LAYER, TOKENS, 2, 2)
    parts = weights @ split_heads(TOKENS @ LAYER["wv"], 2) @ LAYER["wo"].reshape(2, 2, 3)
    emptied = LAYER["wo"].copy()
    emptied[2:] = 0
    without, _ = multi_head_attention(LAYER | {"wo": emptied}, TOKENS, 2, 2)
    cells = np.vstack([output[0], parts[1, 0], output[0] - parts[1, 0], without[0]])
    rows = ["output", "part of head 1", "difference", "rows 2 and 3 of wo at 0"]
    yield table("Token 0", cells, columns=OUTPUT_NAMES, rows=rows)


@explains(
    "cache_of_one_token",
    asks="Which numbers of an earlier token does the next one still need, and in how many places?",
    formula="2 · layers · key/value heads · width of a head · bytes a number",
    look="the five factors: key and value, layers, key/value heads, width, bytes",
)
def one_token_in_the_cache():
    """Each layer keeps a key and a value for every key/value head. Queries are used once and not kept."""
    cells = [[2, 12, groups, 64, 4, 2 * 12 * groups * 64 * 4] for groups in (12, 4, 2)]
    columns = ["key, value", "layers", "key/value heads", "width", "bytes", "bytes a token"]
    yield table("A smaller model, in 32 bits", cells, columns=columns, digits=6)


@explains(
    "repaired_softmax",
    asks="All queries are zero. Which weight does a key get, and does it depend on the number of heads?",
    formula="Q = 0 ⇒ each head finds the mean of its values",
    look="the line with the softmax: which axis counts the keys?",
)
def repaired_shares():
    """With equal scores the share of a key is one over the number of keys, whatever the number of heads is."""
    scores = np.zeros((2, 3, 3))
    cells = [[softmax(scores, axis=axis)[0, 0, 0], 2 * softmax(scores, axis=axis)[0, 0].sum()] for axis in (0, -1)]
    yield "Two heads, three tokens, values of 2 throughout, so that the mean is 2:"
    yield table("Softmax", cells, columns=["weight", "found"], rows=["over the heads", "over the keys"])


@explains(
    "repaired_merge",
    asks="Two queries change places. Which rows of the result must?",
    formula="found(P·q) = P·found(q)",
    look="the last line: tokens to the front before the heads are joined",
)
def repaired_rows():
    """A row of the result belongs to a token. A reshape without a transpose puts several tokens into one row."""
    heads = split_heads(ROWS, 2)
    cells = [row(merge_heads(heads)[0]), row(heads.reshape(2, 4)[0])]
    yield table("First row", [cells], columns=["transposed first", "reshape alone"])


@explains(
    "repaired_groups",
    asks="There are 6 query heads and 3 key heads. Which key head belongs to query head 1?",
    formula="g(h) = h // (H/G)",
    look="the two lines with tile",
)
def repaired_sharing():
    """Each key/value head serves its query heads in a row."""
    served = [np.repeat([0, 1, 2], 2), np.tile([0, 1, 2], 2)]
    columns = [f"head {head}" for head in range(6)]
    yield table("The key head used", served, columns=columns, rows=["repeat", "tile"])
