"""Says finished too early: the rest of its run comes as answers."""

# expect: error
import os, sys

encode = sys.modules["grader.running.protocol"].encode
os.write(4, encode("finished") * 2)
