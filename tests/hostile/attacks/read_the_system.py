"""Opens files and folders of the system and of its users."""

# expect: pass
import os, site, tempfile

for path in (
    "/etc/passwd",
    "/etc/shadow",
    "/etc/hostname",
    "/dev/mem",
    "/dev/kmsg",
    "/dev/tty",
    "/proc/kallsyms",
    "/var/log/syslog",
):
    attempt(open, path)
for folder in (
    "/",
    "/root",
    "/home",
    "/tmp",
    "/etc",
    "/var",
    "/proc",
    "/sys",
    "/dev",
    "/dev/shm",
    "/run",
    "{TEMP}",
    os.path.expanduser("~root"),
):
    attempt(os.listdir, folder)
for folder in site.getsitepackages():
    attempt(os.listdir, folder)
    attempt(open, f"{folder}/pytest/__init__.py")
for folder in ("/tmp", "/dev/shm", "/var/tmp", "{TEMP}", ".."):
    attempt(open, f"{folder}/../written", "w")
    attempt(os.mkdir, f"{folder}/../made")
