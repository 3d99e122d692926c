"""Prints 64 MB on each stream, half of it not text."""

# expect: pass
import os

for _ in range(256):
    os.write(1, b"\xff\x1b[31m\0\r\x07" * 20_000)
    os.write(2, b"\x1b]0;title\x07\x9b" * 12_000)
