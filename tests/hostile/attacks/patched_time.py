"""Stops all clocks of the process."""

# expect: pass|timeout
import time

time.time = time.monotonic = time.perf_counter = time.process_time = time.time_ns = lambda: 0
