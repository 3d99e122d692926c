"""Leaves files and folders with names that break scripts."""

# expect: pass
import os

for name in (b"\xff\xfe", "a\nb", "a" * 255, " ", "-rf", "\x1b[31m", "café", "\u202egnp"):
    open(name, "w").close()
    os.mkdir(name + (b"d" if isinstance(name, bytes) else "d")[: 255 - len(name)] if len(name) < 255 else "b" * 255)
os.mkdir("closed", 0)
os.mkdir("../home/closed", 0)
os.umask(0o777)
open("unreadable", "w").close()
os.umask(0o022)
