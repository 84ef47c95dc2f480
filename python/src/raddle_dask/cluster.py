"""The connection to a cluster."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster

from raddle_dask.options import Options

CONNECT_SECONDS = 30.0

# A Ctrl-C in the terminal is for this process, which then ends the others. Dask takes a text with spaces as a script.
IGNORE_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"


class ClusterError(Exception):
    """There is no such cluster."""


@contextlib.contextmanager
def connect(options: Options) -> Iterator[Client]:
    """Connects to the scheduler that the options name, or starts a cluster on this machine."""
    with contextlib.ExitStack() as stack:
        where: dict[str, Any]
        if options.local is not None:
            cluster: Any = stack.enter_context(_local(options.local))
            where = {"address": cluster}
        elif options.scheduler_file is not None:
            where = {"scheduler_file": str(_written(options.scheduler_file))}
        else:
            where = {"address": options.scheduler}
        try:
            client: Any = Client(**where, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError, TimeoutError) as error:
            raise ClusterError(f"cannot connect to the scheduler: {error}") from error
        stack.enter_context(client)
        yield client


def _written(file: Path) -> Path:
    """Waits until a scheduler that is starting has written its file. Dask would wait for ever."""
    until = time.monotonic() + CONNECT_SECONDS
    while not file.exists():
        if time.monotonic() > until:
            raise ClusterError(f"no scheduler has written {file}")
        time.sleep(0.1)
    return file


def _local(workers: int) -> Any:
    """A cluster on this machine: a process for each worker, which is started again if it dies."""
    return LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        preload=[IGNORE_INTERRUPTS],
        worker_dashboard_address=":0",
    )
