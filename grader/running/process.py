"""A worker as an ordinary child process with limits: the plain runner, on every platform."""

from __future__ import annotations

import importlib
import os
import queue
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from grader.errors import WorkerError
from grader.running import protocol
from grader.running.boundary import Died, Output, TimedOut
from grader.running.limits import Limits

# What a child may know of the grader's environment; the rest could hold secrets.
PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "WINDIR", "NUMBER_OF_PROCESSORS", "VIRTUAL_ENV")
PASSED_ON_PREFIXES = ("OPENBLAS_", "OMP_", "MKL_")


class PlainProcess:
    """One child; frames over pipes of its own, standard output drained and capped."""

    sandbox = "none: a separate process with limits"

    def __init__(self, limits: Limits) -> None:
        self._scratch = tempfile.mkdtemp(prefix="headwork-")
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        try:
            self._process = _start(theirs_in, theirs_out, environment(Path(self._scratch)))
        except OSError as error:
            raise WorkerError(f"{sys.executable}: the worker did not start ({error})") from error
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._frames: queue.SimpleQueue[protocol.Frame | Exception | None] = queue.SimpleQueue()
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stdout = _Drain(self._process.stdout, limits.output_kib * 1024)
        self._stderr = _Drain(self._process.stderr, limits.output_kib * 1024)
        for work in (lambda: self._receive(ours_in), lambda: self._send(ours_out)):
            threading.Thread(target=work, daemon=True).start()

    def request(self, kind: str, arrays: Sequence[np.ndarray] = (), **fields: Any) -> None:
        """Send a frame; a child that does not read it is found out by ``reply``."""
        self._requests.put(protocol.encode(kind, arrays, **fields))

    def reply(self, wall_s: float) -> protocol.Frame:
        """The next frame. Raises TimedOut after ``wall_s`` seconds, Died when there will be none."""
        try:
            item = self._frames.get(timeout=max(wall_s, 0.0))
        except queue.Empty:
            raise TimedOut from None
        if isinstance(item, protocol.ProtocolError):
            raise Died(f"something in the program wrote to the grader's channel ({item})")
        if not isinstance(item, protocol.Frame):
            raise Died(self._how_it_ended())
        return item

    def close(self) -> Output:
        """End the child with all that it started, and hand over what it printed."""
        _kill(self._process)
        self._requests.put(None)
        output = Output(self._stdout.text(), self._stderr.text(), self._stdout.truncated or self._stderr.truncated)
        shutil.rmtree(self._scratch, ignore_errors=True)
        return output

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return "the program closed the grader's channel"
        if code >= 0:
            return f"the process ended with exit code {code}"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"the process was ended by {name}"

    def _receive(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb") as stream:
            try:
                while (frame := protocol.read_frame(stream.read)) is not None:
                    self._frames.put(frame)
                self._frames.put(None)
            except (protocol.ProtocolError, OSError) as error:
                self._frames.put(error)

    def _send(self, descriptor: int) -> None:
        try:
            with os.fdopen(descriptor, "wb", buffering=0) as stream:
                while (data := self._requests.get()) is not None:
                    view = memoryview(data)
                    while view:
                        view = view[stream.write(view) or 0 :]
        except OSError:  # the child is gone: the reader finds out and says how
            pass


class _Drain:
    """Reads a stream to its end so that the child never blocks, keeping the first bytes."""

    def __init__(self, stream: IO[bytes] | None, limit: int) -> None:
        assert stream is not None
        self._stream, self._limit = stream, limit
        self._kept = bytearray()
        self.truncated = False
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        while chunk := os.read(self._stream.fileno(), 1 << 16):
            room = self._limit - len(self._kept)
            self._kept += chunk[:room]
            self.truncated |= len(chunk) > room

    def text(self) -> str:
        self._thread.join(timeout=1)  # longer only when a process that escaped still holds the pipe
        text = bytes(self._kept).decode("utf-8", "replace").replace("\r\n", "\n")
        return "".join(c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def environment(scratch: Path) -> Mapping[str, str]:
    """The child's environment: named variables only, home and temporary files in ``scratch``."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)
    }
    if site.ENABLE_USER_SITE and site.USER_BASE:
        kept["PYTHONUSERBASE"] = site.USER_BASE  # it is found through HOME otherwise
    places = dict.fromkeys(
        ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "MPLCONFIGDIR", "XDG_CACHE_HOME"), str(scratch)
    )
    return {
        **kept,
        **places,
        "JAX_PLATFORMS": "cpu",
        "MPLBACKEND": "Agg",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _start(requests: int, replies: int, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if os.name == "posix":
        return subprocess.Popen(
            _command(requests, replies), env=env, pass_fds=(requests, replies), start_new_session=True, **streams
        )
    msvcrt: Any = importlib.import_module("msvcrt")  # there on Windows alone
    handles = [msvcrt.get_osfhandle(descriptor) for descriptor in (requests, replies)]
    for handle in handles:
        os.set_handle_inheritable(handle, True)  # type: ignore[attr-defined]
    startup = subprocess.STARTUPINFO(  # type: ignore[attr-defined]
        lpAttributeList={"handle_list": handles}
    )
    return subprocess.Popen(_command(*handles), env=env, startupinfo=startup, close_fds=True, **streams)


def _command(requests: int, replies: int) -> list[str]:
    # -P: the working directory is not on sys.path, so no file of the student's can replace ours.
    return [sys.executable, "-P", "-m", "grader.running.worker", str(requests), str(replies)]


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
