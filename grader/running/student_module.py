"""One submission inside the worker: its statements run, one after another."""

from __future__ import annotations

import ast
import linecache
import os
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from grader.running import protocol, source
from grader.running.answers import Answers, cut, flush
from grader.running.listing import Listing

Write = Callable[[bytes], None]


class StudentModule:
    """A submission as a module named ``__main__``.

    ``answers`` answers questions about it once it has run.
    """

    def __init__(
        self,
        frame: protocol.Frame,
        write: Write,
        *,
        answering: Callable[[dict[str, Any], Listing], Answers],
    ) -> None:
        self._source = frame.arrays[0].tobytes()
        self._path: str = frame.fields["path"]
        self._skip = frozenset(frame.fields["skip"])
        self._write = write
        self._module = types.ModuleType("__main__")
        self._module.__file__ = self._path
        text = self._source.decode("utf-8", "replace")
        self._listing = Listing({self._path: 0}.get, text, tuple(map(int, frame.arrays[1])))
        self._answering = answering
        sys.modules["__main__"] = self._module
        sys.argv = [self._path]
        if folder := frame.fields["folder"]:
            os.chdir(folder)
            # At the end: a neighbour called random.py must not replace the library.
            sys.path.append(folder)

    @property
    def answers(self) -> Answers:
        """What answers about the names as they are now."""
        return self._answering(self._names, self._listing)

    @property
    def _names(self) -> dict[str, Any]:
        return self._module.__dict__

    def run(self) -> None:
        """Run the top-level statements in order; report those that raise and go on."""
        try:
            tree = ast.parse(self._source, self._path)
            flags = compile(tree, self._path, "exec", dont_inherit=True).co_flags & _FUTURE_FLAGS
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self._event("unreadable", getattr(error, "lineno", None), "", self._listing.describe(error))
            return
        self._listing = replace(self._listing, tree=tree)
        text = self._listing.text
        linecache.cache[self._path] = (len(text), None, text.splitlines(keepends=True), self._path)
        self._names["__doc__"] = ast.get_docstring(tree, clean=False)
        suspects = source.functions_used(tree, self._skip)
        for index, statement in enumerate(tree.body):
            if index in self._skip:
                continue
            bound = " ".join(sorted(set(source.bound_names(statement))))[: protocol.TEXT_LIMIT]
            if used := sorted(suspects & source.used_names(statement)):
                self._event("unrun", statement.lineno, bound, f"was not run, since it uses {used[0]} too")
                continue
            self._write(protocol.encode("statement", index=index, line=statement.lineno, names=bound))
            try:
                code = compile(ast.Module([statement], []), self._path, "exec", flags, dont_inherit=True)
                exec(code, self._names)  # noqa: S102 - running it is what this process is for
            except SystemExit as error:
                self._event(
                    "exit",
                    self._listing.line_of(error) or statement.lineno,
                    bound,
                    "sys.exit()" if error.code is None else f"sys.exit({error.code!r})",
                )
            except BaseException as error:
                self._event(
                    "raised", self._listing.line_of(error) or statement.lineno, bound, self._listing.describe(error)
                )
            flush()

    def _event(self, event: str, line: int | None, names: str, message: str) -> None:
        self._write(protocol.encode("event", event=event, line=line or 0, names=names, message=cut(message)))


_FUTURE_FLAGS = 0
for _feature in __import__("__future__").all_feature_names:
    _FUTURE_FLAGS |= getattr(__import__("__future__"), _feature).compiler_flag
