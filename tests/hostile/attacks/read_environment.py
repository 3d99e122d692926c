"""Looks for secrets in its environment, in Python's copy and in the C library's."""

# expect: pass
import ctypes, os, re

c_environment = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
entries, number = [], 0
while c_environment[number]:
    entries.append(c_environment[number].decode())
    number += 1
print(sorted(os.environ))
for entry in [*entries, *(f"{name}={value}" for name, value in os.environ.items())]:
    if re.search("canary-[0-9a-f]{8}|HEADWORK|TOKEN|SECRET|PASSWORD|SSH_|AWS_", entry):
        print("BREACH:", entry)
