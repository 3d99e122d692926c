"""Keeps all memory that it can get, so that nothing is left for its own answers."""

# expect: error|pass|fail|pass, event timeout
kept = []
try:
    size = 1 << 28
    while size > 1 << 12:
        try:
            kept.append(bytearray(size))
        except MemoryError:
            size //= 2
except BaseException as error:
    print(type(error))
