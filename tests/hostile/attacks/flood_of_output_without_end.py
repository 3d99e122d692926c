"""Prints for ever."""

# expect: pass, event timeout
import os

while True:
    os.write(1, b"y" * 65536), os.write(2, b"n" * 65536)
