"""Submits slices to Dask, and puts their results into the tree.

A result counts once its bytes are here. If a worker is lost before, Dask runs the task again elsewhere; afterwards
nothing depends on workers. A task that fails is retried by Dask (``retries``). A task whose workers have died several times
is given up by Dask, and submitted again from here.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import Client, as_completed
from distributed.scheduler import KilledWorker

from raddle_dask import worker
from raddle_dask.contract import ContractError, Report
from raddle_dask.store import Store
from raddle_dask.tree import Task, Tree

POLL_SECONDS = 0.02
CORES_SECONDS = 2.0


class DriverError(Exception):
    """A slice failed for good, or the cluster was lost."""


@dataclass(frozen=True)
class Snapshot:
    """What the cluster does at a moment."""

    cores: int
    running: int
    core_seconds: float
    """The sum over all cores of the time that they were there."""


class Driver:
    """Runs the slices of one tree on one cluster."""

    def __init__(self, client: Client, binary: Path, tree: Tree[Path], store: Store, retries: int) -> None:
        self._client: Any = client
        self._tree = tree
        self._store = store
        self._retries = retries
        self._run = uuid.uuid4().hex[:12]
        self._plugin = f"raddle-{self._run}"
        self._submitted = 0
        self._futures: dict[int, Any] = {}
        self._tasks: dict[str, int] = {}
        completed: Any = as_completed
        self._completed = completed(with_results=True, raise_errors=False, loop=client.loop)
        self._cores = 0
        self._cores_at = float("-inf")
        self._looked_at = time.monotonic()
        self._core_seconds = 0.0
        worker.ship()
        self._client.register_plugin(worker.RaddlePlugin(self._plugin, binary.read_bytes()), name=self._plugin)
        self._function = worker.ByValue(worker.run_slice)

    def run(self, goes_on: Callable[[Snapshot], bool]) -> bool:
        """Runs slices until the search is over, or until *goes_on*, which is asked all the time, says no.

        Returns whether the search is over. The tree is consistent in any case, and the cluster has nothing of it left.
        """
        try:
            while not self._tree.finished:
                if not goes_on(self._look()):
                    return False
                self._submit()
                batch = self._completed.next_batch(block=False)
                for future, result in batch:
                    self._receive(future, result)
                self._cancel()
                if not batch:
                    time.sleep(POLL_SECONDS)
            return True
        finally:
            self._leave()

    def _look(self) -> Snapshot:
        now = time.monotonic()
        if now - self._cores_at >= CORES_SECONDS:
            if self._client.status not in ("running", "connecting"):
                raise DriverError("the connection to the scheduler is lost")
            self._cores = sum(self._client.nthreads().values())
            self._cores_at = now
        self._core_seconds += self._cores * (now - self._looked_at)
        self._looked_at = now
        return Snapshot(self._cores, len(self._futures), self._core_seconds)

    def _submit(self) -> None:
        """Submits a few more slices than there are cores, so that no core waits for the next one."""
        cores = max(self._cores, 1)
        while len(self._futures) < cores + max(cores // 4, 1):
            task = self._tree.take(cores, time.monotonic())
            if task is None:
                return
            self._start(task)

    def _start(self, task: Task[Path]) -> None:
        key = f"raddle-slice-{self._run}-{self._submitted}"
        self._submitted += 1
        future = self._client.submit(
            self._function,
            self._plugin,
            self._store.get(task.frontier),
            [self._store.get(result) for result in task.results],
            task.seconds,
            task.parts,
            key=key,
            pure=False,
            retries=self._retries,
        )
        self._futures[task.node] = future
        self._tasks[key] = task.node
        self._completed.add(future)

    def _receive(self, future: Any, result: Any) -> None:
        node = self._tasks.pop(future.key)
        self._futures.pop(node, None)
        if node not in self._tree.running:
            return
        if future.status != "finished":
            self._failed(node, result)
            return
        told, rest, parts = result
        if not told:
            raise ContractError(f"raddle slice refused its input: {rest.decode(errors='replace').strip()}")
        report = Report.parse(told)
        self._tree.complete(
            node, report, self._store.put(rest), [self._store.put(part) for part in parts], time.monotonic()
        )

    def _failed(self, node: int, result: Any) -> None:
        error = result[1] if isinstance(result, tuple) else result
        failures = self._tree.fail(node)
        lost = not isinstance(error, Exception) or isinstance(error, KilledWorker)
        if not lost:
            raise DriverError(f"a slice failed {self._retries + 1} times, the last time with: {error}") from error
        if failures > self._retries:
            raise DriverError(f"a slice was lost {failures} times with the workers that ran it: {error}")

    def _cancel(self) -> None:
        """Takes back what has become superfluous. Slices that run already go on to their end."""
        for node in self._tree.dropped:
            future = self._futures.get(node)
            if future is not None:
                future.cancel()
        self._tree.dropped.clear()

    def _leave(self) -> None:
        """Ends all slices, and takes raddle from the workers."""
        try:
            if self._futures:
                self._client.cancel(list(self._futures.values()))
                self._client.run(worker.ByValue(worker.stop_slices), self._plugin)
            self._client.unregister_worker_plugin(self._plugin)
        except (OSError, ValueError, TimeoutError, RuntimeError):
            # Workers that cannot be reached any more have nothing to be taken from, or end with their slices.
            pass
