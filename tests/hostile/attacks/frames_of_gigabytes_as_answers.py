"""attend answers with arrays as large as a frame may be, each time."""

# place: after
# expect: fail|error|timeout
import numpy as np

large = np.zeros((3, 1 << 19), np.float32)


def attend(q, k, v):
    return large, large
