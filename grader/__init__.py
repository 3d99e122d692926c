"""Headwork: a graded JAX workbook on transformers."""

__version__ = "0.1.0"


def load_ipython_extension(shell: object) -> None:
    """What ``%load_ext grader`` calls in a notebook: gives it the magic %grade."""
    from grader.study.notebooks.kernel import register

    register(shell)
