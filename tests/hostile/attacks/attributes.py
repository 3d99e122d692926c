"""Changes modes, owners, times and attributes, of its own files and of others."""

# expect: pass
import os

for path in ("main.py", "..", "{CANARY}", "{SOLUTION}", os.__file__):
    attempt(os.chmod, path, 0o4777)
    attempt(os.chown, path, 1, 1)
    attempt(os.lchown, path, 0, 0)
    attempt(os.utime, path)
    attempt(os.setxattr, path, "user.a", b"b")
    attempt(os.removexattr, path, "user.a")
    attempt(os.truncate, path if path not in ("main.py", "..") else "/etc/passwd", 0)
handle = os.open("main.py", os.O_RDONLY)
attempt(os.fchmod, handle, 0o777)
attempt(os.fchown, handle, 0, 0)
