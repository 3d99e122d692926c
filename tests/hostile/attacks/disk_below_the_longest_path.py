"""Writes without end into a folder whose path is too long to be named."""

# expect: pass, event died|pass, event timeout
import itertools, os, time

for _ in range(30):
    os.mkdir("d" * 200) or os.chdir("d" * 200)
for number in itertools.count():
    open(f"file{number}", "wb").write(bytes(1 << 22)) and time.sleep(0.02)
    if number == 60:
        print("BREACH: 240 MiB on disk", flush=True)
        break
