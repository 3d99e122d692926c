"""Writes files without end, each of a size that is allowed."""

# expect: pass, event died
import itertools, time

for number in itertools.count():
    open(f"file{number}", "wb").write(bytes(1 << 22)) and time.sleep(0.02)
    if number == 60:
        print("BREACH: 240 MiB on disk", flush=True)
        break
