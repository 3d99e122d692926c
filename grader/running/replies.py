"""What a worker's answer means for the one who asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from grader.model import Event, Reply
from grader.place import place
from grader.running.ending import Died
from grader.running.protocol import Frame

Located = TypeVar("Located", Event, Reply)


def understood(frame: Frame, outputs: int, said: Callable[[str, int | None], str]) -> Reply:
    """The reply that ``frame`` is to a question for ``outputs`` arrays; ``said`` words what the interpreter said.

    Raises Died for a frame that answers nothing.
    """
    message = frame.fields.get("message", "")
    match frame.kind:
        case "values" if len(frame.arrays) == outputs:
            return Reply("values", frame.arrays, message=frame.fields["note"])
        case "absent" | "unfilled" | "refused":
            return Reply(frame.kind, message=message)
        case "error":
            line = frame.fields["line"] or None
            return Reply("error", message=said(message, line), line=line)
    raise Died("something in the program wrote to the grader's channel")


def placed(one: Located, cells: Sequence[int]) -> Located:
    """An event or reply with its line counted in the cell of a notebook, where it was that of the source."""
    line, cell = place(one.line, cells)
    return replace(one, line=line, cell=cell)
