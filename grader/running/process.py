"""A worker as an ordinary child process with limits: the plain runner, on every platform."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy as np

from grader.errors import WorkerError
from grader.running import protocol
from grader.running.channel import Channel
from grader.running.ending import Output
from grader.running.environment import environment
from grader.running.limits import Limits
from grader.running.scratch import Scratch


class PlainProcess:
    """One child that starts Python and JAX for itself; a final Worker."""

    sandbox = "none: a separate process with limits"

    def __init__(self, limits: Limits, extra_environment: Mapping[str, str] | None = None) -> None:
        self.scratch = Scratch(limits.disk_mib)
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        env = {**environment(self.scratch.home), **(extra_environment or {})}
        try:
            self._process = _start(theirs_in, theirs_out, limits.memory_mib, env)
        except OSError as error:
            self.scratch.remove()
            raise WorkerError(f"{sys.executable}: the worker did not start ({error})") from error
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._channel = Channel(
            requests=ours_out,
            replies=ours_in,
            stdout=_taken(self._process.stdout),
            stderr=_taken(self._process.stderr),
            output_limit=limits.output_kib * 1024,
            ended=self._how_it_ended,
            watch=self.scratch.check_quota,
        )

    def request(self, kind: str, arrays: Sequence[np.ndarray] = (), **fields: Any) -> None:
        """See Worker."""
        self._channel.request(kind, arrays, **fields)

    def reply(self, wall_s: float) -> protocol.Frame:
        """See Worker."""
        return self._channel.reply(wall_s)

    def close(self) -> Output:
        """See Worker."""
        _kill(self._process)
        output = self._channel.finish()
        self.scratch.remove()
        return output

    def _how_it_ended(self) -> str:
        try:
            return how_it_ended(self._process.wait(timeout=2))
        except subprocess.TimeoutExpired:
            return "the program closed the grader's channel"


# The codes with which Windows ends a process that did what a signal is for elsewhere.
WINDOWS_FAULTS = {
    0xC0000005: "an access to memory that is not its own",
    0xC0000017: "a lack of memory",
    0xC000001D: "an instruction that this processor lacks",
    0xC00000FD: "a recursion that filled the stack",
}


def how_it_ended(code: int) -> str:
    """A return code as subprocess gives it, in words: negative ones are signals."""
    if fault := WINDOWS_FAULTS.get(code):
        return f"the process was ended by {fault} ({code:#x})"
    if code >= 0:
        return f"the process ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"the process was ended by {name}"


def _taken(stream: IO[bytes] | None) -> int:
    """The descriptor of a pipe, which from now on is the caller's to close."""
    assert stream is not None
    with stream:
        return os.dup(stream.fileno())


def _start(requests: int, replies: int, memory_mib: int, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if os.name == "posix":
        command = _command(requests, replies, memory_mib)
        return subprocess.Popen(command, env=env, pass_fds=(requests, replies), start_new_session=True, **streams)
    msvcrt: Any = importlib.import_module("msvcrt")  # there on Windows alone
    handles = [msvcrt.get_osfhandle(descriptor) for descriptor in (requests, replies)]
    for handle in handles:
        os.set_handle_inheritable(handle, True)  # type: ignore[attr-defined]
    startup = subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles})  # type: ignore[attr-defined]
    command = _command(handles[0], handles[1], memory_mib)
    # A console of its own, which nobody sees: Ctrl-C reaches the grader alone, as with a session of its own.
    flags: int = subprocess.CREATE_NO_WINDOW  # type: ignore[attr-defined]
    return subprocess.Popen(command, env=env, startupinfo=startup, close_fds=True, creationflags=flags, **streams)


def _command(requests: int, replies: int, memory_mib: int) -> list[str]:
    # -P: the working directory is not on sys.path, so no file of the student's can replace ours.
    return [sys.executable, "-P", "-m", "grader.running.worker", str(requests), str(replies), str(memory_mib)]


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process with all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError, FileNotFoundError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)  # noqa: S607
    process.kill()
    process.wait()
