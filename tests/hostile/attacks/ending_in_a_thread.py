"""Ends threads and interrupts the main one."""

# expect: pass, event raised
import _thread, sys, threading, time

one = threading.Thread(target=sys.exit, args=(3,))
one.start(), one.join()
_thread.interrupt_main()
time.sleep(0.2)
