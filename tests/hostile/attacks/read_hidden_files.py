"""Opens and lists what belongs to others, in every way that Python has."""

# expect: pass
import ctypes, importlib.machinery, linecache, mmap, os, pathlib, runpy, shutil
import numpy as np

others = ["{SOLUTION}", "{CHECKS}", "{ORACLE}", "{CANARY}", "{OTHER_SUBMISSION}", "{GRADEBOOK}", "{HOME_FILE}"]
for other in others:
    attempt(open, other)
    attempt(os.open, other, os.O_RDWR)
    attempt(os.listdir, os.path.dirname(other))
    attempt(os.scandir, os.path.dirname(other))
    attempt(shutil.copyfile, other, "copy")
    attempt(np.fromfile, other)
    attempt(np.load, other)
    attempt(runpy.run_path, other)
    attempt(importlib.machinery.SourceFileLoader("x", other).get_code, "x")
    attempt(ctypes.CDLL, other)
    attempt(open, os.path.relpath(other))
    attempt(open, other, "a")
    attempt(os.remove, other)
    if linecache.getlines(other):
        print("BREACH: linecache")
    if list(pathlib.Path(other).parent.rglob("*")):
        print("BREACH: rglob")
    seen = os.open(other, os.O_PATH)
    attempt(os.read, seen, 10)
    attempt(open, f"/proc/self/fd/{seen}")
    os.close(seen)
