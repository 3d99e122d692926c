"""Forks as fast as it can."""

# expect: pass
import os, time

born = 0
for _ in range(5000):
    try:
        if (pid := os.fork()) == 0:
            time.sleep(60)
            os._exit(0)
        born += 1
    except OSError:
        pass
    if born > 50:
        break
if born:
    print("BREACH:", born, "processes")
