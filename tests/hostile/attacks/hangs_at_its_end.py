"""Registers code for the end of the process that never ends."""

# expect: pass
import atexit, signal, threading, weakref


def forever(*_):
    while True:
        pass


atexit.register(forever)
threading._register_atexit(forever)
signal.signal(signal.SIGTERM, forever)


class Clingy:
    def __del__(self):
        forever()


clinging = Clingy()
weakref.finalize(clinging, forever)
