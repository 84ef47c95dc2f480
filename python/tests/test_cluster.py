"""Whole searches on small clusters, by the command."""

from __future__ import annotations

import json
import os
import signal
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

import fake_raddle
from conftest import FAKE, soon, truth
from raddle_dask.cli import main

Write = Callable[..., Path]
QUICK = ["--raddle", str(FAKE), "--slice-seconds", "0.3", "--parts", "3"]


def test_workers_need_nothing_but_dask(scheduler: str, toy: Write, capfd: pytest.CaptureFixture[str]) -> None:
    program = toy(errors=20)
    progress = ["--progress=0.2", "--estimate"]
    status = main(["check", str(program), "--keep-going", "--scheduler", scheduler, *progress, *QUICK])
    told, complaint = capfd.readouterr()
    assert json.loads(told) == truth(program, keep_going=True)
    assert status == 1
    assert "progress: " in complaint
    assert "of about 1,000" in complaint
    assert "slices in" in complaint


def test_the_first_error_ends_the_search(scheduler: str, toy: Write, capfd: pytest.CaptureFixture[str]) -> None:
    program = toy(errors=20)
    status = main(["check", str(program), "--scheduler", scheduler, "--quiet", *QUICK])
    told, complaint = capfd.readouterr()
    assert json.loads(told) == truth(program)
    assert status == 1
    assert complaint == ""


def test_an_interrupted_search_goes_on(
    scheduler: str, toy: Write, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = toy()
    saved = tmp_path / "saved"
    call = ["check", str(program), "--scheduler", scheduler, "--every", "0.1", *QUICK]

    def slices() -> int:
        if not saved.exists():
            return 0
        with zipfile.ZipFile(saved) as archive:
            return int(json.loads(archive.read("tree.json"))["slices"])

    def interrupt() -> None:
        soon(lambda: slices() >= 3)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    status = main([*call, "--checkpoint", str(saved)])
    thread.join()
    told, complaint = capfd.readouterr()
    assert status == 130
    assert told == ""
    assert f"--resume {saved} goes on" in complaint
    assert slices() >= 3
    assert main([*call, "--checkpoint", str(saved)]) == 2
    assert "a search that is not over" in capfd.readouterr().err
    assert main([*call, "--resume", str(saved)]) == 0
    assert json.loads(capfd.readouterr().out) == truth(program)
    # The last checkpoint has the end of the search.
    assert main([*call, "--resume", str(saved)]) == 0
    assert json.loads(capfd.readouterr().out) == truth(program)
    toy(seed=6)
    assert main([*call, "--resume", str(saved)]) == 2
    assert "is of another program" in capfd.readouterr().err


def test_a_frontier_of_raddle_itself_goes_on(
    scheduler: str, toy: Write, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = toy()
    saved, rest = tmp_path / "saved", fake_raddle.slice_of(fake_raddle.begin(json.loads(program.read_text())), [], 0.1, 0)[1]
    saved.write_bytes(rest)
    call = ["check", str(program), "--scheduler", scheduler, "--quiet", *QUICK, "--resume", str(saved)]
    assert main([*call, "--checkpoint", str(saved)]) == 2
    assert "is not replaced" in capfd.readouterr().err
    assert main(call) == 0
    assert json.loads(capfd.readouterr().out) == truth(program)
    assert saved.read_bytes() == rest


def test_the_limit_of_time(scheduler: str, toy: Write, capfd: pytest.CaptureFixture[str]) -> None:
    program = toy(depth=12)
    assert main(["check", str(program), "--scheduler", scheduler, "--timeout", "1", *QUICK]) == 3
    assert "--checkpoint FILE would have saved" in capfd.readouterr().err


def test_slices_that_fail_end_the_search(scheduler: str, toy: Write, capfd: pytest.CaptureFixture[str]) -> None:
    program = toy(fails=True)
    assert main(["check", str(program), "--scheduler", scheduler, "--retries", "1", *QUICK]) == 3
    complaint = capfd.readouterr().err
    assert "a slice failed 2 times" in complaint
    assert "status 101: fails on purpose" in complaint


def test_a_worker_is_killed(toy: Write, capfd: pytest.CaptureFixture[str]) -> None:
    program = toy(leaf_seconds=0.006)
    killed: list[int] = []

    def worker_at_work() -> psutil.Process | None:
        """A worker process that runs a slice."""
        for process in psutil.Process().children(recursive=True):
            try:
                if "slice" in process.cmdline():
                    parent = process.parent()
                    return parent if parent is not None and parent.pid != os.getpid() else None
            except psutil.NoSuchProcess:
                pass
        return None

    def kill() -> None:
        worker = soon(worker_at_work)
        killed.append(worker.pid)
        worker.kill()

    thread = threading.Thread(target=kill)
    thread.start()
    status = main(["check", str(program), "--local", "2", "--quiet", *QUICK])
    thread.join()
    assert len(killed) == 1
    assert json.loads(capfd.readouterr().out) == truth(program)
    assert status == 0
