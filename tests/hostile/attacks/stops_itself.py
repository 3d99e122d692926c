"""Stops itself, so that it does not even loop."""

# expect: pass, event timeout
import os, signal

os.kill(os.getpid(), signal.SIGSTOP)
