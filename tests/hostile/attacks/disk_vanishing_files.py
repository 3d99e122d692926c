"""Makes and removes files so quickly that a listing is wrong before it ends."""

# expect: pass
import os, time

end = time.monotonic() + 1.5
while time.monotonic() < end:
    for number in range(100):
        open(f"f{number}", "wb").close()
    for number in range(100):
        os.remove(f"f{number}")
