"""Ends with the exit code that the worker itself uses for a child that could not be confined."""

# expect: pass, event died
# says: exit code 97
import os

os._exit(97)
