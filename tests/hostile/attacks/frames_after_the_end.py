"""A thread sends frames between the answers."""

# place: after
# expect: fail|error|pass
import os, sys, threading, time

encode = sys.modules["grader.running.protocol"].encode


def disturb():
    for _ in range(200):
        os.write(4, encode("finished"))
        os.write(4, encode("unfilled", message="x"))
        time.sleep(0.01)


threading.Thread(target=disturb, daemon=True).start()
