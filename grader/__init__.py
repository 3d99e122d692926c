"""Headwork: a graded JAX workbook on transformers."""

__version__ = "0.1.0"
