"""What each check asks: a question, the relation, and the smallest numbers that show it."""

import numpy as np

from grader.narration import explains, number, row, table
from grader.oracle.block_parts import block_from_parts, gelu, silu, swiglu
from grader.oracle.norms import layer_norm, rms_norm

# Not the rows of main.py: an explanation must not answer a prediction.
ROW = np.array([2.0, 4.0, 9.0])
OTHER = np.array([6.0, 0.0, 3.0])
ONES, ZEROS = np.ones(3), np.zeros(3)
GAIN, BIAS = np.array([2.0, 1.0, -1.0]), np.array([0.0, 5.0, 5.0])
COORDINATES = ("0", "1", "2")


@explains(
    "layer_norm_keeps_shape",
    "rms_norm_keeps_shape",
    asks="How many numbers go in for a token, and how many come out?",
    formula="(T, D) → (T, D)",
    look="the last line: return output, and every mean with keepdims=True",
)
def same_shape():
    """A norm changes the numbers of a row, not how many there are."""
    rows = np.stack([ROW, OTHER])
    shapes = [rows.shape, rows.mean(axis=-1, keepdims=True).shape, rms_norm(rows, ONES, 0.0).shape]
    yield table("Shapes", shapes, columns=["rows", "columns"], rows=["x", "mean, with keepdims", "output"])


@explains(
    "layer_norm_rows_independent",
    "rms_norm_rows_independent",
    asks="One token changes. Which rows of the output may move?",
    formula="yₜ depends on xₜ alone",
    look="the axis of every mean: axis=-1 and keepdims=True",
)
def row_by_row():
    """Means and sizes belong to one row, so a row comes out the same whatever the others are."""
    together = layer_norm(np.stack([ROW, OTHER]), ONES, ZEROS, 0.0)
    yield f"The row {row(ROW)}, with two different neighbours:"
    beside = layer_norm(np.stack([ROW, 100 * OTHER]), ONES, ZEROS, 0.0)
    names = [f"beside {row(OTHER)}", f"beside {row(100 * OTHER)}"]
    yield table("Its layer norm", [together[0], beside[0]], columns=COORDINATES, rows=names)
    yield f"Averaged down the columns, its mean would be {row((ROW + OTHER) / 2)}, a mixture of two tokens."


@explains(
    "layer_norm_mean",
    asks="What do the deviations of a row from its mean sum to?",
    formula="g = 1, b = 0 ⇒ ∑ⱼ yₜⱼ = 0",
    look="the line with normed: is the mean of the row subtracted above the fraction bar?",
)
def mean_zero():
    """With gain 1 and bias 0 every row has mean 0, because its mean was subtracted."""
    steps = [ROW, ROW - ROW.mean(), layer_norm(ROW, ONES, ZEROS, 0.0)]
    yield table("One row", steps, columns=COORDINATES, rows=["the row", "minus its mean", "normed"])


@explains(
    "layer_norm_variance",
    asks="By what is a row divided, so that its variance becomes 1? And what does eps do to that?",
    formula="v → v / (v + ε), with v the mean of the squared deviations",
    look="the line with the root: variance over D, eps inside, and a root at all",
)
def variance_one():
    """The variance v of a row becomes v / (v + eps): nearly 1 for a small eps, and less for a large one."""
    v = ROW.var()
    yield f"The row {row(ROW)} has the variance {number(v)}; over D - 1 it would be {number(ROW.var(ddof=1))}."
    eps = np.array([1e-8, 0.1, 2.0])
    cells = [[one, layer_norm(ROW, ONES, ZEROS, one).var(), v / (v + one)] for one in eps]
    yield table("Variance after the norm", cells, columns=["eps", "variance", "v / (v + eps)"])


@explains(
    "layer_norm_shift_and_stretch",
    asks="Which changes of a row can its deviations, divided by their own size, not see?",
    formula="LN(x + c, ε) = LN(x, ε) and LN(4x, 16ε) = LN(x, ε)",
    look="eps under the root, and the mean subtracted in both places",
)
def shift_and_stretch():
    """A constant leaves with the mean. A factor cancels, if eps grows by its square like the variance."""
    variants = [(ROW, 1.0), (ROW + 2, 1.0), (4 * ROW, 16.0), (4 * ROW, 1.0)]
    cells = [layer_norm(one, ONES, ZEROS, eps) for one, eps in variants]
    rows = ["x, eps 1", "x + 2, eps 1", "4x, eps 16", "4x, eps 1"]
    yield table("Layer norm", cells, columns=COORDINATES, rows=rows)
    yield "The last line differs: beside a larger variance the same eps counts for less."


@explains(
    "layer_norm_affine",
    asks="A gain doubles. Does its coordinate double, or is that divided out again?",
    formula="LN(x, g, b) = g · LN(x, 1, 0) + b",
    look="the last line: gain * normed + bias, after the division",
)
def gain_and_bias_last():
    """Gain and bias act on what the division leaves: first the factor, then the addend."""
    plain = layer_norm(ROW, ONES, ZEROS, 0.0)
    steps = [plain, GAIN * plain, GAIN * plain + BIAS]
    yield table("One row", steps, columns=COORDINATES, rows=["normed", f"times {row(GAIN)}", f"plus {row(BIAS)}"])


@explains(
    "layer_norm_flat_row",
    asks="What is there to divide in a row without any spread? And does a huge row disturb a tiny one?",
    formula="x constant ⇒ y = b",
    look="eps inside the root, and nothing rounded, clipped or shared between rows",
)
def nothing_deviates():
    """A row of equal numbers has deviations of 0 and becomes the bias; eps keeps 0/0 away."""
    flat = np.full(3, 4.0)
    steps = [flat, flat - flat.mean(), layer_norm(flat, GAIN, BIAS, 0.1)]
    yield table("A flat row", steps, columns=COORDINATES, rows=["the row", "minus its mean", f"with bias {row(BIAS)}"])


@explains(
    "layer_norm_oracle",
    "three_rows",
    asks="Can you norm one row with a pencil, and name the first step that differs?",
    formula="y = g · (x - mean) / √(variance + ε) + b",
    look="print mean, variance and normed for a row of three numbers",
)
def layer_norm_step_by_step():
    """The values agree with the same formula computed in NumPy at double precision."""
    mean, variance = ROW.mean(), ROW.var()
    yield f"The row {row(ROW)} with eps 1: mean {number(mean)}, variance {number(variance)}."
    steps = [ROW - mean, (ROW - mean) / np.sqrt(variance + 1), layer_norm(ROW, GAIN, BIAS, 1.0)]
    yield table("Steps", steps, columns=COORDINATES, rows=["deviations", "over the root", "with gain and bias"])


@explains(
    "rms_norm_direction",
    asks="If a row is only divided, what happens to the ratios of its numbers, and to their signs?",
    formula="yₜ = c xₜ with one c > 0 for each row",
    look="the line with normed: x itself above the fraction bar, no mean subtracted",
)
def direction_stays():
    """With gain 1 a normed row is the old row times one positive number."""
    normed = rms_norm(ROW, ONES, 0.0)
    yield table("One row", [ROW, normed, normed / ROW], columns=COORDINATES, rows=["x", "normed", "normed over x"])
    yield f"A layer norm would give {row(layer_norm(ROW, ONES, ZEROS, 0.0))}, which points elsewhere."


@explains(
    "rms_norm_size",
    asks="By what is a row divided, so that its mean square becomes 1? And what does eps do to that?",
    formula="s → s / (s + ε), with s the mean of the squares",
    look="the line with the root: a mean and no sum, eps inside, and a root at all",
)
def mean_square_one():
    """The mean square s of a row becomes s / (s + eps): nearly 1 for a small eps, and less for a large one."""
    s = np.square(ROW).mean()
    yield f"The row {row(ROW)} has the mean square {number(s)} and the sum of squares {number(3 * s)}."
    eps = np.array([1e-8, 0.1, 20.0])
    cells = [[one, np.square(rms_norm(ROW, ONES, one)).mean(), s / (s + one)] for one in eps]
    yield table("Mean square after the norm", cells, columns=["eps", "mean square", "s / (s + eps)"])


@explains(
    "rms_norm_stretch",
    asks="A row grows fourfold. By how much does its mean square grow, and what must eps do to keep up?",
    formula="RMS(4x, 16ε) = RMS(x, ε) and RMS(-x, ε) = -RMS(x, ε)",
    look="eps under the root; squares and not absolute values or a mean without a square",
)
def stretched():
    """A factor cancels if eps grows by its square, and a minus in front of the row stays in front."""
    cells = [rms_norm(one, ONES, eps) for one, eps in ((ROW, 1.0), (4 * ROW, 16.0), (-ROW, 1.0))]
    yield table("RMS norm", cells, columns=COORDINATES, rows=["x, eps 1", "4x, eps 16", "-x, eps 1"])


@explains(
    "rms_norm_gain",
    asks="What comes out when all gains are 0? And when they are 1?",
    formula="RMS(x, g) = g · RMS(x, 1), so RMS(x, 0) = 0",
    look="the last line: gain * normed, without a 1 + in front",
)
def gain_is_a_factor():
    """The gain is a plain factor, applied last: 0 gives 0."""
    cells = [rms_norm(ROW, gain, 0.0) for gain in (ONES, ZEROS, GAIN)]
    yield table("One row", cells, columns=COORDINATES, rows=["gain 1", "gain 0", f"gain {row(GAIN)}"])


@explains(
    "rms_norm_oracle",
    asks="Can you norm one row with a pencil, and name the first step that differs?",
    formula="y = g · x / √(mean of squares + ε)",
    look="print mean_square and normed for a row of three numbers",
)
def rms_norm_step_by_step():
    """The values agree with the same formula computed in NumPy at double precision; a row of zeros stays zeros."""
    squares = np.square(ROW)
    yield f"The row {row(ROW)} with eps 1: mean square {number(squares.mean())}."
    steps = [squares, rms_norm(ROW, ONES, 1.0), rms_norm(ROW, GAIN, 1.0)]
    yield table("Steps", steps, columns=COORDINATES, rows=["squares", "x over the root", "with gain"])


# ---- the gated MLP --------------------------------------------------------------------------------------

X = np.array([[1.0, 1.0], [2.0, -1.0]])
W_GATE = np.array([[1.0, 0.0, -1.0], [1.0, 2.0, 0.0]])
W_UP = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
W_DOWN = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
TOKENS = ("token 0", "token 1")
OUTPUT = ("first", "second")


@explains(
    "swiglu_keeps_shape",
    asks="A row of D numbers becomes F numbers twice. How does it become D numbers again?",
    formula="(T, D) → (T, F), (T, F) → (T, F) → (T, D)",
    look="the last line: (gate * up) @ w_down",
)
def wide_and_narrow():
    """Two products widen, one product entry by entry joins, and one narrows."""
    shapes = [X.shape, (X @ W_GATE).shape, (X @ W_UP).shape, swiglu(X, W_GATE, W_UP, W_DOWN).shape]
    yield table("Shapes", shapes, columns=["rows", "columns"], rows=["x", "gate", "up", "output"])


@explains(
    "swiglu_by_token",
    asks="Does the MLP need to know which tokens stand beside a token?",
    formula="swiglu(P x) = P swiglu(x) for every order P of the tokens",
    look="anything that sums, means or normalises along axis 0",
)
def token_by_token():
    """Every token is worked on alone, so another order of tokens is another order of rows."""
    output = swiglu(X, W_GATE, W_UP, W_DOWN)
    turned = swiglu(X[::-1], W_GATE, W_UP, W_DOWN)
    yield table("In order", output, columns=OUTPUT, rows=TOKENS)
    yield table("The other way round", turned, columns=OUTPUT, rows=TOKENS[::-1])


@explains(
    "swiglu_silent_branches",
    asks="One of two factors is 0. What is the product, and what would a sum be?",
    formula="W_gate = 0 or W_up = 0 or W_down = 0 ⇒ 0",
    look="the line that joins the branches: gate * up, and silu on the gate",
)
def one_factor_zero():
    """A branch of zeros makes all products zero, since SiLU of 0 is 0."""
    outputs = [swiglu(X, 0 * W_GATE, W_UP, W_DOWN)[0], swiglu(X, W_GATE, 0 * W_UP, W_DOWN)[0]]
    yield table("Token 0", outputs, columns=OUTPUT, rows=["w_gate = 0", "w_up = 0"])
    yield f"A sum of the branches would let {row((X @ W_UP)[0])} pass through a shut gate."


@explains(
    "swiglu_linear_in_up",
    asks="Which of the three matrices can be doubled so that the output doubles exactly?",
    formula="linear in W_up and in W_down, not in W_gate",
    look="the brackets of silu: they close after x @ w_gate",
)
def only_the_gate_is_bent():
    """Doubling w_up or w_down doubles the output; doubling w_gate does not, for SiLU bends."""
    outputs = [
        swiglu(X, W_GATE, W_UP, W_DOWN)[0],
        swiglu(X, W_GATE, 2 * W_UP, W_DOWN)[0],
        swiglu(X, 2 * W_GATE, W_UP, W_DOWN)[0],
    ]
    yield table("Token 0", outputs, columns=OUTPUT, rows=["as it is", "w_up doubled", "w_gate doubled"])


@explains(
    "swiglu_gate_is_silu",
    "five_gates",
    asks="What share of itself does a number keep? Which share at -2?",
    formula="SiLU(z) = z / (1 + exp(-z))",
    look="the line with gate: jax.nn.silu, or the formula with a minus in the exponent",
)
def the_bend():
    """SiLU is a number times its sigmoid; far out it is the number itself, or nothing."""
    at = np.array([-200.0, -2.0, -0.5, 0.5, 2.0, 200.0])
    cells = np.stack([at, silu(at), gelu(at), np.maximum(at, 0.0)], axis=1)
    yield table("Three bends", cells, columns=["at", "SiLU", "GELU", "ReLU"])


@explains(
    "swiglu_oracle",
    "unfused_matrices",
    asks="Can you follow one token through gate, up, product and down, and name the first step that differs?",
    formula="(SiLU(x W_gate) ⊙ (x W_up)) W_down",
    look="print gate, up and their product for one token",
)
def swiglu_step_by_step():
    """The values agree with the same formula computed in NumPy at double precision."""
    gate, up = X[0] @ W_GATE, X[0] @ W_UP
    columns = ["channel 0", "channel 1", "channel 2"]
    rows = ["x @ w_gate", "SiLU of that", "x @ w_up", "product"]
    yield table("Token 0", [gate, silu(gate), up, silu(gate) * up], columns=columns, rows=rows)
    yield f"Times w_down: {row(swiglu(X, W_GATE, W_UP, W_DOWN)[0])}."


# ---- the block ---------------------------------------------------------------------------------------------

STREAM = np.array([[2.0, -1.0], [0.0, 3.0]])
PARAMS = {
    "norm_attention": np.array([1.0, 2.0]),
    "wq": np.eye(2),
    "wk": np.eye(2),
    "wv": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "wo": np.eye(2),
    "norm_mlp": np.array([1.0, 0.5]),
    "w_gate": W_GATE,
    "w_up": W_UP,
    "w_down": W_DOWN,
}


def run(*silent, x=STREAM, **parts):
    """The block on ``x`` with zeros for some names, wired with other parts."""
    return block_from_parts(**parts)(PARAMS | {name: 0 * PARAMS[name] for name in silent}, x, 1, 1)


@explains(
    "block_keeps_shape",
    asks="Blocks are stacked: the output of one is the input of the next. Which shape must it have?",
    formula="(T, D) → (T, D), whatever H·d and F are",
    look="the last line of block: one array comes back",
)
def stackable():
    """A block returns one row of D numbers for every token, so another block can follow."""
    once, twice = run(), run(x=run())
    shapes = [STREAM.shape, once.shape, twice.shape]
    yield table("Shapes", shapes, columns=["rows", "columns"], rows=["x", "after a block", "after two"])


@explains(
    "silent_block_is_identity",
    "first_block",
    asks="Both halves hand over zeros. What should be left of x, and what does your wiring leave?",
    formula="Wo = 0 and W_down = 0 ⇒ block(x) = x",
    look="what is added to: x itself, and attended itself, neither normed nor twice",
)
def nothing_added():
    """With zeros in wo and w_down nothing is added, and nothing else touches x."""

    def normed_after(x, attention, mlp, norm_attention, norm_mlp):
        attended = norm_attention(x + attention(x))
        return norm_mlp(attended + mlp(attended))

    outputs = [STREAM[0], run("wo", "w_down")[0], run("wo", "w_down", wire=normed_after)[0]]
    yield table("Token 0", outputs, columns=OUTPUT, rows=["x", "silent block", "silent block, post-norm"])


@explains(
    "norms_belong_to_halves",
    asks="You set one gain to zeros. Which half reads zeros then?",
    formula="g₁ = 0 silences attention, g₂ = 0 silences the MLP",
    look='the two calls of rms_norm: params["norm_attention"] first, params["norm_mlp"] second',
)
def own_norms():
    """Each half reads through a norm of its own, so a gain of zeros silences that half and no other."""
    outputs = [run("norm_attention"), run("wo"), run("norm_mlp"), run("w_down")]
    rows = ["norm_attention = 0", "wo = 0", "norm_mlp = 0", "w_down = 0"]
    yield table("Token 0", [output[0] for output in outputs], columns=OUTPUT, rows=rows)


@explains(
    "halves_ignore_size",
    "added_to_both",
    asks="The stream has grown a thousandfold. What does attention read?",
    formula="with one half silent: block(c x) - c x = block(x) - x, but for ε",
    look="what attention and the MLP get: normed rows, for queries, keys and values alike",
)
def size_unseen():
    """A half reads normed rows, so it adds to a large stream what it adds to a small one."""
    cells = [(run("w_down", x=scale * STREAM) - scale * STREAM)[1] for scale in (1, 10, 1000)]
    yield table("What attention adds to token 1", cells, columns=OUTPUT, rows=["x", "10 x", "1000 x"])


@explains(
    "future_unknown",
    asks="A later token changes. Which rows may move?",
    formula="rows 0 … t depend on tokens 0 … t",
    look="the attention that you call: the finished one has the causal mask inside",
)
def no_future():
    """Attention looks back, and norms and MLP look at one token: no row knows of later tokens."""
    other = np.array([STREAM[0], [-5.0, 1.0]])
    outputs = [run(), run(x=other)]
    yield f"Token 1 becomes {row(other[1])}:"
    for before, after, name in zip(*outputs, TOKENS, strict=True):
        yield table(f"Output of {name}", [before, after], columns=OUTPUT, rows=["before", "after"])


@explains(
    "halves_in_turn",
    asks="Does the MLP read what attention has written, or what came into the block?",
    formula="block = MLP half after attention half",
    look="the second half: attended, in the norm and in the sum",
)
def one_after_the_other():
    """The whole block is its attention half, then its MLP half on the result."""

    def side_by_side(x, attention, mlp, norm_attention, norm_mlp):
        return x + attention(norm_attention(x)) + mlp(norm_mlp(x))

    outputs = [run(), run("wo", x=run("w_down")), run(wire=side_by_side)]
    rows = ["the block", "one half, then the other", "side by side"]
    yield table("Token 1", [output[1] for output in outputs], columns=OUTPUT, rows=rows)


@explains(
    "block_oracle",
    asks="Which of the five steps of a block is the first whose numbers differ from yours?",
    formula="h = x + attention(RMS(x, g₁, ε)),  y = h + swiglu(RMS(h, g₂, ε)),  ε = 1e-5",
    look="print the normed rows, attended, the normed rows again, and the output",
)
def block_step_by_step():
    """The values agree with the same block computed in NumPy, on small rows too, where eps counts."""
    attended = run("w_down")
    steps = [STREAM[0], rms_norm(STREAM, PARAMS["norm_attention"], 1e-5)[0], attended[0]]
    steps += [rms_norm(attended, PARAMS["norm_mlp"], 1e-5)[0], run()[0]]
    rows = ["x", "normed", "plus attention", "normed", "plus the MLP"]
    yield table("Token 0", steps, columns=OUTPUT, rows=rows)
    small = [rms_norm(STREAM[0] / 1000, np.ones(2), eps) for eps in (1e-5, 1e-6)]
    yield "A thousand times smaller, the first norm tells an eps of 1e-5 from one of 1e-6:"
    yield table("Normed, gain 1", small, columns=OUTPUT, rows=["eps 1e-5", "eps 1e-6"])


@explains(
    "repeated_call",
    asks="What may the answer depend on besides the arguments?",
    formula="block(params, x) = block(params, x), whatever came in between",
    look="names that block uses and does not receive, and params that are changed in place",
)
def nothing_remembered():
    """The same question gets the same answer, whatever was asked in between."""
    outputs = [run()[0], run(x=-STREAM)[0], run()[0]]
    yield table("Token 0", outputs, columns=OUTPUT, rows=["asked x", "asked -x", "asked x"])


@explains(
    "works_under_jit",
    asks="Inside jax.jit the arrays have shapes but no values yet. Does a line of yours need a value?",
    formula="jax.jit(block)(params, x) = block(params, x)",
    look="if, while, float(…), NumPy functions and loops over values; the numbers of heads stay plain integers",
)
def inside_jit():
    """jax.jit compiles a block from shapes alone, so a line that decides by a value cannot be compiled."""
    yield f"Two calls with x of shape {STREAM.shape} share one program, which has to be right for both:"
    yield table("Token 0", [run()[0], run(x=2 * STREAM)[0]], columns=OUTPUT, rows=["x", "2 x"])


@explains(
    "finite_gradients",
    asks="What is the slope of a root at 0, and what keeps you away from there?",
    formula="∂√(s + ε)/∂s = 1 / (2√(s + ε))",
    look="eps inside the root; a norm by jnp.linalg.norm has no slope at a row of zeros",
)
def slopes():
    """Where a row is 0 the root of its mean square has an infinite slope; with eps inside it is finite."""
    s = np.array([1.0, 1e-4, 0.0])
    slope = 1 / (2 * np.sqrt(s + 1e-5))
    yield table("Slope of the root", np.stack([s, slope], axis=1), columns=["mean square", "slope with eps 1e-5"])


# ---- the exercises ---------------------------------------------------------------------------------------------


@explains(
    "stored_gains",
    asks="A gain that changes nothing is 1. What does a checkpoint that stores gains minus 1 hold for it?",
    formula="g = 1 + stored",
    look="Exercise 2: the second argument of rms_norm",
)
def stored_minus_one():
    """The checkpoint holds every gain minus 1, and rms_norm wants the gain."""
    gain = np.array([1.0, 3.0, 0.5])
    cells = [gain, gain - 1, rms_norm(ROW, gain, 0.0), rms_norm(ROW, gain - 1, 0.0)]
    rows = ["gain", "stored", "normed with the gain", "normed with stored"]
    yield table("Three gains", cells, columns=COORDINATES, rows=rows)


@explains(
    "counted_params",
    asks="Which matrices does a layer have, and how many rows and columns has each?",
    formula="2·D,  2·D·H·d + 2·D·G·d,  3·D·F",
    look="Exercise 2: wq and wo are as wide as all heads, wk and wv as the key/value heads",
)
def matrices_counted():
    """Gains, attention and MLP, counted for a small layer: D = 8, 4 heads on 2 key/value heads of width 2, F = 24."""
    attention, mlp = 2 * 8 * 4 * 2 + 2 * 8 * 2 * 2, 3 * 8 * 24
    cells = [["2 · 8", 16], ["2 · 8·8 + 2 · 8·4", attention], ["3 · 8·24", mlp]]
    cells = [[text, number(value)] for text, value in cells]
    yield table("Numbers", cells, columns=["as", "count"], rows=["gains", "attention", "MLP"])


@explains(
    "repaired_skip",
    asks="The MLP hands over zeros. What does the program return?",
    formula="W_down = 0 ⇒ repaired(x) = x",
    look="Exercise 3: which rows the last line adds to",
)
def skip_repaired():
    """With zeros in w_down x comes back: the norm makes a copy, and the addition starts from x."""
    normed = rms_norm(STREAM, np.ones(2), 0.1)
    yield table("Token 0", [STREAM[0], normed[0]], columns=OUTPUT, rows=["x, which is added to", "what the MLP reads"])


@explains(
    "repaired_rows",
    asks="How many mean squares are there for two tokens?",
    formula="sₜ = (∑ⱼ xₜⱼ²)/D, one for each token t",
    look="Exercise 3: jnp.mean with axis=-1 and keepdims=True",
)
def rows_repaired():
    """Every row has its own mean square, so another row 1 leaves row 0."""
    squares = np.square(STREAM)
    yield f"Mean squares of the rows: {row(squares.mean(axis=-1))}. One for both: {number(squares.mean())}."


@explains(
    "repaired_oracle",
    asks="Which factor of the product is bent?",
    formula="x + (SiLU(n W_gate) ⊙ (n W_up)) W_down, n = RMS(x, g, 1/10)",
    look="Exercise 3: the bracket of silu closes after normed @ w_gate",
)
def bend_repaired():
    """The gate is bent, then multiplied; the product itself is not bent."""
    gate, up = np.array([-2.0, -2.0]), np.array([3.0, -3.0])
    cells = np.stack([gate, up, silu(gate) * up, silu(gate * up)], axis=1)
    yield table("Two channels", cells, columns=["gate", "up", "SiLU(gate) · up", "SiLU(gate · up)"])
