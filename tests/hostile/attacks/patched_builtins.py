"""Replaces what all Python code rests on; it can only harm its own answers."""

# expect: pass|fail|error|timeout|todo
import builtins

builtins.isinstance = lambda *_: True
builtins.len = lambda _: 0
builtins.type = lambda *_: int
builtins.open = builtins.compile = builtins.print = None
