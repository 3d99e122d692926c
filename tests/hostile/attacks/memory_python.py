"""Allocates until it is refused, gives it back, goes on."""


# expect: pass|pass, event timeout
def fill():
    held = []
    for make in (bytearray, lambda size: [None] * (size // 64)):
        try:
            for _ in range(200):
                held.append(make(1 << 28))
            print("BREACH: 50 GiB")
        except MemoryError:
            print("refused: MemoryError")
        held.clear()


fill()
