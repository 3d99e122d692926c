"""Ignores and blocks every signal, and loops."""

# expect: pass, event timeout
import signal

for one in signal.valid_signals():
    one in (signal.SIGKILL, signal.SIGSTOP) or signal.signal(one, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
while True:
    pass
