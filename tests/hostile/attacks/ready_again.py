"""Says ready once more, and then finished, before its time."""

# expect: pass, event any|error, event any
import os, sys

encode = sys.modules["grader.running.protocol"].encode
os.write(4, encode("ready", python="9", jax="9", numpy="9", warmup_s=1e300))
