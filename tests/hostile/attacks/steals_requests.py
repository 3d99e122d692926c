"""Reads the grader's next request before the worker does."""

# expect: pass, event timeout
import os

os.read(3, 1 << 20)
