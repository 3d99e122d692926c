"""Pickles that are deep, large or call something."""

# expect: pass
import os, pickle


class Call:
    def __reduce__(self):
        return os.system, ("echo BREACH",)


print("shell:", "BREACH" if pickle.loads(pickle.dumps(Call())) == 0 else "refused")
attempt(pickle.loads, b"\x80\x04\x8d" + (1 << 62).to_bytes(8, "little"))
attempt(pickle.loads, b"(" * 10**6)
try:
    pickle.loads(b"\x80\x02" + b"]" * 10**5 + b"a" * (10**5 - 1) + b".")
except Exception as error:
    print(error)
