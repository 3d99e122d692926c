"""A regular expression that backtracks for ever; no signal handler of Python's runs meanwhile."""

# expect: pass, event timeout
import re

re.match(r"(a+)+$", "a" * 64 + "b")
