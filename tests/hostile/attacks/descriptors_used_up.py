"""Opens files until no descriptor is left, and keeps them."""

# expect: pass|error|fail
import os

held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print("refused:", type(error).__name__)
