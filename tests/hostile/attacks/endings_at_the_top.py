"""Ends the process at once, in three ways; each costs only its own statement."""

# expect: pass, event died
import ctypes, os, signal

os._exit(0)
ctypes.string_at(0)
os.kill(os.getpid(), signal.SIGKILL)
