"""Wrong answers to transformers-04 as people write them: each fails where it is wrong, under its own name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.authoring.kept_worker import KeptWorker
from grader.cells import Cell, with_cell
from grader.checking.examine import examine
from grader.lesson import load_lesson
from grader.model import Lesson, Outcome, Submission, Verdict
from grader.running.program import WorkerProgram

SINUSOID = "def sinusoid(length, width):"
ROPE = "def rope(x, positions, base):"
REPAIRED = "def repaired_rope(x, positions, base):"
D = "d = x.shape[-1]"
PAIRED = [
    "a, b, cos, sin = x[..., 0::2], x[..., 1::2], jnp.cos(angles), jnp.sin(angles)",
    "return jnp.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)",
]
HALVES = [
    "a, b, cos, sin = x[..., : d // 2], x[..., d // 2 :], jnp.cos(angles), jnp.sin(angles)",
    "return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)",
]
STACKED = "return jnp.stack([a, b], axis=-1).reshape(x.shape)"
TABLE = "jnp.stack([a, b], axis=-1).reshape(len(x), 1, d)"
TWICE = "angles = jnp.concatenate([angles, angles], axis=-1)"
FREQUENCIES = "f = base ** (-jnp.arange(0, d, 2) / d)"
ANGLES = "angles = jnp.outer(positions, f)[:, None, :]"
ROTATE_HALF = "partners = jnp.concatenate([-x[..., d // 2 :], x[..., : d // 2]], axis=-1)"
ROTATE_TWO = "partners = jnp.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)"
TAIL = "return x * jnp.cos(angles) + partners * jnp.sin(angles)"
MIXED = "pairing mixed: frequencies laid out for one pairing, partners taken from the other"
IN_FRONT = "pairs joined along a front axis, so that the reshape mixes tokens or heads"

# name: (the lines of one function, the first check that fails, the name of the mistake)
WRONG = {
    "a loop that doubles the column twice": (
        [
            SINUSOID,
            "pe = jnp.zeros((length, width))",
            "p = jnp.arange(length)",
            "for i in range(0, width, 2):",
            "    pe = pe.at[:, i].set(jnp.sin(p / 10000 ** (2 * i / width)))",
            "    pe = pe.at[:, i + 1].set(jnp.cos(p / 10000 ** ((2 * (i + 1)) / width)))",
            "return pe",
        ],
        "unit_circle",
        "exponent 2i/D with the column number i",
    ),
    "2i twice, the same for both": (
        [
            SINUSOID,
            "angles = jnp.outer(jnp.arange(length), 10000.0 ** (-2 * jnp.arange(0, width, 2) / width))",
            "return jnp.stack([jnp.sin(angles), jnp.cos(angles)], -1).reshape(length, width)",
        ],
        "column_frequencies",
        "the 2 of 2j/d counted twice",
    ),
    "a frequency for each column": (
        [
            SINUSOID,
            "angles = jnp.outer(jnp.arange(length), 10000.0 ** (-jnp.arange(width) / width))",
            "even = jnp.arange(width) % 2 == 0",
            "return jnp.where(even, jnp.sin(angles), jnp.cos(angles))",
        ],
        "unit_circle",
        "a frequency of its own for each coordinate: exponent i/d",
    ),
    "halves of a table for neighbours": (
        [
            SINUSOID,
            "j = jnp.arange(width) // 2",
            "angles = jnp.outer(jnp.arange(length), 10000.0 ** (-2 * j / width))",
            "return jnp.concatenate([jnp.sin(angles[:, : width // 2]), jnp.cos(angles[:, width // 2 :])], 1)",
        ],
        "unit_circle",
        "frequencies of one layout, sines and cosines in the other",
    ),
    "the steps of older code": (
        [
            SINUSOID,
            "half = width // 2",
            "f = jnp.exp(jnp.arange(half) * -(jnp.log(10000.0) / (half - 1)))",
            "angles = jnp.outer(jnp.arange(length), f)",
            "return jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], 1)",
        ],
        "column_frequencies",
        "exponent j/(d/2 - 1), which ends at 1/base",
    ),
    "integer division": (
        [
            SINUSOID,
            "angles = jnp.outer(jnp.arange(length), 10000.0 ** -(2 * jnp.arange(width // 2) // width))",
            "return jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], 1)",
        ],
        "column_frequencies",
        "the same frequency for all pairs",
    ),
    "growing in the table": (
        [
            SINUSOID,
            "angles = jnp.outer(jnp.arange(length), 10000.0 ** (2 * jnp.arange(width // 2) / width))",
            "return jnp.stack([jnp.sin(angles), jnp.cos(angles)], -1).reshape(length, width)",
        ],
        "column_frequencies",
        "growing frequencies: exponent 2j/d without its minus, or a division too many",
    ),
    "stacked without an axis in the table": (
        [
            SINUSOID,
            "angles = jnp.outer(jnp.arange(length), 10000.0 ** (-2 * jnp.arange(width // 2) / width))",
            "return jnp.stack([jnp.sin(angles), jnp.cos(angles)]).reshape(length, width)",
        ],
        "position_zero",
        IN_FRONT,
    ),
    "cosines first": (
        [
            SINUSOID,
            "angles = jnp.outer(jnp.arange(length), 10000.0 ** (-2 * jnp.arange(width // 2) / width))",
            "return jnp.concatenate([jnp.cos(angles), jnp.sin(angles)], 1)",
        ],
        "position_zero",
        "cosines where the sines belong",
    ),
    "a table that is not cut": (
        [
            SINUSOID,
            "angles = jnp.outer(jnp.arange(512), 10000.0 ** (-2 * jnp.arange(width // 2) / width))",
            "return jnp.stack([jnp.sin(angles), jnp.cos(angles)], -1).reshape(512, width)",
        ],
        "sinusoid_shape",
        "the whole table in place of its first rows",
    ),
    "sines whose set is dropped": (
        [SINUSOID, "pe = jnp.zeros((length, width))", "pe.at[:, 1::2].set(1.0)", "return pe"],
        "position_zero",
        "an array of zeros that was never filled",
    ),
    "positions from 1 in the table": (
        [
            SINUSOID,
            "angles = jnp.outer(jnp.arange(1, length + 1), 10000.0 ** (-2 * jnp.arange(width // 2) / width))",
            "return jnp.stack([jnp.sin(angles), jnp.cos(angles)], -1).reshape(length, width)",
        ],
        "position_zero",
        "positions counted from 1",
    ),
    "sixteen bits in the table": (
        [
            SINUSOID,
            "f = 10000.0 ** (-2 * jnp.arange(width // 2) / width)",
            "angles = jnp.outer(jnp.arange(length).astype(jnp.bfloat16), f)",
            "return jnp.stack([jnp.sin(angles), jnp.cos(angles)], -1).reshape(length, width)",
        ],
        "far_rows",
        "positions kept in 16 bits",
    ),
    "repeat with rotate_half": (
        [ROPE, D, FREQUENCIES, "angles = jnp.repeat(jnp.outer(positions, f), 2, -1)[:, None]", ROTATE_HALF, TAIL],
        "lengths_kept",
        MIXED,
    ),
    "concatenate with every two": (
        [
            ROPE,
            D,
            FREQUENCIES,
            "a = jnp.outer(positions, f)[:, None]",
            "angles = jnp.concatenate([a, a], -1)",
            ROTATE_TWO,
            TAIL,
        ],
        "lengths_kept",
        MIXED,
    ),
    "rotate_half without its minus": (
        [ROPE, D, FREQUENCIES, ANGLES, TWICE, ROTATE_HALF.replace("-x", "x"), TAIL],
        "lengths_kept",
        "minus sign missing in the rotation",
    ),
    "row numbers": (
        [ROPE, D, FREQUENCIES, "angles = jnp.outer(jnp.arange(len(x)), f)[:, None, :]", *PAIRED],
        "identity_at_zero",
        "positions ignored: row numbers in their place",
    ),
    "row numbers in halves": (
        [ROPE, D, FREQUENCIES, "angles = jnp.outer(jnp.arange(len(x)), f)[:, None, :]", *HALVES],
        "identity_at_zero",
        "positions ignored: row numbers in their place",
    ),
    "positions from 1 in halves": (
        [ROPE, D, FREQUENCIES, "angles = jnp.outer(positions + 1, f)[:, None, :]", *HALVES],
        "identity_at_zero",
        "positions counted from 1",
    ),
    "no axis for the heads": (
        [ROPE, D, FREQUENCIES, "angles = jnp.outer(positions, f)", *HALVES],
        "rope_shape",
        "positions along the head axis: the axis of size 1 is missing or misplaced",
    ),
    "head numbers": (
        [ROPE, D, FREQUENCIES, "angles = jnp.outer(jnp.arange(x.shape[1]), f)[None]", *PAIRED],
        "identity_at_zero",
        "turned by the head's number, not by the token's position",
    ),
    "degrees": (
        [ROPE, D, FREQUENCIES, "angles = jnp.deg2rad(jnp.outer(positions, f))[:, None]", *PAIRED],
        "fastest_pair",
        "angles taken for degrees",
    ),
    "degrees in halves": (
        [ROPE, D, FREQUENCIES, "angles = jnp.deg2rad(jnp.outer(positions, f))[:, None]", *HALVES],
        "fastest_pair",
        "angles taken for degrees",
    ),
    "a base of its own": (
        [ROPE, D, "f = 10000.0 ** (-jnp.arange(0, d, 2) / d)", ANGLES, *HALVES],
        "base_is_used",
        "a base that is written down, not the one that is given",
    ),
    "one step off": (
        [ROPE, D, "f = base ** (-jnp.arange(2, d + 2, 2) / d)", ANGLES, *PAIRED],
        "fastest_pair",
        "frequencies one step off: exponent 2(j + 1)/d",
    ),
    "growing": (
        [ROPE, D, "f = base ** (jnp.arange(0, d, 2) / d)", ANGLES, *HALVES],
        "pair_frequencies",
        "growing frequencies: exponent 2j/d without its minus, or a division too many",
    ),
    "over the width of all heads": (
        [ROPE, D, "f = base ** (-jnp.arange(0, d, 2) / (d * x.shape[1]))", ANGLES, *PAIRED],
        "pair_frequencies",
        "exponent over H·d, the width of all heads",
    ),
    "before the heads are split": (
        [
            ROPE,
            "flat = x.reshape(len(x), -1)",
            "d = flat.shape[-1]",
            FREQUENCIES,
            "c, s = jnp.cos(jnp.outer(positions, f)), jnp.sin(jnp.outer(positions, f))",
            "a, b = flat[:, 0::2], flat[:, 1::2]",
            "return jnp.stack([a * c - b * s, a * s + b * c], -1).reshape(x.shape)",
        ],
        "heads_alike",
        "turned before the heads were split",
    ),
    "half of the width": (
        [
            ROPE,
            "d = x.shape[-1] // 2",
            FREQUENCIES,
            ANGLES,
            "a, b = x[..., : d // 2], x[..., d // 2 : d]",
            "c, s = jnp.cos(angles), jnp.sin(angles)",
            "return jnp.concatenate([a * c - b * s, a * s + b * c, x[..., d:]], -1)",
        ],
        "lengths_kept",
        "only the first half of the width is turned",
    ),
    "stacked as halves": (
        [ROPE, D, FREQUENCIES, ANGLES, PAIRED[0], "return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1)"],
        "identity_at_zero",
        "pairs put back in the order of the other pairing",
    ),
    "stacked without an axis": (
        [ROPE, D, FREQUENCIES, ANGLES, PAIRED[0], PAIRED[1].replace(", axis=-1", "")],
        "identity_at_zero",
        IN_FRONT,
    ),
    "halves concatenated along the heads": (
        [ROPE, D, FREQUENCIES, ANGLES, HALVES[0], HALVES[1].replace("axis=-1)", "axis=1).reshape(x.shape)")],
        "identity_at_zero",
        IN_FRONT,
    ),
    "second coordinate from the new first": (
        [ROPE, D, FREQUENCIES, ANGLES, PAIRED[0], "a = a * cos - b * sin", "b = a * sin + b * cos", STACKED],
        "lengths_kept",
        "the second coordinate is made of the new first one",
    ),
    "the table is added": (
        [ROPE, D, FREQUENCIES, ANGLES, "a, b = jnp.sin(angles), jnp.cos(angles)", f"return x + {TABLE}"],
        "identity_at_zero",
        "sines and cosines added, not used to turn",
    ),
    "a table as long as x": (
        [ROPE, D, FREQUENCIES, "angles = jnp.outer(jnp.arange(len(x)), f)[positions][:, None]", *HALVES],
        "turns_add_up",
        "a table as long as x, read beyond its end",
    ),
    "a table of 2048": (
        [ROPE, D, FREQUENCIES, "angles = jnp.outer(jnp.arange(2048), f)[positions][:, None]", *PAIRED],
        "far_positions",
        "a table of fixed length, read beyond its end",
    ),
    "positions in bfloat16": (
        [ROPE, D, FREQUENCIES, "angles = jnp.outer(positions.astype(jnp.bfloat16), f)[:, None]", *HALVES],
        "far_positions",
        "positions kept in 16 bits",
    ),
    "angles in bfloat16": (
        [ROPE, D, FREQUENCIES, ANGLES, "angles = angles.astype(jnp.bfloat16).astype(jnp.float32)", *PAIRED],
        "turns_add_up",
        "angles computed in 16 bits",
    ),
    "from 1 and in degrees": (
        [ROPE, D, FREQUENCIES, "angles = jnp.deg2rad(jnp.outer(positions + 1, f))[:, None]", *HALVES],
        "identity_at_zero",
        "angles taken for degrees and positions counted from 1",
    ),
    "a repair that is none": (
        [REPAIRED, "return broken_rope(x, positions, base)"],
        "repaired_lengths",
        MIXED,
    ),
    "only the query": (
        [
            "own_scores = (rope(jnp.tile(query, (3, 1, 1)), places[:, 0], 100.0)[:, 0] * key).sum(-1)",
        ],
        "own_scores",
        "the query is turned and the key is not",
    ),
    "the way back": (
        ["to_halves = jnp.array([0, 4, 1, 5, 2, 6, 3, 7])"],
        "order_to_halves",
        "the order that leads back, from halves to neighbours",
    ),
}


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return load_lesson("transformers-04")


@pytest.fixture(scope="module")
def worker() -> Iterator[KeptWorker]:
    with KeptWorker() as kept:
        yield kept


def examined(lesson: Lesson, worker: KeptWorker, lines: list[str]) -> tuple[Outcome, ...]:
    solution = lesson.solution.read_text(encoding="utf-8")
    text = "".join(f"\n    {line}" for line in lines[1:])
    if lines[0] == REPAIRED:
        source = solution.replace(REPAIRED, f"{lines[0]}{text}\n\n\ndef unused(x, positions, base):", 1)
    elif lines[0].startswith("def "):
        source = with_cell(solution, Cell("wrong", f"# %% wrong\n{lines[0]}{text}"))
    else:
        name = lines[0].partition(" = ")[0]
        old = next(line for line in solution.splitlines() if line.startswith(f"{name} = "))
        source = solution.replace(old, lines[0])
    with WorkerProgram(Submission("main.py", source.encode(), "0" * 64), open_worker=worker.open) as program:
        return examine(lesson, program, seed=11)


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_fails_once_under_its_own_name(lesson: Lesson, worker: KeptWorker, name: str) -> None:
    lines, check, mistake = WRONG[name]
    outcomes = examined(lesson, worker, lines)
    assert not [one for one in outcomes if one.verdict is Verdict.INTERNAL]
    failed = [one for one in outcomes if one.max_points and one.verdict in (Verdict.FAIL, Verdict.ERROR)]
    assert failed, "it passes"
    assert failed[0].check == check
    assert " and ".join(one.title for one in failed[0].diagnosis) == mistake
    assert {one.exercise for one in failed} == {failed[0].exercise}  # the rest waits


def test_an_unforeseen_mistake_is_not_given_a_name(lesson: Lesson, worker: KeptWorker) -> None:
    lines = [ROPE, D, FREQUENCIES, "angles = jnp.outer(jnp.sqrt(1.0 * positions), f)[:, None]", *PAIRED]
    failed = [one for one in examined(lesson, worker, lines) if one.max_points and one.verdict is Verdict.FAIL]
    assert [one.check for one in failed] == ["turns_add_up"]
    assert failed[0].diagnosis == ()
    assert failed[0].witness is not None


def test_growing_frequencies_are_told_where_float32_is_too_coarse_to_name_them(
    lesson: Lesson, worker: KeptWorker
) -> None:
    lines = [
        SINUSOID,
        "div_term = jnp.exp(jnp.arange(0, width, 2) * (-jnp.log(10000.0) / width))",
        "angles = jnp.arange(length)[:, None] / div_term",
        "return jnp.stack([jnp.sin(angles), jnp.cos(angles)], -1).reshape(length, width)",
    ]
    failed = [one for one in examined(lesson, worker, lines) if one.max_points and one.verdict is Verdict.FAIL]
    assert [one.check for one in failed] == ["column_frequencies"]
    assert "Yours grow, to 1000: a minus is missing, or a division is one too many." in failed[0].message
