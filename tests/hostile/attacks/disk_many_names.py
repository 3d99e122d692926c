"""Makes empty files without end."""

# expect: pass, event died
import itertools

for number in itertools.count():
    open(f"file{number}", "wb").close() or number > 200_000 and print("BREACH: files")
