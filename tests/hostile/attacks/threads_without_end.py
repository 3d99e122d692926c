"""Starts threads until it is refused; none of them ends."""

# expect: pass, event any|error|timeout|fail
import threading, time

threading.stack_size(32768)
started = 0
try:
    while started < 30_000:
        threading.Thread(target=time.sleep, args=(10**6,)).start()
        started += 1
    print("BREACH: 30000 threads")
except BaseException as error:
    print("refused:", type(error).__name__, started)
threading.stack_size(0)
