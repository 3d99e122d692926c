"""attend returns an iterable without end, of iterables without end."""

# place: after
# expect: fail|error|timeout
import itertools


def attend(q, k, v):
    return itertools.repeat(itertools.repeat(0.0))
