"""attend recurses for ever with the limit removed."""

# place: after
# expect: error|timeout
import sys

sys.setrecursionlimit(10**9)


def attend(q, k, v):
    return attend(q, k, v)
