"""Leaves two busy threads behind that are no daemons."""

# expect: pass|timeout|pass, event timeout
import threading

for _ in range(2):
    threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()
