"""Programs of the toy search, and a cluster that other tests share."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import fake_raddle

FAKE = Path(fake_raddle.__file__)

# A scheduler with a worker of two threads, in a process that cannot import this package.
CLUSTER = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "raddle_dask":
            raise ImportError("the workers have no " + name)

sys.meta_path.insert(0, Absent())
from distributed import LocalCluster
with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0",
                  protocol="tcp://", local_directory=sys.argv[1]) as cluster:
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler."""
    folder = tmp_path_factory.mktemp("cluster")
    with subprocess.Popen(
        [sys.executable, "-c", CLUSTER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate("")


@pytest.fixture
def toy(tmp_path: Path) -> Callable[..., Path]:
    """Writes a program of the toy search."""

    def write(**program: Any) -> Path:
        path = tmp_path / "toy.json"
        path.write_text(json.dumps({"depth": 6, "seed": 5, "leaf_seconds": 0.003, "sleeps": True, **program}))
        return path

    return write


def truth(path: Path, keep_going: bool = False) -> fake_raddle.Data:
    """The result of one search by one process."""
    program = json.loads(path.read_text())
    program["keep_going"] = keep_going
    return fake_raddle.finish(fake_raddle.begin(program))


def soon(condition: Callable[[], Any], seconds: float = 30.0) -> Any:
    """Waits until something is true, and returns it."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")
