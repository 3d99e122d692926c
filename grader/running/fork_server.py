"""The warm worker: a process that has imported JAX, started no backend, and forks one child per submission.

It holds nothing secret: no lesson, oracle or seed ever comes here. Each child has pipes of its own, confines
itself before it reads student code, and dies. Messages on the control socket are JSON; requests carry descriptors:

    grader: {"child": n, "scratch": …, "memory_mib": …, "disk_mib": …, "cpu_s": …} + requests, replies, stdout, stderr
            {"kill": n}
    worker: {"ready": 1, "warmup_s": …, "protections": {name: whether it holds}, "reason": …}    once
            {"ended": n, "status": wait status, "cpu_s": …}    per child
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
from collections.abc import Sequence
from importlib.machinery import FileFinder
from pathlib import Path
from typing import Any

from grader.running import compile_cache, confinement, worker
from grader.running.boundary import CONFINEMENT_FAILED, MESSAGE_LIMIT
from grader.running.environment import places


def main(control: socket.socket, cache: Sequence[Path], preload: Sequence[str]) -> None:
    """Warm up, then fork a child for each request until the grader closes the socket."""
    warmup_s = worker.warm_up({key: program for folder in cache for key, program in compile_cache.entries(folder)})
    for name in preload:
        importlib.import_module(name)
    _freeze_finders()
    gc.collect()
    gc.freeze()  # a collection in a child would go through all of JAX: 70 ms
    readable = confinement.readable_paths()
    protections, reason = _prove(readable)
    ready = {"ready": 1, "warmup_s": warmup_s, "protections": protections, "reason": reason}
    control.sendall(json.dumps(ready).encode())
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, MESSAGE_LIMIT, 4)
        if not message:
            return
        request = json.loads(message)
        if "child" in request:
            _serve_one(control, request, descriptors, readable, warmup_s)


def _serve_one(
    control: socket.socket, request: dict[str, Any], pipes: list[int], readable: tuple[str, ...], warmup_s: float
) -> None:
    """Fork the child of one request, wait for its end or the order to end it, report."""
    _assert_no_backend()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        code = CONFINEMENT_FAILED
        try:
            control.close()
            _become_child(request, pipes, readable, parent)
            code = 1
            worker.serve(3, 4, warmup_s=warmup_s)
            code = 0
        except OSError as error:
            os.write(2, f"{error}\n".encode())
        finally:
            os._exit(code)
    for descriptor in pipes:
        os.close(descriptor)
    ending = os.pidfd_open(pid)
    waiting: list[Any] = [ending, control]
    while True:
        readable_now, _, _ = select.select(waiting, [], [])
        if ending in readable_now:
            break
        order = control.recv(MESSAGE_LIMIT)
        if not order or json.loads(order).get("kill") == request["child"]:
            signal.pidfd_send_signal(ending, signal.SIGKILL)
            waiting = [ending]
    _, status, usage = os.wait4(pid, 0)
    os.close(ending)
    report = {"ended": request["child"], "status": status, "cpu_s": usage.ru_utime + usage.ru_stime}
    control.sendall(json.dumps(report).encode())


def _prove(readable: tuple[str, ...]) -> tuple[dict[str, bool], str]:
    """Which protections hold in a child that is confined as all will be, and why none does where none can."""
    if reason := confinement.unavailable():
        return {}, reason
    reading, writing = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            policy = confinement.Policy(readable, os.environ["HOME"], memory_mib=4096, disk_mib=1, cpu_s=10)
            confinement.confine(policy, parent)
            report: tuple[dict[str, bool], str] = confinement.trial(parent), ""
        except Exception as error:
            report = {}, str(error)
        os.write(writing, json.dumps(report).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        protections, reason = json.loads(stream.read() or b'[{}, "the child could not be confined"]')
    os.waitpid(pid, 0)
    return protections, reason


def _become_child(request: dict[str, Any], pipes: list[int], readable: tuple[str, ...], parent: int) -> None:
    """Keep only the pipes, as 0 to 4, then confine this process for good."""
    scratch = request["scratch"]
    requests, replies, stdout, stderr = (_above(descriptor) for descriptor in pipes)
    null = _above(os.open(os.devnull, os.O_RDONLY))
    for target, descriptor in enumerate((null, stdout, stderr, requests, replies)):
        os.dup2(descriptor, target)
    os.closerange(5, os.sysconf("SC_OPEN_MAX"))
    os.environ.update(places(Path(scratch) / "home"))
    os.chdir(scratch)
    policy = confinement.Policy(
        readable, scratch, memory_mib=request["memory_mib"], disk_mib=request["disk_mib"], cpu_s=request["cpu_s"]
    )
    confinement.confine(policy, parent)


def _above(descriptor: int) -> int:
    """The descriptor moved out of the way of 0 to 4."""
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10)


def _assert_no_backend() -> None:
    """A fork of a started backend would hang at its next compilation."""
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - names of threads, no files
    if worker.backend_started() or threads != 1:
        sys.exit(f"the warm worker has a started backend or {threads} threads; it must not fork")


def _freeze_finders() -> None:
    """Keep the listings of sys.path: a confined child may not list site-packages, and needs no new module of it."""
    for entry in sys.path:
        finder: Any = pkgutil.get_importer(entry) if os.path.isdir(entry) else None  # noqa: PTH112
        if isinstance(finder, FileFinder):
            finder._fill_cache()  # type: ignore[attr-defined]
            finder._path_mtime = os.stat(entry).st_mtime  # type: ignore[attr-defined]  # noqa: PTH116
            finder._fill_cache = lambda: None  # type: ignore[attr-defined]


if __name__ == "__main__":
    _, _control, _cache, _preload = sys.argv
    main(
        socket.socket(fileno=int(_control)),
        [Path(path) for path in json.loads(_cache)],
        json.loads(_preload),
    )
