"""Sends valid frames for ever: there is always one more to read when its time is over."""

# expect: pass, event timeout|pass, event died|timeout
import os, sys

frames = sys.modules["grader.running.protocol"].encode("statement", index=9**9, line=9**9, names="x") * 500
while True:
    os.write(4, frames)
