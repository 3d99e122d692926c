"""Links and moves files between its folder and the rest of the system."""

# expect: pass
import os

for target in ("{CANARY}", "{SOLUTION}", "/etc/passwd"):
    attempt(os.symlink, target, "soft")
    attempt(os.link, target, "hard")
    attempt(os.rename, target, "moved")
    attempt(os.replace, "main.py", target)
    attempt(open, target + "/../x", "w")
attempt(os.symlink, "/", "slash")
attempt(os.rename, "../home", "/tmp/headwork-moved")
attempt(os.rename, "..", "/tmp/headwork-moved")
attempt(os.rmdir, "../../headwork-none")
attempt(os.mkfifo, "pipe")
attempt(os.mknod, "device", 0o20666, os.makedev(1, 8))
