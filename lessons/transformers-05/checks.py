"""The relations that norms, gated MLPs and blocks obey, each followed by the comparison with NumPy.

Probe values are multiples of 1/16, so that float32 holds them and most of their products exactly. All sizes differ:
T = 5 tokens of width D = 7, MLP width F = 11, H = 6 query heads and G = 2 key/value heads of width d = 4.
"""

from dataclasses import dataclass

import numpy as np

from grader.checking import advice, check, expect, expect_close, expect_different
from grader.oracle import block_parts as oracle
from grader.oracle.block_parts import silu
from grader.oracle.norms import layer_norm, rms_norm

T, D, F = 5, 7, 11
H, G, WIDTH = 6, 2, 4
EPS = 0.1  # large, so that its place shows

# A variance from the mean of squares minus the squared mean is right, and loses digits when a row is shifted;
# wrong answers are off by 0.05 and more.
SHIFTED = 5e-4

# Outputs of a block are sums of up to 24 products of sums; right answers are off by up to 2e-6 relative to the largest
# entry, wrong ones by 1e-2 and more.
BLOCK = 1e-4

# The lesson's own numbers.
ROW = np.array([1.0, 7.0, 7.0, 1.0])
NUMBERS = np.stack([ROW, ROW + 10.0, 3.0 * ROW])
GATES = np.array([-4.0, -1.0, 0.0, 1.0, 4.0])
X = np.array([[1.0, -2.0, 0.5, 3.0], [0.0, 1.0, -1.0, 2.0]])
STORED = np.array([-0.5, 0.0, 0.5, 1.0])


def waves(start, rows, columns):
    """The lesson's numbers between -1 and 1, (rows, columns)."""
    return np.sin(np.arange(start, start + rows * columns).reshape(rows, columns))


PARAMS = {
    "norm_attention": np.array([1.0, 0.5, 2.0, 1.0]),
    "wq": waves(0, 4, 6),
    "wk": waves(30, 4, 2),
    "wv": waves(40, 4, 2),
    "wo": waves(50, 6, 4),
    "norm_mlp": np.array([2.0, 1.0, 1.0, 0.5]),
    "w_gate": waves(80, 4, 5),
    "w_up": waves(100, 4, 5),
    "w_down": waves(120, 5, 4),
}
ATTENTION_ONLY = PARAMS | {"w_down": np.zeros((5, 4))}


@dataclass(frozen=True)
class Probe:
    """The inputs of one grading."""

    x: np.ndarray  # (5, 7), rows with means away from 0
    gain: np.ndarray  # (7,)
    bias: np.ndarray  # (7,)
    flat: np.ndarray  # (5, 7), as x; row 2 holds one number seven times
    uneven: np.ndarray  # (5, 7), as x; a huge row, a tiny one, ordinary ones
    w_gate: np.ndarray  # (7, 11)
    w_up: np.ndarray  # (7, 11)
    w_down: np.ndarray  # (11, 7)
    gates: np.ndarray  # (5,), what a single gate sees
    order: np.ndarray  # (5,), moves every token
    params: dict[str, np.ndarray]  # of a block with 6 heads on 2 key/value heads
    single: tuple[dict[str, np.ndarray], np.ndarray]  # a block with 3 heads and as many key/value heads, with its x
    half: tuple[np.ndarray, ...]  # x (2, 4), gain (4,), w_gate (4, 5), w_up (4, 5), w_down (5, 4)


def sixteenths(rng, *shape):
    """Multiples of 1/16 between -1 and 1, of both signs and never 0."""
    return rng.integers(2, 17, shape) * rng.choice([-1.0, 1.0], shape) / 16


def layer(rng, heads, kv_heads, *, model, width, hidden):
    """Random params of a block, gains away from 0 and from 1."""
    shapes = {
        "wq": (model, heads * width),
        "wk": (model, kv_heads * width),
        "wv": (model, kv_heads * width),
        "wo": (heads * width, model),
        "w_gate": (model, hidden),
        "w_up": (model, hidden),
        "w_down": (hidden, model),
    }
    params = {name: sixteenths(rng, *shape) for name, shape in shapes.items()}
    return params | {"norm_attention": gains(rng, model), "norm_mlp": gains(rng, model)}


def gains(rng, width):
    """Gains between 1/4 and 2, none of them near 1 and no two neighbours alike, one of them negative."""
    gain = rng.permutation(np.resize([4, 28, 6, 24, 8, 32, 10], width)) / 16
    return gain * np.where(np.arange(width) == rng.integers(width), -1, 1)


def probe(rng):
    """All sizes different; entries of both signs; rows of different means and sizes."""
    x = sixteenths(rng, T, D) * np.array([[1.0], [2.0], [1.0], [3.0], [1.5]]) + np.array([[1], [-2], [2], [0.5], [-1]])
    flat = x.copy()
    flat[2] = 1.5
    return Probe(
        x=x,
        gain=gains(rng, D),
        bias=sixteenths(rng, D),
        flat=flat,
        uneven=x * np.array([[1024.0], [1 / 1024], [1.0], [1 / 16], [64.0]]),
        w_gate=sixteenths(rng, D, F),
        w_up=sixteenths(rng, D, F),
        w_down=sixteenths(rng, F, D),
        gates=np.array([-1.0, 0.5, 2.0, -3.0, rng.integers(2, 9) / 8]),
        order=np.roll(np.arange(T), int(rng.integers(1, T))),
        params=layer(rng, H, G, model=D, width=WIDTH, hidden=F),
        single=(layer(rng, 3, 3, model=4, width=2, hidden=5), sixteenths(rng, 2, 4)),
        half=(
            2 * sixteenths(rng, 2, 4),
            gains(rng, 4),
            sixteenths(rng, 4, 5),
            sixteenths(rng, 4, 5),
            sixteenths(rng, 5, 4),
        ),
    )


ONES, ZEROS = np.ones(D), np.zeros(D)


def variances(rows):
    """The biased variance of every row."""
    return rows.var(axis=-1)


def squares(rows):
    """The mean square of every row."""
    return np.square(rows).mean(axis=-1)


def row_changed(x):
    """``x`` with other numbers in row 1."""
    other = x.copy()
    other[1] = -3 * other[1][::-1] + 1
    return other


def others(after, before):
    """``after`` with row 1 of ``before``: all rows but that one are compared."""
    return np.concatenate([after[:1], before[1:2], after[2:]])


# ---- layer norm ------------------------------------------------------------------------------------------


@check(exercise="layer-norm", points=1, proves="layer_norm returns a row for every row")
def layer_norm_keeps_shape(student, probe):
    """layer_norm returns one row of D numbers for every row of x."""
    student.layer_norm(probe.x, probe.gain, probe.bias, EPS)


@check(exercise="layer-norm", points=1, needs=[layer_norm_keeps_shape], proves="layer_norm norms each row by itself")
def layer_norm_rows_independent(student, probe):
    """Each row is normed by itself: changing one row leaves all others."""
    before = student.layer_norm(probe.x, probe.gain, probe.bias, EPS)
    after = student.layer_norm(row_changed(probe.x), probe.gain, probe.bias, EPS)
    because = "Only row 1 of x was changed, so the other rows stay: mean and variance belong to one row."
    expect_close(others(after, before), before, because)
    expect_different(after[1], before[1], "Row 1 of x was changed, but", what="output[1]")


@check(exercise="layer-norm", points=1, needs=[layer_norm_rows_independent], proves="the mean of a row becomes 0")
def layer_norm_mean(student, probe):
    """With gain 1 and bias 0 every row has mean 0."""
    output = student.layer_norm(probe.x, ONES, ZEROS, EPS)
    expect_close(
        output.mean(axis=-1), np.zeros(T), "With gain 1 and bias 0 every row has mean 0.", what="output.mean(axis=-1)"
    )


@check(
    exercise="layer-norm",
    points=1,
    needs=[layer_norm_rows_independent],
    leans_on=[layer_norm_mean],
    proves="the biased variance of a row becomes 1, but for eps",
)
def layer_norm_variance(student, probe):
    """With gain 1 and bias 0 the variance v of a row becomes v / (v + eps), close to 1 for a small eps."""
    v = variances(probe.x)
    for eps in (1e-8, EPS, 2.0):
        output = student.layer_norm(probe.x, ONES, ZEROS, eps)
        because = f"eps is {eps:g}; row 0 has the variance {v[0]:.4g}, and after the norm v / (v + eps)."
        if np.allclose(variances(output) * D / (D - 1), v / (v + eps), atol=1e-4):
            because += " Yours is that with D - 1 in place of D: the variance is the mean of the squared deviations."
        expect_close(variances(output), v / (v + eps), because, what="output.var(axis=-1)", tolerance=SHIFTED / 10)


LAYER_SIZE = (layer_norm_mean, layer_norm_variance)


@check(
    exercise="layer-norm",
    points=1,
    needs=[layer_norm_rows_independent],
    leans_on=LAYER_SIZE,
    proves="shifting a row, or stretching it, changes nothing",
)
def layer_norm_shift_and_stretch(student, probe):
    """Adding a number to a row changes nothing; nor does four times the row with sixteen times the eps."""
    output = student.layer_norm(probe.x, probe.gain, probe.bias, EPS)
    shifted = student.layer_norm(probe.x + 2.0, probe.gain, probe.bias, EPS)
    expect_close(shifted, output, "2 was added to every number of x, and the mean takes it out.", tolerance=SHIFTED)
    stretched = student.layer_norm(4 * probe.x, probe.gain, probe.bias, 16 * EPS)
    because = "x is 4 times and eps 16 times as large, as a variance grows by the square: all cancels."
    expect_close(stretched, output, because)


@check(
    exercise="layer-norm",
    points=1,
    needs=[layer_norm_rows_independent],
    leans_on=[*LAYER_SIZE, layer_norm_shift_and_stretch],
    proves="gain and bias come after the division",
)
def layer_norm_affine(student, probe):
    """Gain and bias come last: the output is gain times what gain 1 and bias 0 give, plus bias."""
    plain = student.layer_norm(probe.x, ONES, ZEROS, EPS)
    output = student.layer_norm(probe.x, probe.gain, probe.bias, EPS)
    because = "Coordinate j is multiplied by gain[j], then bias[j] is added, after the division."
    expect_close(output, probe.gain * plain + probe.bias, because)


LAYER = (*LAYER_SIZE, layer_norm_shift_and_stretch, layer_norm_affine)


@check(
    exercise="layer-norm",
    points=1,
    needs=[layer_norm_rows_independent],
    leans_on=LAYER,
    proves="a row of equal numbers becomes the bias",
)
def layer_norm_flat_row(student, probe):
    """A row of equal numbers becomes the bias, and rows of very different size come out alike."""
    output = student.layer_norm(probe.flat, probe.gain, probe.bias, EPS)
    expect_close(output[2], probe.bias, "Row 2 is 1.5 seven times: nothing deviates from the mean.", what="output[2]")
    right = layer_norm(probe.uneven, probe.gain, probe.bias, EPS)
    because = "Row 0 is 1024 times as large as usual, row 1 1024 times as small."
    found = student.layer_norm(probe.uneven, probe.gain, probe.bias, EPS)
    expect_close(found, right, because, tolerance=SHIFTED)


@check(
    exercise="layer-norm",
    points=1,
    needs=[layer_norm_rows_independent],
    leans_on=[*LAYER, layer_norm_flat_row],
    proves="layer_norm agrees with an independent NumPy calculation",
)
def layer_norm_oracle(student, probe):
    """layer_norm agrees with NumPy at double precision, for one token too."""
    for x in (probe.x, probe.x[:1]):
        right = layer_norm(x, probe.gain, probe.bias, EPS)
        found = student.layer_norm(x, probe.gain, probe.bias, EPS)
        expect_close(found, right, "NumPy disagrees.", tolerance=SHIFTED / 10)


# ---- RMS norm --------------------------------------------------------------------------------------------------


@check(exercise="rms-norm", points=1, proves="rms_norm returns a row for every row")
def rms_norm_keeps_shape(student, probe):
    """rms_norm returns one row of D numbers for every row of x."""
    student.rms_norm(probe.x, probe.gain, EPS)


@check(exercise="rms-norm", points=1, needs=[rms_norm_keeps_shape], proves="rms_norm norms each row by itself")
def rms_norm_rows_independent(student, probe):
    """Each row is normed by itself: changing one row leaves all others."""
    before = student.rms_norm(probe.x, probe.gain, EPS)
    after = student.rms_norm(row_changed(probe.x), probe.gain, EPS)
    because = "Only row 1 of x was changed, so the other rows stay: the mean square belongs to one row."
    expect_close(others(after, before), before, because)
    expect_different(after[1], before[1], "Row 1 of x was changed, but", what="output[1]")


@check(exercise="rms-norm", points=1, needs=[rms_norm_rows_independent], proves="a row keeps its direction")
def rms_norm_direction(student, probe):
    """With gain 1 every row is the old row times one positive number: nothing is subtracted."""
    output = student.rms_norm(probe.x, ONES, EPS)
    factor = (output * probe.x).sum(axis=-1, keepdims=True) / np.square(probe.x).sum(axis=-1, keepdims=True)
    because = "With gain 1 a row of the output is the row of x times one number."
    if np.allclose(output.mean(axis=-1), 0, atol=1e-4):
        because += " Your rows have mean 0: an RMS norm subtracts nothing."
    expect_close(output, factor * probe.x, because)
    expect((factor > 0).all(), "A row is divided by something positive, and yours points the other way.")


@check(
    exercise="rms-norm",
    points=1,
    needs=[rms_norm_rows_independent],
    leans_on=[rms_norm_direction],
    proves="the root mean square of a row becomes 1, but for eps",
)
def rms_norm_size(student, probe):
    """With gain 1 the mean square s of a row becomes s / (s + eps), close to 1 for a small eps."""
    s = squares(probe.x)
    for eps in (1e-8, EPS, 2.0):
        output = student.rms_norm(probe.x, ONES, eps)
        because = f"eps is {eps:g}; row 0 has the mean square {s[0]:.4g}, and after the norm s / (s + eps)."
        expect_close(squares(output), s / (s + eps), because, what="(output**2).mean(axis=-1)")


RMS_SIZE = (rms_norm_direction, rms_norm_size)


@check(
    exercise="rms-norm",
    points=1,
    needs=[rms_norm_rows_independent],
    leans_on=RMS_SIZE,
    proves="stretching a row changes nothing, a minus stays a minus",
)
def rms_norm_stretch(student, probe):
    """Four times the row with sixteen times the eps changes nothing; the norm of -x is minus the norm of x."""
    output = student.rms_norm(probe.x, probe.gain, EPS)
    stretched = student.rms_norm(4 * probe.x, probe.gain, 16 * EPS)
    because = "x is 4 times and eps 16 times as large, as a mean square grows by the square: all cancels."
    expect_close(stretched, output, because)
    expect_close(student.rms_norm(-probe.x, probe.gain, EPS), -output, "x was replaced by -x.")


@check(
    exercise="rms-norm",
    points=1,
    needs=[rms_norm_rows_independent],
    leans_on=[*RMS_SIZE, rms_norm_stretch],
    proves="the gain is a factor, applied last",
)
def rms_norm_gain(student, probe):
    """The gain comes last, as a plain factor: gain 0 gives 0, and the output is gain times what gain 1 gives."""
    plain = student.rms_norm(probe.x, ONES, EPS)
    nothing = student.rms_norm(probe.x, ZEROS, EPS)
    expect_close(nothing, np.zeros((T, D)), "A gain of 0 gives 0: the gain is the factor itself, not 1 plus it.")
    output = student.rms_norm(probe.x, probe.gain, EPS)
    expect_close(output, probe.gain * plain, "Coordinate j is multiplied by gain[j], after the division.")


RMS = (*RMS_SIZE, rms_norm_stretch, rms_norm_gain)


@check(
    exercise="rms-norm",
    points=1,
    needs=[rms_norm_rows_independent],
    leans_on=RMS,
    proves="rms_norm agrees with an independent NumPy calculation",
)
def rms_norm_oracle(student, probe):
    """rms_norm agrees with NumPy at double precision, on zeros, rows of very different size and one token too."""
    zeros = probe.flat.copy()
    zeros[2] = 0.0
    found = student.rms_norm(zeros, probe.gain, EPS)
    expect_close(found[2], np.zeros(D), "Row 2 is 0 seven times and stays so: eps keeps 0/0 away.", what="output[2]")
    for x in (probe.x, probe.uneven, probe.x[:1]):
        right = rms_norm(x, probe.gain, EPS)
        expect_close(student.rms_norm(x, probe.gain, EPS), right, "NumPy disagrees.")


# ---- the gated MLP ------------------------------------------------------------------------------------------------


def matrices(probe, **parts):
    """The three matrices of the probe's MLP, some replaced."""
    own = {"w_gate": probe.w_gate, "w_up": probe.w_up, "w_down": probe.w_down} | parts
    return own["w_gate"], own["w_up"], own["w_down"]


@check(exercise="swiglu", points=1, proves="swiglu returns rows as wide as they came")
def swiglu_keeps_shape(student, probe):
    """swiglu widens rows to F and narrows them again: (T, D) comes back."""
    student.swiglu(probe.x, *matrices(probe))


@check(exercise="swiglu", points=1, needs=[swiglu_keeps_shape], proves="the MLP works on every token by itself")
def swiglu_by_token(student, probe):
    """Reordering the tokens reorders the output rows: no token knows of another."""
    output = student.swiglu(probe.x, *matrices(probe))
    moved = student.swiglu(probe.x[probe.order], *matrices(probe))
    expect_close(moved, output[probe.order], f"The tokens were reordered ({probe.order.tolist()}).", tolerance=BLOCK)


@check(exercise="swiglu", points=1, needs=[swiglu_keeps_shape], proves="both branches are needed")
def swiglu_silent_branches(student, probe):
    """Zeros in w_gate, in w_up or in w_down give zeros: the two branches are multiplied."""
    for name in ("w_gate", "w_up", "w_down"):
        matrix = matrices(probe, **{name: 0 * getattr(probe, name)})
        output = student.swiglu(probe.x, *matrix)
        because = f"{name} is 0, so one factor of every product is 0 (silu(0) is 0)."
        expect_close(output, np.zeros((T, D)), because)


@check(
    exercise="swiglu",
    points=1,
    needs=[swiglu_keeps_shape],
    leans_on=[swiglu_by_token, swiglu_silent_branches],
    proves="only the gate is bent",
)
def swiglu_linear_in_up(student, probe):
    """Doubling w_up doubles the output, and so does doubling w_down; doubling w_gate does not."""
    output = student.swiglu(probe.x, *matrices(probe))
    for name, because in (
        ("w_up", "w_up was doubled: that branch goes into the product as it is, without a SiLU."),
        ("w_down", "w_down was doubled: nothing comes after it."),
    ):
        twice = student.swiglu(probe.x, *matrices(probe, **{name: 2 * getattr(probe, name)}))
        expect_close(twice, 2 * output, because, tolerance=BLOCK)
    gated = student.swiglu(probe.x, *matrices(probe, w_gate=2 * probe.w_gate))
    because = "w_gate was doubled; the SiLU on that branch is not linear, but"
    expect(not np.allclose(gated, 2 * output, atol=1e-2), f"{because} the output doubled.")


BRANCHES = (swiglu_by_token, swiglu_silent_branches, swiglu_linear_in_up)


def one_gate(probe, gates):
    """x and matrices that lead ``gates`` (5,) to one gate, a 1 to its partner, and the product to column 0."""
    x, gate, up, last = np.zeros((T, D)), np.zeros((D, F)), np.zeros((D, F)), np.zeros((F, D))
    x[:, 0], x[:, 1] = gates, 1.0
    gate[0, 0], up[1, 0], last[0, 0] = 1.0, 1.0, 1.0
    return x, gate, up, last


@check(
    exercise="swiglu",
    points=1,
    needs=[swiglu_keeps_shape],
    leans_on=BRANCHES,
    proves="the gate is bent by SiLU, for large numbers too",
)
def swiglu_gate_is_silu(student, probe):
    """A gate of -1 lets -0.269 through, as SiLU does; a gate of 200 lets 200 through, one of -200 nothing."""
    for gates in (probe.gates, np.array([200.0, -200.0, 100.0, -100.0, 0.0])):
        found = student.swiglu(*one_gate(probe, gates))[:, 0]
        seen = np.round(found[:2], 4).tolist() if np.isfinite(found).all() else found[:2].tolist()
        because = (
            f"One gate sees {gates[:2].tolist()} and its partner is 1. SiLU gives "
            f"{np.round(silu(gates[:2]), 4).tolist()}, and here come {seen}."
        )
        expect_close(found, silu(gates), because, what="output[:, 0]")


@check(
    exercise="swiglu",
    points=1,
    needs=[swiglu_keeps_shape],
    leans_on=[*BRANCHES, swiglu_gate_is_silu],
    proves="swiglu agrees with an independent NumPy calculation",
)
def swiglu_oracle(student, probe):
    """swiglu agrees with NumPy at double precision, for one token too."""
    for x in (probe.x, probe.x[:1]):
        right = oracle.swiglu(x, *matrices(probe))
        expect_close(student.swiglu(x, *matrices(probe)), right, "NumPy disagrees.", tolerance=BLOCK)


# ---- the block ---------------------------------------------------------------------------------------------------

PARTS = (rms_norm_oracle, swiglu_oracle)


def changed(params, *silent, **parts):
    """``params`` with zeros for some names and other arrays for some."""
    return params | {name: 0 * params[name] for name in silent} | parts


def asked(student, probe, params, x=None):
    """The block on 6 heads and 2 key/value heads."""
    return student.block(params, probe.x if x is None else x, H, G)


@check(exercise="block", points=1, leans_on=PARTS, proves="block returns a row for every row")
def block_keeps_shape(student, probe):
    """block returns one row of D numbers for every token, so that blocks can be stacked."""
    asked(student, probe, probe.params)


@check(exercise="block", points=1, needs=[block_keeps_shape], leans_on=PARTS, proves="the stream passes untouched")
def silent_block_is_identity(student, probe):
    """With zeros in wo and w_down both halves add nothing, and x comes back untouched."""
    output = asked(student, probe, changed(probe.params, "wo", "w_down"))
    because = "wo and w_down are 0, so both halves add 0 and every row passes as it came."
    if np.allclose(output, 0, atol=1e-4):
        because += " Yours is 0: the row itself is not added."
    elif np.allclose(squares(output), squares(output)[:1], rtol=0.02) and not np.allclose(output, probe.x, atol=0.1):
        because += " Your rows all have one size: a norm sits on the way of x itself."
    expect_close(output, probe.x, because)


THROUGH = (*PARTS, silent_block_is_identity)


@check(
    exercise="block",
    points=1,
    needs=[block_keeps_shape],
    leans_on=THROUGH,
    proves="each half reads through its own norm",
)
def norms_belong_to_halves(student, probe):
    """Zeros in norm_attention silence the attention, zeros in norm_mlp the MLP, and nothing else."""
    for gain, last, half in (("norm_attention", "wo", "attention"), ("norm_mlp", "w_down", "MLP")):
        by_norm = asked(student, probe, changed(probe.params, gain))
        by_matrix = asked(student, probe, changed(probe.params, last))
        because = f"Zeros in {gain} make the {half} read zeros, so it adds 0, as it does with zeros in {last}."
        expect_close(by_norm, by_matrix, because, tolerance=BLOCK)
        other = "norm_mlp" if gain == "norm_attention" else "norm_attention"
        alone = asked(student, probe, changed(probe.params, other))
        expect_different(alone, probe.x, f"Zeros in {other} leave the {half} to add to x, but the")


NORMED = (*THROUGH, norms_belong_to_halves)


@check(
    exercise="block",
    points=1,
    needs=[block_keeps_shape],
    leans_on=NORMED,
    proves="each half adds the same to a stretched stream",
)
def halves_ignore_size(student, probe):
    """What a half adds does not depend on the size of x: alone it adds to 1024 x what it adds to x."""
    for last, half in (("w_down", "attention"), ("wo", "MLP")):
        params = changed(probe.params, last)
        added = [asked(student, probe, params, scale * probe.x) - scale * probe.x for scale in (1, 1024)]
        because = f"Only the {half} is left. It reads normed rows, so to 1024 x it adds what it adds to x."
        # Coarse, because an eps counts a little for x: which one it is decides the comparison with NumPy.
        expect_close(added[1], added[0], because, what="what is added", tolerance=2e-2)


@check(
    exercise="block",
    points=1,
    needs=[block_keeps_shape],
    leans_on=[*NORMED, halves_ignore_size],
    proves="no token knows of later ones, every token of earlier ones",
)
def future_unknown(student, probe):
    """Other numbers in tokens 3 and 4 leave the rows of tokens 0 to 2; another token 0 changes the rows below it."""
    params = changed(probe.params, "w_down")
    output = asked(student, probe, params)
    later = np.concatenate([probe.x[:3], -2 * probe.x[3:] + 1])
    because = "Tokens 3 and 4 were changed, and rows 0 to 2 come before them."
    expect_close(asked(student, probe, params, later)[:3], output[:3], because, what="output[:3]", tolerance=BLOCK)
    earlier = np.concatenate([-probe.x[:1, ::-1], probe.x[1:]])
    for row in (1, 4):
        moved = asked(student, probe, params, earlier)[row]
        expect_different(
            moved, output[row], "Token 0 was changed, and later tokens look at it, but", what=f"output[{row}]"
        )


@check(
    exercise="block",
    points=1,
    needs=[block_keeps_shape],
    leans_on=[*NORMED, halves_ignore_size, future_unknown],
    proves="the MLP reads what attention has written",
)
def halves_in_turn(student, probe):
    """The whole block is its attention half followed by its MLP half."""
    attended = asked(student, probe, changed(probe.params, "w_down"))
    both = asked(student, probe, changed(probe.params, "wo"), attended)
    because = "The attention half alone, then the MLP half alone on its result, make the whole block."
    expect_close(asked(student, probe, probe.params), both, because, tolerance=BLOCK)


WIRED = (*NORMED, halves_ignore_size, future_unknown, halves_in_turn)


@check(
    exercise="block",
    points=3,
    needs=[block_keeps_shape],
    leans_on=WIRED,
    proves="both halves agree with an independent NumPy calculation, down to the eps of 1e-5",
)
def block_oracle(student, probe):
    """block agrees with NumPy at double precision: each half with its eps of 1e-5, both, other heads, one token."""
    attention, mlp = changed(probe.params, "w_down"), changed(probe.params, "wo")
    single, x = probe.single
    small = "where x is 512 times as small, so that the eps of 1e-5 counts"
    for call, named in (
        ((attention, probe.x / 512, H, G), f"the attention half, {small}"),
        ((mlp, probe.x / 512, H, G), f"the MLP half, {small}"),
        ((attention, probe.x, H, G), "the attention half"),
        ((mlp, probe.x, H, G), "the MLP half"),
        ((probe.params, probe.x, H, G), "6 heads on 2 key/value heads"),
        ((probe.params, probe.x[:1], H, G), "one token"),
        ((single, x, 3, 3), "3 heads with keys and values of their own"),
    ):
        expect_close(student.block(*call), oracle.block(*call), f"NumPy disagrees: {named}.", tolerance=BLOCK)


@check(
    exercise="block",
    points=1,
    needs=[block_keeps_shape],
    leans_on=[*WIRED, block_oracle],
    proves="no call leaves traces",
)
def repeated_call(student, probe):
    """The same question gets the same answer, whatever was asked in between."""
    first = student.ask_again("block", probe.params, probe.x, H, G)
    other = student.ask_again("block", probe.params, -2 * probe.x[::-1], H, G)
    second = student.ask_again("block", probe.params, probe.x, H, G)
    expect_different(other, first, "Another question, of the same shapes, was asked after the first, but the")
    expect_close(second, first, "The same call was made twice, with another one in between.")


@advice(exercise="block", needs=[block_oracle], proves="block works inside jax.jit")
def works_under_jit(student, probe):
    """The same values come out inside jax.jit, the numbers of heads held fixed."""
    single, x = probe.single
    output = student.transformed("jit", "block", single, x, 3, 3)[0]
    expect_close(output, student.block(single, x, 3, 3), "Under jit the values change.", tolerance=1e-4)


@advice(exercise="block", needs=[block_oracle], proves="gradients stay finite")
def finite_gradients(student, probe):
    """The gradient by x is finite, where x is 0 too."""
    single, x = probe.single
    (gradient,) = student.transformed("grad", "block", single, x * np.array([[1.0], [0.0]]), 3, 3)
    expect(np.isfinite(gradient).all(), "The gradient by x is not finite where a row of x is 0.")


# ---- the variables of main.py ------------------------------------------------------------------------------------


@check(
    exercise="experiments",
    points=1,
    leans_on=[layer_norm_oracle, rms_norm_oracle],
    proves="both norms do to three rows what you derived",
)
def three_rows(student, probe):
    """layer_normed, rms_normed and centred hold the normed rows of the first experiment."""
    expect_close(student.variable("numbers"), NUMBERS, "The experiment needs the lesson's numbers.", what="numbers")
    ones, zeros = np.ones(4), np.zeros(4)
    for name, right in (
        ("layer_normed", layer_norm(NUMBERS, ones, zeros, 1e-5)),
        ("rms_normed", rms_norm(NUMBERS, ones, 1e-5)),
        ("centred", layer_norm(NUMBERS, ones, zeros, 1e-5)),
    ):
        expect_close(student.variable(name), right, f"{name} of the three rows, with eps 1e-5.", what=name)


@check(exercise="experiments", points=1, leans_on=[swiglu_oracle], proves="five gates open as SiLU says")
def five_gates(student, probe):
    """gated holds what five gates let through."""
    right = np.stack([silu(GATES), 0 * GATES], axis=1)
    expect_close(student.variable("gated"), right, "Column 0 is the SiLU of -4, -1, 0, 1 and 4.", what="gated")


@check(
    exercise="experiments", points=1, leans_on=[block_oracle], proves="a block runs, and a silent one changes nothing"
)
def first_block(student, probe):
    """output and silent hold what the lesson's block makes of x, and what is left of it with silent halves."""
    expect_close(student.variable("x"), X, "The experiment needs the lesson's x.", what="x")
    right = oracle.block(PARAMS, X, 3, 1)
    expect_close(student.variable("output"), right, "block(params, x, 3, 1).", tolerance=BLOCK)
    expect_close(student.variable("silent"), X, "With silent halves x comes back.", what="silent")


@check(exercise="own-factor", points=2, leans_on=[block_oracle], proves="a half adds the same to a stretched stream")
def added_to_both(student, probe):
    """change and scaled_change hold what the attention half adds to x, and to x times a factor of your own."""
    chosen = student.variable("factor")
    number = float(chosen.ravel()[0]) if chosen.size == 1 else 0.0
    expect(2 <= number <= 100, f"factor is {chosen.tolist()}; take one number from 2 to 100.")
    right = oracle.block(ATTENTION_ONLY, X, 3, 1) - X
    expect_close(
        student.variable("change", shape=(2, 4)),
        right,
        "What the attention half adds to x: the block's output minus x.",
        what="change",
        tolerance=BLOCK,
    )
    scaled = oracle.block(ATTENTION_ONLY, number * X, 3, 1) - number * X
    # Differences of numbers up to 300, where float32 rounds by 3e-5.
    expect_close(
        student.variable("scaled_change", shape=(2, 4), given=[number]),
        scaled,
        f"What the attention half adds to {number:g} x: the output minus {number:g} x.",
        what="scaled_change",
        tolerance=1e-3,
    )


@check(exercise="checkpoint", points=1, leans_on=[rms_norm_oracle], proves="gains stored minus 1 are put right")
def stored_gains(student, probe):
    """from_stored is the RMS norm of numbers with the gains that stored stands for."""
    right = rms_norm(NUMBERS, 1 + STORED, 1e-5)
    because = "stored holds every gain minus 1, and rms_norm wants the gains themselves."
    expect_close(student.variable("from_stored", shape=(3, 4)), right, because, what="from_stored")


@check(exercise="checkpoint", points=1, leans_on=[swiglu_oracle], proves="one fused matrix is two")
def unfused_matrices(student, probe):
    """unfused is the gated MLP of x with the two halves of fused."""
    right = oracle.swiglu(X, PARAMS["w_gate"], PARAMS["w_up"], PARAMS["w_down"])
    because = "The first 5 columns of fused belong to the gate, the last 5 to the other branch."
    expect_close(student.variable("unfused", shape=(2, 4)), right, because, what="unfused", tolerance=BLOCK)


@check(exercise="checkpoint", points=1, proves="you know where the numbers of a layer sit")
def counted_params(student, probe):
    """layer_params counts the numbers in the gains, the attention and the MLP of one layer."""
    found = student.variable("layer_params", shape=(3,))
    right = np.array([2 * 4096, 2 * 4096 * 128 * (32 + 8), 3 * 4096 * 14336])
    because = "D = 4096, 32 heads and 8 key/value heads of width 128, F = 14336: gains, attention, MLP."
    expect_close(found, right, because, what="layer_params")


@check(exercise="repair", points=1, leans_on=PARTS, proves="the row itself passes again")
def repaired_skip(student, probe):
    """repaired: with zeros in w_down x comes back untouched."""
    x, gain, w_gate, w_up, w_down = probe.half
    found = student.repaired(x, gain, w_gate, w_up, 0 * w_down)
    expect_close(found, x, "w_down is 0, so nothing is added to x, and x itself is not normed.")


@check(
    exercise="repair",
    points=1,
    needs=[repaired_skip],
    leans_on=PARTS,
    proves="rows do not know of each other again",
)
def repaired_rows(student, probe):
    """repaired: changing one row leaves the other."""
    x, *rest = probe.half
    output = student.repaired(x, *rest)
    other = np.stack([x[0], -4 * x[1]])
    because = "Only row 1 was changed, so row 0 stays: its mean square is its own."
    expect_close(student.repaired(other, *rest)[0], output[0], because, what="output[0]", tolerance=BLOCK)


@check(
    exercise="repair",
    points=1,
    needs=[repaired_skip],
    leans_on=[*PARTS, repaired_rows],
    proves="the repaired half agrees with NumPy",
)
def repaired_oracle(student, probe):
    """repaired agrees with NumPy: the gate is bent before the product."""
    x, gain, w_gate, w_up, w_down = probe.half
    right = x + oracle.swiglu(rms_norm(x, gain, 0.1), w_gate, w_up, w_down)
    found = student.repaired(x, gain, w_gate, w_up, w_down)
    expect_close(found, right, "NumPy disagrees: norm with eps 0.1, SiLU on the gate alone, then add.", tolerance=BLOCK)
