"""Closes everything and sleeps: the channel has ended and the process has not."""

# expect: pass, event died
import os, time

os.closerange(0, 100) or time.sleep(10**6)
