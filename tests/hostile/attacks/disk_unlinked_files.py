"""Fills the disk with files that have no name any more: no listing shows them."""

# expect: pass, event raised|error|fail
import os, time


def hide():
    held = []
    try:
        for number in range(60):
            held.append(os.open("hidden", os.O_CREAT | os.O_RDWR))
            os.write(held[-1], bytes(1 << 22))
            os.remove("hidden")
            time.sleep(0.02)
        print("BREACH: 240 MiB on disk that no listing shows")
    finally:
        for one in held:
            os.close(one)


hide()
