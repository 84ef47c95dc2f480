"""The command ``raddle-dask``."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from raddle_dask import checkpoint, options
from raddle_dask.checkpoint import CheckpointError
from raddle_dask.cluster import ClusterError, connect
from raddle_dask.contract import ContractError, Estimate, Raddle
from raddle_dask.driver import Driver, DriverError, Snapshot
from raddle_dask.options import Options, UsageError
from raddle_dask.pacing import Pacing
from raddle_dask.progress import Progress, describe, plural
from raddle_dask.signals import Signals
from raddle_dask.store import Store
from raddle_dask.tree import Tree

BAD_INPUT = 2
UNKNOWN = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command, and returns its exit status."""
    try:
        given = options.parse(sys.argv[1:] if arguments is None else arguments)
        raddle = Raddle(_binary(given), given.arguments)
        with Signals() as signals, tempfile.TemporaryDirectory(prefix="raddle-dask-") as folder:
            return Search(given, raddle, signals, Path(folder)).run()
    except (UsageError, ClusterError, CheckpointError, OSError) as error:
        print(f"raddle-dask: {error}", file=sys.stderr)
        return BAD_INPUT
    except (ContractError, DriverError) as error:
        print(f"raddle-dask: {error}", file=sys.stderr)
        return UNKNOWN


def _binary(given: Options) -> Path:
    name = str(given.raddle or "raddle")
    found = shutil.which(name)
    if found is None:
        raise UsageError(f"no {name} found: install raddle, or name it with --raddle PATH")
    return Path(found).resolve()


class Search:
    """One search from its arguments to its exit status."""

    def __init__(self, given: Options, raddle: Raddle, signals: Signals, folder: Path) -> None:
        self._given = given
        self._raddle = raddle
        self._signals = signals
        self._folder = folder
        self._began = time.monotonic()
        self._store = Store(folder)
        self._progress = Progress(sys.stderr, given.progress, given.quiet)
        self._checkpoint = given.checkpoint
        if given.checkpoint is None and given.resume is not None and checkpoint.is_one(given.resume):
            self._checkpoint = given.resume
        self._estimate: Estimate | None = None
        self._estimating: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Writes the frontier, searches, and reports."""
        self._check_files()
        frontier = self._folder / "root.raddle"
        status = self._raddle.write_frontier(frontier, self._signals)
        if status != 0:
            return status
        first = frontier.read_bytes()
        origin = checkpoint.digest(first)
        tree = self._tree(first, origin)
        if not self._solve(tree, origin):
            return 128 + self._signals.caught if self._signals.caught is not None else UNKNOWN
        return self._raddle.report(tree.root.frontier, self._signals)

    def _check_files(self) -> None:
        saved, resumed = self._given.checkpoint, self._given.resume
        if saved is not None and not saved.resolve().parent.is_dir():
            raise UsageError(f"the folder of {saved} does not exist")
        if saved is None or not saved.exists():
            return
        if not checkpoint.is_one(saved):
            raise UsageError(f"{saved} is not a checkpoint of raddle-dask, and is not replaced by one")
        if not checkpoint.is_over(saved) and (resumed is None or not saved.samefile(resumed)):
            raise UsageError(f"{saved} has a search that is not over: --resume {saved} goes on with it")

    def _tree(self, first: bytes, origin: str) -> Tree[Path]:
        pacing = Pacing(slice_seconds=self._given.slice_seconds, parts=self._given.parts)
        if self._given.resume is None:
            return Tree.begin(self._store.put(first), pacing, self._store.discard)
        if checkpoint.is_one(self._given.resume):
            return checkpoint.load(self._given.resume, self._store, origin, pacing)
        # A frontier of raddle itself. Whether it is one of this search is known at the end.
        return Tree.begin(self._store.put(self._given.resume.read_bytes()), pacing, self._store.discard)

    def _solve(self, tree: Tree[Path], origin: str) -> bool:
        """Searches on the cluster. Returns whether the search is over; it is saved in any case."""
        begun = time.monotonic()
        since = tree.counts
        saved = begun
        last = Snapshot(0, 0, 0.0)

        def goes_on(snapshot: Snapshot) -> bool:
            nonlocal last, saved
            last = snapshot
            now = time.monotonic()
            if self._progress.is_due:
                self._progress.show(describe(tree, snapshot, now - begun, since, self._estimated()))
            if now - saved >= self._given.every:
                saved = now
                self._save(tree, origin)
            timed_out = self._given.timeout is not None and now - self._began >= self._given.timeout
            return self._signals.caught is None and not timed_out

        self._start_estimate()
        before = tree.searched_seconds
        try:
            with connect(self._given) as client:
                begun = time.monotonic()
                driver = Driver(client, self._raddle.binary, tree, self._store, self._given.retries)
                over = driver.run(goes_on)
                seconds = time.monotonic() - begun
        except DriverError:
            self._save(tree, origin)
            raise
        finally:
            self._progress.clear()
            self._stop_estimate()
        searched = tree.searched_seconds - before
        busy = f", busy with searching for {searched / last.core_seconds:.0%}" if last.core_seconds > 0 else ""
        cores = plural(last.cores, "core")
        self._progress.note(f"{plural(tree.slices, 'slice')} in {seconds:.1f} s on {cores}{busy}")
        self._save(tree, origin)
        if not over:
            self._tell_stopped()
        return over

    def _save(self, tree: Tree[Path], origin: str) -> None:
        if self._checkpoint is not None:
            checkpoint.save(self._checkpoint, tree, self._store, origin)

    def _tell_stopped(self) -> None:
        reason = "interrupted" if self._signals.caught is not None else "stopped at the limit of time"
        if self._checkpoint is None:
            print(f"raddle-dask: {reason}; --checkpoint FILE would have saved the search", file=sys.stderr)
        else:
            print(f"raddle-dask: {reason}; --resume {self._checkpoint} goes on", file=sys.stderr)

    # Estimates

    def _start_estimate(self) -> None:
        if self._given.estimate is not None:
            self._estimating = self._raddle.start_estimate(self._given.estimate)

    def _estimated(self) -> Estimate | None:
        if self._estimating is not None and self._estimating.poll() is not None:
            told, _ = self._estimating.communicate()
            self._estimate = Estimate.parse(told)
            self._estimating = None
            if self._estimate is None:
                self._progress.note("raddle has no estimate for this search")
        return self._estimate

    def _stop_estimate(self) -> None:
        if self._estimating is not None:
            self._estimating.kill()
            self._estimating.communicate()
            self._estimating = None
