"""attend allocates without end."""


# place: after
# expect: error
def attend(q, k, v):
    return [bytearray(1 << 28) for _ in iter(int, 1)], None
