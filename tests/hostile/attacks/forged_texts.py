"""The worker is patched to send answers with texts for the terminal."""

# place: after
# expect: error
import sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode("error", message="\x1b[2J\x1b]0;x\x07[red]\u202e\r" * 200, line=10**9)


protocol.encode = forged
