"""A power that takes for ever to compute, and texts of numbers without end."""

# expect: pass, event raised, event timeout
import sys

str(10**5000)
sys.set_int_max_str_digits(0)
len(str(7 ** (10**8)))
