"""The worker is patched to send the greeting in place of an answer."""

# place: after
# expect: error
import sys

protocol = sys.modules["grader.running.protocol"]
encode = protocol.encode


def forged(kind, arrays=(), **fields):
    if kind != "values":
        return encode(kind, arrays, **fields)
    return encode("ready", python="", jax="", numpy="", warmup_s=1.0)


protocol.encode = forged
