"""Leaves trace and profile functions behind, changes the recursion limit and the collector."""

# expect: pass
import gc, sys, threading


def trace(frame, event, argument):
    return None


sys.settrace(trace), sys.setprofile(trace), threading.settrace(trace), threading.setprofile(trace)
gc.disable(), gc.set_threshold(0)
sys.setswitchinterval(1e-6)
sys.setrecursionlimit(10**6)
