"""The lesson as a tour of ten minutes, computed as it is told."""

import numpy as np

from grader.narration import number, row, section, table
from grader.oracle.attention import attention_cost, merge_heads, multi_head_attention, softmax, split_heads

WORDS = ("animal", "street", "it", "was", "tired")
FEATURES = ("thing", "pronoun", "state")
HEADS = tuple(f"head {head}" for head in range(4))
THING, PRONOUN, STATE = np.eye(3)
NONE = np.zeros(3)
X = np.stack([THING + STATE / 2, THING, PRONOUN, NONE, STATE])
PARAMS = {
    "wq": 4 * np.stack([PRONOUN, PRONOUN / 4, NONE, THING, STATE, NONE, PRONOUN, STATE], axis=1),
    "wk": np.stack([THING, STATE, PRONOUN, STATE], axis=1),
    "wv": np.stack([STATE, THING, THING, PRONOUN], axis=1),
    "wo": np.stack([STATE, THING, STATE, THING / 4, THING, PRONOUN, THING / 4, PRONOUN / 2]),
}
TWELVE = np.arange(12).reshape(2, 6)


@section("Cut each row", takeaway="Head h owns the columns h·d to (h+1)·d. Reshape cuts, transpose moves.")
def cutting():
    """A layer computes one wide row per token and cuts it into heads. Twelve numbers show how: two tokens, three heads
    of width 2.

    This walk gives away what the page asks you to predict. If you want to find out first, run `grade predict
    transformers-03` now and come back.
    """
    columns = [f"column {column}" for column in range(6)]
    yield table("Two rows", TWELVE, columns=columns, rows=["token 0", "token 1"])
    heads = split_heads(TWELVE, 3)
    bare = TWELVE.reshape(3, 2, 2)
    cells = [[row(heads[head]), row(bare[head])] for head in range(3)]
    yield table("Three heads", cells, columns=["cut, then moved", "reshape alone"], rows=HEADS[:3])
    yield (
        "A reshape alone takes the first four numbers in memory for head 0, all of token 0. Its shape is right, so "
        "nothing complains. Cut the rows where they are, (T, H, d), and then bring the heads to the front, (H, T, d)."
    )


@section("Join them again", takeaway="Transpose first, then reshape. A round trip alone proves little.")
def joining():
    """The way back: bring the tokens to the front, then join what belongs to one token."""
    heads = split_heads(TWELVE, 3)
    cells = [[row(right), row(wrong)] for right, wrong in zip(merge_heads(heads), heads.reshape(2, 6), strict=True)]
    yield table("Merged rows", cells, columns=["transposed first", "reshape alone"], rows=["token 0", "token 1"])
    again = TWELVE.reshape(3, 2, 2).reshape(2, 6)
    yield (
        f"A split and a merge that both only reshape give back {row(again[0])} and {row(again[1])}: each is wrong, and "
        "together they undo each other. So test where a token goes, not only that it comes back."
    )


@section("Five words, three features", takeaway="Every head is attention on its own d columns, scaled by √d.")
def one_head():
    """The lesson's layer has four heads of width 2, set by hand. A column of wq, wk or wv reads a feature of a word."""
    yield table("Words", X, columns=FEATURES, rows=WORDS)
    query, keys = split_heads(X @ PARAMS["wq"], 4)[0, 2], split_heads(X @ PARAMS["wk"], 2)[0]
    products = keys @ query
    scores = products / np.sqrt(2)
    yield f'In head 0 the query of "it" is {row(query)}: it asks for things, and a little for states.'
    yield table(
        'The row of "it" in head 0',
        [products, scores, np.exp(scores), softmax(scores)],
        columns=WORDS,
        rows=["dot product", "divided by √2", "e to the power", "weight"],
    )
    yield "The root is that of the head's own width, 2: a score adds two products, however wide a word is."


@section("Four tables", takeaway="One table of weights per head. Different questions, different rows.")
def tables():
    """Each head has a table of its own. Here are the rows of three words in all four."""
    _, weights = multi_head_attention(PARAMS, X, 4, 2)
    for word in (0, 2, 3):
        yield table(f'Row of "{WORDS[word]}"', weights[:, word], columns=WORDS, rows=HEADS, digits=3)
    yield 'The row of "was" is even everywhere: a word of zeros makes queries of zeros, whatever wq is.'


@section("A sum over heads", takeaway="Each head writes through its own rows of wo, and the output adds it all up.")
def summed():
    """The heads side by side times wo is the same as each head times its own rows of wo, added."""
    output, weights = multi_head_attention(PARAMS, X, 4, 2)
    values = np.repeat(split_heads(X @ PARAMS["wv"], 2), 2, axis=0)
    parts = weights @ values @ PARAMS["wo"].reshape(4, 2, 3)
    cells = np.vstack([parts[:, 2], parts[:, 2].sum(axis=0), output[2]])
    yield table('Output row of "it"', cells, columns=FEATURES, rows=[*HEADS, "sum", "layer"])
    yield "So your function for one head is the oracle for a whole layer: no other reference is needed."


@section("Drop one", takeaway="An even row is not an idle head: it adds the mean of its values.")
def dropped():
    """Set the rows of wo of one head to 0, and its part is gone. How far does each word's row move?"""
    _, weights = multi_head_attention(PARAMS, X, 4, 2)
    values = np.repeat(split_heads(X @ PARAMS["wv"], 2), 2, axis=0)
    changes = np.linalg.norm(weights @ values @ PARAMS["wo"].reshape(4, 2, 3), axis=-1)
    yield table(
        "Change of the output row", changes, columns=WORDS, rows=[f"without {head}" for head in HEADS], digits=3
    )
    yield (
        f'"was" asks nothing and still moves by {number(changes[0, 3])} without head 0. What a head is worth shows in '
        "its weights, its values and its rows of wo together."
    )


@section("Fewer keys", takeaway="Each key/value head serves H/G query heads in a row: repeat, never tile.")
def fewer():
    """Keys and values may have fewer heads than queries. With 6 query heads on 2 key/value heads:"""
    served = [np.repeat([0, 1], 3), np.tile([0, 1], 3)]
    yield table("Serves query head", served, columns=[str(head) for head in range(6)], rows=["repeat", "tile"])
    wide = {name: np.repeat(PARAMS[name].reshape(3, 2, 2), 2, axis=1).reshape(3, 8) for name in ("wk", "wv")}
    tiled = {name: np.tile(PARAMS[name], (1, 2)) for name in ("wk", "wv")}
    outputs = [
        multi_head_attention(PARAMS, X, 4, 2)[0][2],
        multi_head_attention(PARAMS | wide, X, 4, 4)[0][2],
        multi_head_attention(PARAMS | tiled, X, 4, 4)[0][2],
    ]
    yield "The same layer with a key head for every query head, its columns repeated or tiled:"
    rows = ["two key/value heads", "four, repeated", "four, tiled"]
    yield table('Output row of "it"', outputs, columns=FEATURES, rows=rows)
    yield "Grouped attention is full attention in which neighbours have equal columns. That is how it is tested."


@section("One mask for all heads", takeaway="The mask says who may be seen. It does not depend on the question.")
def masked():
    """Under a causal mask each word sees itself and the words before it, in every head."""
    _, weights = multi_head_attention(PARAMS, X, 4, 2, np.tri(5, dtype=bool))
    yield table('Row of "street"', weights[:, 1], columns=WORDS, rows=HEADS, digits=3)
    yield f"The first word sees itself alone: {row(weights[0, 0])} in each head, so it keeps its own value, through wo."


@section("The bill for memory", takeaway="The cache goes with the key/value heads. Query heads cost none of it.")
def memory():
    """A model that writes keeps keys and values of all earlier tokens, in every layer.

    Take 32 layers, heads of width 128, numbers of 2 bytes, and a graphics card of 80 GB with 16 GB of weights.
    """
    heads = np.array([32, 8, 1])
    token = 2 * 32 * heads * 128 * 2
    long = token * 32_000
    cells = [
        [f"{one:,}", f"{number(size / 1e9, digits=2)} GB", str(64 * 10**9 // size)]
        for one, size in zip(token, long, strict=True)
    ]
    columns = ["bytes a token", "32,000 tokens", "conversations"]
    rows = [f"{count} key/value head{'' if count == 1 else 's'}" for count in heads]
    yield table("Cache", cells, columns=columns, rows=rows)


@section("The bill for work", takeaway="Equal at n = 2·D. Below that the projections cost more than the scores.")
def work():
    """Scores and mixing grow with the square of the length, projections in step with it."""
    lengths = [1_000, 2_000, 8_192, 32_000, 128_000]
    costs = [attention_cost(length, 4_096) for length in lengths]
    cells = [
        [cost.score_and_mix_flops, cost.projection_flops, cost.score_and_mix_flops / cost.projection_flops]
        for cost in costs
    ]
    columns = ["scores and mixing", "projections", "ratio"]
    rows = [f"{length:,} tokens" for length in lengths]
    yield table("FLOPs of a layer of width 4,096", cells, columns=columns, rows=rows, digits=3)
