"""Reports errors more quickly than the grader can look for what to say about them."""

# expect: pass, event timeout|pass, event died|pass, event any|error|timeout
import os, sys

encode = sys.modules["grader.running.protocol"].encode
frames = encode("event", event="raised", line=1, names="", message="shapes " * 570) * 14
while True:
    os.write(4, frames)
