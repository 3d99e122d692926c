"""Promises four gigabytes, and begins to send them."""

# expect: pass, event died
import os

os.write(4, b"\xff" * 8 + b"x" * 1000)
