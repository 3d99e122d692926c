"""The lesson as a tour of ten minutes, computed as it is told."""

import numpy as np

from grader.narration import number, row, section, table
from grader.oracle.block_parts import block_from_parts, gelu, silu, swiglu
from grader.oracle.norms import layer_norm, rms_norm

ROW = np.array([1.0, 7.0, 7.0, 1.0])
ONES, ZEROS = np.ones(4), np.zeros(4)
COORDINATES = ("0", "1", "2", "3")
WIDTH, HIDDEN, LAYERS = 32, 85, 24


def size(rows):
    """The root mean square of all numbers."""
    return np.sqrt(np.square(rows).mean())


@section("Mean out, size out", takeaway="A layer norm gives every row mean 0 and variance 1.")
def by_hand():
    """Deep networks add and multiply many times, and numbers drift. A norm brings each row back to a standard size
    before the next part reads it. First the layer norm, on one row, by hand.

    This walk gives away what the page asks you to predict. If you want to find out first, run `grade predict
    transformers-05` now and come back.
    """
    deviations = ROW - ROW.mean()
    steps = [ROW, deviations, np.square(deviations), deviations / ROW.std()]
    rows = ["the row", "minus its mean", "squared", "over the standard deviation"]
    yield table("Layer norm", steps, columns=COORDINATES, rows=rows)
    yield (
        f"The mean is {number(ROW.mean())}. The mean of the squared deviations, the variance, is {number(ROW.var())}, "
        f"and its root is {number(ROW.std())}."
    )


@section("Size out, and nothing else", takeaway="An RMS norm divides by the root mean square. Directions stay.")
def without_mean():
    """An RMS norm subtracts nothing. It divides by the root of the mean of the squares."""
    squares = np.square(ROW)
    steps = [ROW, squares, ROW / np.sqrt(squares.mean())]
    yield table("RMS norm", steps, columns=COORDINATES, rows=["the row", "squared", "over the root mean square"])
    yield f"The mean square is {number(squares.mean())} and its root {number(np.sqrt(squares.mean()))}."
    yield "All ratios are as they were: the third step is the first, times one number."


@section("What each norm ignores", takeaway="Layer norm ignores shift and size, RMS norm ignores size alone.")
def ignored():
    """Give both norms the same row, the row plus 10, and three times the row."""
    three = np.stack([ROW, ROW + 10, 3 * ROW])
    names = ["the row", "plus 10", "times 3"]
    yield table("Layer norm", layer_norm(three, ONES, ZEROS, 0.0), columns=COORDINATES, rows=names)
    yield table("RMS norm", rms_norm(three, ONES, 0.0), columns=COORDINATES, rows=names)
    yield "A layer norm is an RMS norm of the deviations. So the second table becomes the first once means are out:"
    centred = three - three.mean(axis=-1, keepdims=True)
    yield table("RMS norm of the deviations", rms_norm(centred, ONES, 0.0), columns=COORDINATES, rows=names)


@section("Where eps stands", takeaway="eps is added under the root, and it counts where rows are small.")
def epsilon():
    """A row of equal numbers has variance 0, and 0 over 0 is no number. So a small eps is added, under the root."""
    variance, eps = 3.0, 1.0
    inside, outside = np.sqrt(variance + eps), np.sqrt(variance) + eps
    yield f"For a variance of 3 and an eps of 1: inside the root {number(inside)}, outside {number(outside)}."
    scales = np.array([1.0, 1e-1, 1e-2, 1e-3, 1e-4])
    sizes = [size(rms_norm(scale * ROW / size(ROW), ONES, 1e-5)) for scale in scales]
    cells = np.stack([scales, sizes], axis=1)
    yield table("RMS norm with eps 1e-5", cells, columns=["size before", "size after"])
    yield "Ordinary rows do not notice eps. Rows that are nearly nothing stay small, and are not blown up to size 1."


@section("A gate that opens by degrees", takeaway="SiLU is z times its sigmoid: -1 lets about -1/4 through.")
def gates():
    """The second part of a block is a small network that works on each row alone. It makes two wide rows out of one.
    The first is bent and becomes gates, the other is multiplied by them.

    The bend is SiLU, a number times its own sigmoid.
    """
    at = np.array([-100.0, -4.0, -1.0, 0.0, 1.0, 4.0, 100.0])
    cells = np.stack([at, silu(at), gelu(at), np.maximum(at, 0.0)], axis=1)
    yield table("Three bends", cells, columns=["at", "SiLU", "GELU", "ReLU"])
    yield "Far out all three agree. One value at -1 tells them apart."


@section("Two branches, one product", takeaway="Only the gate is bent. Two branches multiply, then w_down narrows.")
def branches():
    """With D = 2 and F = 1 the whole gated MLP fits on a line."""
    x, w_gate, w_up, w_down = np.array([[1.0, 2.0]]), [[1.0], [-1.0]], [[4.0], [-1.0]], [[1.0, 0.0]]
    gate, up = (x @ w_gate)[0, 0], (x @ w_up)[0, 0]
    yield f"The row {row(x[0])} gives a gate of {number(gate)} and an up of {number(up)}."
    cells = [
        ["SiLU(gate) · up", number(silu(gate) * up)],
        ["gate · SiLU(up), swapped", number(gate * silu(up))],
        ["SiLU(gate · up)", number(silu(gate * up))],
    ]
    yield table("Product", cells, columns=["computed as", "product"])
    yield f"The first is right, and w_down turns it into {row(swiglu(x, w_gate, w_up, w_down)[0])}."
    yield (
        f"Three matrices of D · F numbers: at D = 4096 a plain MLP of width 4·D has {2 * 4096 * 4 * 4096:,} numbers, "
        f"and a gated one with F = 11008 has {3 * 4096 * 11008:,}."
    )


def layers(*, wire=None):
    """The size of a stream before and after each of 24 random MLP halves, wired in some way."""
    rng = np.random.default_rng(0)
    stream, sizes = rng.normal(size=(8, WIDTH)), []
    for _ in range(LAYERS):
        sizes.append(size(stream))
        shapes = {"w_gate": (WIDTH, HIDDEN), "w_up": (WIDTH, HIDDEN), "w_down": (HIDDEN, WIDTH)}
        weights = {name: rng.normal(size=shape) / np.sqrt(shape[0]) for name, shape in shapes.items()}
        gains = {"norm_attention": np.ones(WIDTH), "norm_mlp": np.ones(WIDTH)}
        one = block_from_parts(attend=lambda params, normed, x, h, g: 0 * x, **({"wire": wire} if wire else {}))
        stream = np.clip(one(gains | weights, stream, 1, 1), -1e60, 1e60)
    return np.array([*sizes, size(stream)])


@section("Adding, and reading at a standard size", takeaway="x passes untouched; halves read a normed copy of it.")
def additions():
    """A block adds what attention makes of the normed row, then what the MLP makes of the normed sum."""
    stream = np.array([3.0, -1.0, 2.0, 0.0])
    found, made = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 2.0])
    steps = [stream, rms_norm(stream, ONES, 1e-5), stream + found]
    steps += [rms_norm(stream + found, ONES, 1e-5), stream + found + made]
    rows = ["x", "what attention reads", "x plus attention", "what the MLP reads", "plus the MLP"]
    yield "Say attention hands over [1, 0, 0, 0] and the MLP [0, 0, 0, 2]:"
    yield table("One row through a block", steps, columns=COORDINATES, rows=rows)
    yield "The second and fourth lines are copies. If both halves hand over zeros, the last line is the first."


@section("24 layers", takeaway="Without norms sizes explode; post-norm keeps 1; pre-norm grows like a square root.")
def deep():
    """Stack 24 blocks with random weights and silent attention, and watch the size of the stream."""
    without = layers(wire=lambda x, attention, mlp, n1, n2: x + mlp(x))
    post = layers(wire=lambda x, attention, mlp, n1, n2: n2(x + mlp(x)))
    pre = layers()
    shown = [0, 1, 2, 4, 6, 8, 12, 24]
    cells = [
        [layer, "beyond float32" if without[layer] > 3.4e38 else number(without[layer]), post[layer], pre[layer]]
        for layer in shown
    ]
    cells = [[value if isinstance(value, str) else number(value) for value in line] for line in cells]
    yield table("Size of the stream", cells, columns=["layers", "no norm", "post-norm", "pre-norm"])
    yield "A gated MLP squares the size of what it reads, so without a norm the exponent doubles, layer by layer."


@section("One test for the wiring", takeaway="A silent block is the identity. Run that test first, and after repairs.")
def silent():
    """Which wiring mistakes does the silent block find? Both halves hand over zeros, and x should come back."""
    x = np.array([[3.0, -1.0, 2.0, 0.0]])

    def nothing(rows):
        return 0 * rows

    def norm(rows):
        return rms_norm(rows, ONES, 1e-5)

    wirings = {
        "pre-norm": lambda: (h := x + nothing(norm(x))) + nothing(norm(h)),
        "norm on the way of x": lambda: norm(x) + nothing(norm(x)),
        "post-norm": lambda: norm(x + nothing(x)),
        "no addition": lambda: nothing(norm(x)),
        "added twice": lambda: x + x + nothing(norm(x)),
        "parallel": lambda: x + nothing(norm(x)) + nothing(norm(x)),
    }
    yield table("What comes back", [wired()[0] for wired in wirings.values()], columns=COORDINATES, rows=list(wirings))
    yield (
        "The first and the last return x. The parallel block is another model all the same: its MLP does not read what "
        "attention has written, and a second test, the two halves in turn, shows that."
    )
