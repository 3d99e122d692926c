"""Sends half a frame and sleeps."""

# expect: pass, event timeout
import os, time

os.write(4, (100).to_bytes(4, "big") + (1 << 20).to_bytes(4, "big") + b"{") and time.sleep(10**6)
