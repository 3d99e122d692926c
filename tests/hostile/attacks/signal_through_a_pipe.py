"""Makes the worker the owner of a pipe, so that the kernel kills it when data come."""

# expect: pass
import fcntl, os, signal, time

for owner in (os.getppid(), -os.getpgid(os.getppid())):
    reading, writing = os.pipe()
    try:
        fcntl.fcntl(reading, fcntl.F_SETOWN, owner)
        fcntl.fcntl(reading, 10, signal.SIGKILL)  # F_SETSIG
        fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)
    except OSError as error:
        print("refused:", error)
    os.write(writing, b"x")
    time.sleep(0.1)
    if os.getppid() == 1:
        print("BREACH: the worker is dead")
