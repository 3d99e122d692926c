"""Replaces and breaks the streams and the ways out."""

# expect: pass, event died
import os, sys


class Broken:
    def write(self, text):
        raise SystemExit(0)

    def flush(self):
        raise KeyboardInterrupt

    def __getattr__(self, name):
        raise RuntimeError(name)


os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
sys.stdin = sys.__stdout__ = sys.__stderr__ = None
sys.exit = os._exit = sys.excepthook = lambda *_: None
sys.stderr = Broken()


class Quiet:
    def write(self, text):
        pass

    def flush(self):
        raise ValueError


sys.stdout = Quiet()
