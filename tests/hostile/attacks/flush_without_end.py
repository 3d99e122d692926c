"""A standard output whose flush never comes back."""

# expect: pass, event timeout
import sys


class Waiting:
    def write(self, text):
        pass

    def flush(self):
        while True:
            pass


sys.stdout = Waiting()
