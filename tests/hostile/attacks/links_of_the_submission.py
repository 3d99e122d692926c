"""Follows links that the student put beside main.py; they were not copied."""

# expect: pass
import os

print(sorted(os.listdir(".")))
for name in ("link.txt", "folder_link/canary.txt", "loop", "pipe", "inner/link.txt"):
    attempt(open, name)
if open("data.txt").read() != "mine":
    print("BREACH: own data is not there")
