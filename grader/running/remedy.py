"""What to do about an interpreter's message: the sentence that a learner needs after it."""

from __future__ import annotations

import re

# A pattern of the message -> what to do. The first that matches is used.
REMEDIES: tuple[tuple[str, str], ...] = (
    (r"^EOFError", "Nobody can answer input() while the file is graded: set the value in the file instead."),
    (
        r"JAX arrays are immutable|does not support item assignment",
        "Write x = x.at[i].set(value): JAX arrays never change.",
    ),
    (r"No module named '(torch|tensorflow)", "This workbook uses JAX: the file has to work with jax and numpy alone."),
    (
        r"No module named 'grader",
        "The grader is not part of a submission: the file has to work with jax and numpy alone.",
    ),
    (r"No module named", "The file has to work with the packages of the lesson; is the name spelled right?"),
    (
        r"values to unpack \(expected 2",
        "What is unpacked here does not hold two values: does the function end with return output, weights?",
    ),
    (
        r"non-tuple sequence for multidimensional indexing",
        "Index a JAX array with an array: order = jnp.array([2, 0, 1]).",
    ),
    (r"unexpected keyword argument '(dim|keepdim)'", "That is PyTorch's word: JAX says axis= and keepdims=."),
    (
        r"jax.numpy' has no attribute '(softmax|relu|gelu|silu|one_hot)'",
        "It is in jax.nn: jax.nn.softmax(scores, axis=-1).",
    ),
    (
        r"has no attribute '(unsqueeze|masked_fill|contiguous|size|expand|permute|float)'",
        "That is PyTorch's spelling: JAX arrays have NumPy's methods.",
    ),
    (
        r"out of bounds for array of dimension 1\b|operand shape \w+\[\d+\]",
        "This array has a single axis: jnp.repeat without axis= makes one long row of everything.",
    ),
    (
        r"Shapes must be 1D sequences of concrete values",
        "A size has to be a Python whole number: divide with //, and under jit declare such arguments static.",
    ),
    (r"truth value of an array", "if needs one yes or no: ask for an optional array with if mask is not None."),
    (
        r"has no attribute 'transpose'|axes don't match array|transpose permutation",
        "The transpose of a matrix is k.T; axes are swapped by k.swapaxes(-1, -2).",
    ),
    (r"^TypeError: (mul|div|add|sub) got incompatible shapes", "* works entry by entry; the matrix product is @."),
    (
        r"Incompatible shapes for broadcasting",
        "Write the two shapes right-aligned: sizes agree or are 1 (keepdims=True).",
    ),
    (r"name 'softmax' is not defined|has no attribute 'softmax'", "It is jax.nn.softmax(scores, axis=-1)."),
    (r"name 'np' is not defined", "This file has imported jax.numpy as jnp."),
    (r"cannot unpack non-iterable NoneType", "The function returned nothing: it has to end with a return."),
    (r"Indexer must have integer|used as indices must be of integer", "An index is made of whole numbers: 2, not 2.0."),
    (r"got <class 'tuple'>", "k.shape is a tuple of sizes: the width is k.shape[-1]."),
    (r"ellipsis", "Something it uses is still `...`: fill in the TODO above it first."),
    (
        r"TracerBool|ConcretizationTypeError|TracerArrayConversion|TracerInteger",
        "Inside jit, values are not known yet: use jnp.where instead of if, and jnp instead of np.",
    ),
    (
        r"dot_general requires contracting|matmul: Input operand|Incompatible types for matmul|shapes .* not aligned"
        r"|incompatible shapes",
        "Write the two shapes side by side: the inner sizes of a product have to agree.",
    ),
    (r"^RecursionError", "The function calls itself without coming to an end."),
    (r"^MemoryError|RESOURCE_EXHAUSTED|Out of memory", "It asked for more memory than a submission may use."),
    (r"null bytes", "The file is not plain text: save it as UTF-8 (an editor wrote UTF-16 or binary data)."),
    (r"codec can't decode|Non-UTF-8", "Save the file as UTF-8."),
    (r"inconsistent use of tabs|TabError", "Indent with four spaces everywhere; most editors can convert tabs."),
    (
        r"invalid character '[\u2018\u2019\u201c\u201d\u201e]",
        "Type straight quotes ' or \": these come from a word processor.",
    ),
    (r"invalid non-printable character", "Delete the invisible character: it was pasted from a page or a PDF."),
    (r"^IndentationError", "Check the spaces at the start of the line."),
)

MERGE_MARKER = re.compile(rb"^(<{7}|={7}|>{7})(\s|$)", re.MULTILINE)


def with_remedy(message: str, source: bytes, line: int | None) -> str:
    """``message`` as a sentence, followed by what to do about it where that is known."""
    sentence = _remedy(message, source, line)
    return f"{message.rstrip('.')}. {sentence}" if sentence else message


def _remedy(message: str, source: bytes, line: int | None) -> str:
    if message.startswith("SyntaxError") and (marker := MERGE_MARKER.search(source)):
        where = source.count(b"\n", 0, marker.start()) + 1
        return f"Line {where} holds a merge marker: keep one of the two versions and delete the markers."
    for pattern, sentence in REMEDIES:
        if re.search(pattern, message):
            at = undecodable_line(source) if "codec" in pattern else None
            return sentence + (f" The first character that is not is in line {at}." if at else "")
    return ""


def undecodable_line(source: bytes) -> int | None:
    """The line of the first byte that is not UTF-8."""
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        return source.count(b"\n", 0, error.start) + 1
    return None
