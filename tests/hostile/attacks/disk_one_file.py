"""Writes one file without end."""

# expect: pass, event raised
with open("big", "wb") as stream:
    for _ in range(4096):
        stream.write(bytes(1 << 20))
    print("BREACH: 4 GiB")
