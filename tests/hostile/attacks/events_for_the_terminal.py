"""Reports errors that would drive a terminal, with impossible lines."""

# expect: pass, event any|error, event any
import os, sys

encode = sys.modules["grader.running.protocol"].encode
for line in (-1, 0, 10**9, -(10**4000), 10**4000):
    os.write(
        4,
        encode(
            "event",
            event="raised",
            line=line,
            names="\x1b",
            message="\x1b[2J\x1b]0;x\x07 [red]bold[/red] \u202e \ud800 \r\n\b",
        ),
    )
os.write(4, encode("statement", index=10**4000, line=10**4000, names=" " * 4000))
