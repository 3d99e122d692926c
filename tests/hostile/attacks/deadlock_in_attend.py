"""attend waits for a lock that it holds itself, deaf to signals."""

# place: after
# expect: timeout
import signal, threading

lock = threading.Lock()


def attend(q, k, v):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    lock.acquire(), lock.acquire()
