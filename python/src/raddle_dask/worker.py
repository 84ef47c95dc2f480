"""The code that runs on workers.

Workers need not have this package: the module is sent to them by value (`ship`). It may therefore use the
standard library and Dask alone, and no state of its own but that of the plugin.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
from distributed import get_worker
from distributed.diagnostics.plugin import WorkerPlugin

Output = tuple[str, bytes, list[bytes]]
"""A slice's report, its rest and its parts; or of a refused input, an empty report and the diagnostic."""


class RaddlePlugin(WorkerPlugin):
    """Puts raddle on every worker, also on those that join later, and runs slices there."""

    def __init__(self, name: str, binary: bytes) -> None:
        self.name = name
        self._digest = hashlib.sha256(binary).hexdigest()
        self._packed = zlib.compress(binary, 1)
        self._path: Path | None = None
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def __getstate__(self) -> dict[str, Any]:
        """Only what is sent to workers."""
        return {"name": self.name, "digest": self._digest, "packed": self._packed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.name = state["name"]
        self._digest = state["digest"]
        self._packed = state["packed"]
        self._path = None
        self._lock = threading.Lock()
        self._running = set()
        self._stopped = False

    def setup(self, worker: Any) -> None:
        """Writes the binary under its digest, unless an earlier run has left it there."""
        folder = Path(worker.local_directory)
        path = folder / f"raddle-{self._digest[:32]}"
        if not self._is_there(path):
            handle, fresh = tempfile.mkstemp(dir=folder, prefix=".raddle-")
            with os.fdopen(handle, "wb") as file:
                file.write(zlib.decompress(self._packed))
            os.chmod(fresh, 0o700)
            os.replace(fresh, path)
        self._path = path
        self._packed = b""

    def _is_there(self, path: Path) -> bool:
        try:
            return hashlib.sha256(path.read_bytes()).hexdigest() == self._digest
        except OSError:
            return False

    def teardown(self, worker: Any) -> None:
        """Ends the slices that still run; nobody waits for them."""
        self.stop()

    def stop(self) -> None:
        """Ends running slices, and starts no others."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.kill()

    def slice(self, frontier: bytes, results: Sequence[bytes], seconds: float, parts: int, worker: Any) -> Output:
        """Runs one slice in a temporary folder, on one core: Dask knows each core of a worker as a thread."""
        if self._path is None:
            raise RuntimeError("raddle could not be written on this worker; its log says why")
        scratch = Path(tempfile.mkdtemp(dir=worker.local_directory, prefix="slice-"))
        try:
            (scratch / "frontier.raddle").write_bytes(frontier)
            names = [f"result-{number}.raddle" for number in range(len(results))]
            for name, result in zip(names, results):
                (scratch / name).write_bytes(result)
            command = [str(self._path), "slice", "frontier.raddle", *names, "-o", "out"]
            command += ["--seconds", f"{seconds:g}", "--parts", str(parts), "--jobs", "1"]
            command += self._memory(worker)
            (scratch / "out").mkdir()
            status, told, complaint = self._run(command, scratch)
            if status == 2:
                return "", complaint.encode(), []
            if status != 0:
                raise RuntimeError(f"raddle slice ended with status {status}: {complaint.strip()[-2000:]}")
            return self._collect(told, scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _memory(self, worker: Any) -> list[str]:
        """An equal share of the memory of a worker for each of its threads, if Dask has assigned it some."""
        limit = worker.memory_manager.memory_limit
        return ["--max-memory", str(max(limit // worker.state.nthreads // 2**20, 1))] if limit else []

    def _run(self, command: Sequence[str], folder: Path) -> tuple[int, str, str]:
        with self._lock:
            if self._stopped:
                raise RuntimeError("the search was stopped")
            # A Ctrl-C in the terminal of a local cluster is for the driver alone, so the session is a new one.
            process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            self._running.add(process)
        try:
            told, complaint = process.communicate()
        finally:
            with self._lock:
                self._running.discard(process)
        return process.returncode, told, complaint

    def _collect(self, told: str, scratch: Path) -> Output:
        out = scratch / "out"
        parts: list[bytes] = []
        while (part := out / f"part-{len(parts) + 1}.raddle").exists():
            parts.append(part.read_bytes())
        return told, (out / "rest.raddle").read_bytes(), parts


def run_slice(plugin: str, frontier: bytes, results: Sequence[bytes], seconds: float, parts: int) -> Output:
    """The task: a function of the bytes of a frontier and of results to the bytes of its rest and parts."""
    worker = get_worker()
    there: Any = worker.plugins.get(plugin)
    if there is None:
        raise RuntimeError(f"the worker {worker.address} has not received raddle")
    output: Output = there.slice(frontier, results, seconds, parts, worker)
    return output


def stop_slices(plugin: str, dask_worker: Any) -> None:
    """Ends the slices that run on a worker; for ``Client.run``."""
    there = dask_worker.plugins.get(plugin)
    if there is not None:
        there.stop()


class ByValue:
    """A function of this module that is pickled with its code. Dask pickles the functions of tasks by their names."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__name__ = function.__name__
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return cloudpickle.loads, (cloudpickle.dumps(self._function),)


def ship() -> None:
    """Makes Dask send the rest of this module, above all the plugin, by value."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
