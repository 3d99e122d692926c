"""Starts processes and programs in every way, from the C library up to pools."""

# expect: pass
# machine: x86_64
import concurrent.futures, multiprocessing, os, pty, subprocess, sys, time


def born(make):
    if make() == 0:
        time.sleep(60)
        os._exit(0)
    return "a process"


attempt(born, os.fork)
attempt(born, lambda: pty.fork()[0])
attempt(born, lambda: os.forkpty()[0])
for flags in (17, 0, 0x100, 0x4000 | 17, 0x4111, 0x8000 | 17, 0x10000000 | 17, 0x20000000 | 17, 0x80000000 | 17):
    kernel(56, flags, 0, 0, 0, 0)  # clone without a thread
kernel(58)  # vfork
kernel(435, 0, 0)  # clone3
for flags in (0x10000000, 0x20000000, 0x40000000, 0x20000, 0x80):
    kernel(56, flags | 0x10000 | 0x800 | 0x100, 0, 0, 0, 0)  # a thread in a namespace of its own
attempt(os.posix_spawn, "/bin/true", ["true"], {})
attempt(os.posix_spawnp, "true", ["true"], {})
attempt(os.execv, "/bin/true", ["true"])
attempt(os.execv, sys.executable, ["python", "-c", "print('BREACH: exec')"])
attempt(subprocess.run, ["/bin/true"])
attempt(lambda: subprocess.run("true", shell=True))
attempt(os.popen, "echo BREACH")
print("shell:", "BREACH" if os.system("echo BREACH") == 0 else "refused")


def double(x):
    return 2 * x


attempt(multiprocessing.Pool, 1)
attempt(lambda: concurrent.futures.ProcessPoolExecutor(1).submit(double, 1).result(timeout=5))
