"""Long texts through the terminal's pager, plain ones where there is none."""

from __future__ import annotations

import contextlib
import os
import pydoc
import shutil
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.pager import Pager

# Ends by itself when everything fits, passes colours on, leaves the text on the screen.
LESS = "less -FRX"


class Less(Pager):
    """less, which shows colours; Ctrl-C is its own."""

    def show(self, content: str) -> None:
        """Show ``content`` until the reader has had enough."""
        pydoc.pipepager(content, LESS)


@contextlib.contextmanager
def paged(screen: Console) -> Iterator[Console]:
    """What is printed in here is paged on a terminal: by $PAGER, else less, else what Python finds."""
    if not screen.is_terminal or screen.is_dumb_terminal or not sys.stdin.isatty():
        yield screen
    elif "PAGER" not in os.environ and shutil.which("less"):
        with screen.pager(Less(), styles=True):
            yield screen
    else:
        with screen.pager(styles="less" in os.environ.get("PAGER", "") and "R" in os.environ.get("LESS", "")):
            yield screen
