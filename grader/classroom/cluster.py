"""Grading on the machines of a Dask cluster."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from grader.classroom.grading_process import Grader, Setup
from grader.classroom.jobs import Done, Job, pack, unpack
from grader.errors import GraderError, UsageError, WorkerError
from grader.model import Submission

try:
    import distributed
except ImportError as error:
    raise UsageError("--cluster: Dask is not installed; pip install 'headwork[cluster]'") from error

CONNECT_S = 30.0
TICK_S = 0.25
LOCAL = "local"


class GradingPlugin(distributed.WorkerPlugin):  # type: ignore[misc]  # mypy does not follow Dask
    """A Grader in each worker of the cluster, proved before the worker takes any task."""

    def __init__(self, setup: Setup, name: str) -> None:
        self.name = name
        self._setup = setup

    async def setup(self, worker: distributed.Worker) -> None:
        """Warm this machine's cache and prove its sandbox; off the loop, which answers the scheduler meanwhile."""
        self._one_at_a_time = threading.Lock()
        self._grader: Grader | None = None
        self._unfit = ""
        try:
            self._grader = await asyncio.to_thread(Grader, self._setup)
        except GraderError as error:
            self._unfit = str(error)

    def teardown(self, worker: distributed.Worker) -> None:
        """End the warm worker."""
        if self._grader is not None:
            self._grader.__exit__(None, None, None)

    def grade(self, submission: Submission, packed: bytes) -> dict[str, Any]:
        """See Grader.grade; {"unfit": why} where this machine must not grade."""
        if self._grader is None:
            return {"unfit": self._unfit}
        with self._one_at_a_time, tempfile.TemporaryDirectory(prefix="headwork-") as folder:
            beside = unpack(packed, Path(folder))
            one = Submission(submission.path, submission.source, submission.sha256, beside, submission.notes)
            return self._grader.grade(one)


def grade_there(plugin: str, submission: Submission, packed: bytes) -> dict[str, Any]:
    """The task: runs on a worker of the cluster."""
    worker = distributed.get_worker()
    found = worker.plugins[plugin]
    assert isinstance(found, GradingPlugin)
    result = found.grade(submission, packed)
    return {**result, "unfit": f"{worker.address}: {result['unfit']}"} if "unfit" in result else result


class ClusterPool:
    """The workers behind a scheduler's ``address``, or ``count`` of them here for ``local``; a context manager.

    A submission on a worker that is lost is graded on another one. Raises UsageError when no scheduler answers.
    """

    def __init__(self, setup: Setup, address: str, *, count: int, deadline_s: float, temporary: Path) -> None:
        self._setup, self._deadline_s = setup, deadline_s
        self._name = f"headwork-{uuid.uuid4().hex}"
        self._cluster: distributed.LocalCluster | None = None
        if address == LOCAL:
            self._cluster = distributed.LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
                local_directory=str(temporary),
            )
        try:
            self._client = distributed.Client(self._cluster or address, timeout=CONNECT_S)
        except (OSError, ValueError, TimeoutError) as error:
            raise UsageError(
                f"--cluster {address}: no scheduler answers ({error}); start one with: dask scheduler"
            ) from error

    def __enter__(self) -> ClusterPool:
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_S)
            self._client.register_plugin(GradingPlugin(self._setup, self._name))
        except TimeoutError as error:
            self.__exit__(None, None, None)
            raise UsageError("--cluster: the scheduler has no workers; start some with: dask worker ADDRESS") from error
        except Exception as error:  # whatever a worker without this package answers
            self.__exit__(None, None, None)
            why = f"{type(error).__name__}: {error}"
            raise WorkerError(f"--cluster: a worker cannot be prepared ({why}); install the same there") from error
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError, KeyError, TimeoutError):  # the cluster is gone
            self._client.unregister_worker_plugin(self._name)
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def results(self, jobs: Iterator[Job], *, stopped: Callable[[], bool]) -> Iterator[Sequence[Done]]:
        """See Pool."""
        running: dict[distributed.Future, tuple[Job, float]] = {}
        last = time.monotonic()
        more = True
        while not stopped():
            workers = len(self._client.scheduler_info(n_workers=-1)["workers"])
            while more and len(running) < max(workers, 1):
                job = next(jobs, None)
                if job is None:
                    more = False
                else:
                    running[self._submit(job)] = (job, time.monotonic())
            if not running:
                return
            done = self._collect(running)
            if done:
                last = time.monotonic()
                yield done
            elif not workers and time.monotonic() - last > self._deadline_s:
                raise WorkerError("the cluster has lost all its workers; start some, then give the same command again")
        self._client.cancel(list(running))

    def _submit(self, job: Job) -> distributed.Future:
        submission = job.submission
        sent = Submission(submission.path, submission.source, submission.sha256, None, submission.notes)
        packed = pack(submission.folder)
        key = f"{self._name}-{job.number}"
        return self._client.submit(grade_there, self._name, sent, packed, key=key, pure=False)

    def _collect(self, running: dict[distributed.Future, tuple[Job, float]]) -> list[Done]:
        """What has finished within a moment; also what takes so long that nothing will come of it."""
        with contextlib.suppress(TimeoutError):
            distributed.wait(list(running), timeout=TICK_S, return_when="FIRST_COMPLETED")
        done: list[Done] = []
        for future, (job, since) in list(running.items()):
            if future.done():
                del running[future]
                done.append(_understand(job, future))
            elif time.monotonic() - since > 2 * self._deadline_s:  # once here, once elsewhere
                del running[future]
                self._client.cancel([future], force=True)
                done.append(Done(job.number, None, problem=f"no answer within {2 * self._deadline_s:g} s"))
        return done


def _understand(job: Job, future: distributed.Future) -> Done:
    if future.status != "finished":
        return Done(job.number, None, problem=f"the cluster gave it up: {future.exception() or future.status}")
    result = future.result()
    if "unfit" in result:
        raise WorkerError(result["unfit"])
    if "problem" in result:
        return Done(job.number, None, problem=result["problem"])
    return Done(job.number, result["report"], result["stages"])
