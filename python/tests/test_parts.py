"""The small modules: options, the contract, pacing, files and lines about progress."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from raddle_dask import checkpoint, options
from raddle_dask.checkpoint import CheckpointError
from raddle_dask.contract import ContractError, Counts, Estimate, Report, State, with_option
from raddle_dask.driver import Snapshot
from raddle_dask.options import UsageError
from raddle_dask.pacing import Pace, Pacing
from raddle_dask.progress import Progress, describe
from raddle_dask.store import Store
from raddle_dask.tree import Tree


def test_other_options_go_to_raddle() -> None:
    given = options.parse(
        ["check", "x.c", "--model", "tso", "--local=2", "--keep-going", "--parts", "4", "-j", "3", "--", "-DX", "--parts"]
    )
    assert given.arguments == ("x.c", "--model", "tso", "--keep-going", "-j", "3", "--", "-DX", "--parts")
    assert (given.local, given.parts, given.slice_seconds) == (2, 4, 10.0)


def test_options_with_a_value_after_equals_only() -> None:
    given = options.parse(["check", "--progress", "x.c", "--estimate=2", "--scheduler-file", "f"])
    assert given.arguments == ("x.c",)
    assert (given.progress, given.estimate, given.scheduler_file) == (30.0, 2.0, Path("f"))


def test_the_limit_of_time_holds_for_raddle_too() -> None:
    given = options.parse(["check", "x.c", "--local", "1", "--timeout", "90", "--", "-DX"])
    assert given.timeout == 90.0
    assert given.arguments == ("x.c", "--timeout=90", "--", "-DX")


@pytest.mark.parametrize(
    "arguments",
    [
        ["litmus"],
        ["check", "x.c"],
        ["check", "x.c", "--local", "2", "--scheduler", "tcp://a:1"],
        ["check", "x.c", "--local", "0"],
        ["check", "x.c", "--local"],
        ["check", "x.c", "--local", "1", "--slice-seconds", "-1"],
        ["check", "x.c", "--local", "1", "--retries", "-1"],
        ["check", "x.c", "--local", "1", "--max-executions=5"],
    ],
)
def test_refused_command_lines(arguments: list[str]) -> None:
    with pytest.raises(UsageError):
        options.parse(arguments)


def test_options_come_before_flags_of_clang() -> None:
    assert with_option(["x.c", "--", "-DX"], "--resume", "f") == ["x.c", "--resume", "f", "--", "-DX"]
    assert with_option(["x.c"], "--json") == ["x.c", "--json"]


REPORT = {
    "state": "open",
    "names": [],
    "needs": None,
    "executions": 3,
    "blocked": 1,
    "redundant": 0,
    "cut": 2,
    "events": 30,
    "errors": [{"kind": "deadlock", "file": None, "line": None, "message": "m", "count": 2}],
    "decided": False,
    "seconds": 0.5,
}


def test_reports() -> None:
    report = Report.parse(json.dumps(REPORT))
    assert report.state is State.OPEN
    assert report.counts.visited == 6
    assert report.errors[0].place == ("deadlock", None, None, "m")


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", json.dumps({**REPORT, "state": "lost"})])
def test_other_texts_are_no_reports(text: str) -> None:
    with pytest.raises(ContractError):
        Report.parse(text)


def test_estimates() -> None:
    assert Estimate.parse(b'{"estimate": {"about": 5, "low": 4, "high": 7}}\n') == Estimate(5, 4, 7)
    assert Estimate.parse(b'{"estimate": null}') is None
    assert Estimate.parse(b"") is None


def test_slices_grow_with_the_search() -> None:
    pacing = Pacing(slice_seconds=10.0)
    lengths = [pacing.pace(cores=4, supply=8, searched=4.0 * elapsed).seconds for elapsed in (0, 5, 20, 100, 1000)]
    assert lengths == [0.5, 0.5, 2.0, 10.0, 10.0]
    assert Pacing(slice_seconds=0.1).pace(4, 1, 0.0).seconds == 0.1


def test_slices_are_short_and_divided_while_cores_have_nothing_to_do() -> None:
    pacing = Pacing(slice_seconds=10.0, parts=4)
    assert pacing.pace(cores=100, supply=1, searched=0.0) == Pace(0.2, 4)
    assert pacing.pace(cores=4, supply=2, searched=1000.0) == Pace(2.5, 4)
    assert pacing.pace(cores=4, supply=14, searched=1000.0) == Pace(10.0, 2)
    assert pacing.pace(cores=4, supply=16, searched=1000.0) == Pace(10.0, 0)


def test_a_store_knows_its_size(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, second = store.put(b"abc"), store.put(b"de")
    assert (store.get(first), store.held_bytes) == (b"abc", 5)
    store.discard(first)
    assert (len(store), store.held_bytes) == (1, 2)
    assert list(tmp_path.iterdir()) == [second]


def test_damaged_checkpoints_are_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    tree = Tree.begin(store.put(b"root"), Pacing(), store.discard)
    file = tmp_path / "saved"
    checkpoint.save(file, tree, store, "origin")
    whole = file.read_bytes()
    assert checkpoint.load(file, store, "origin", Pacing()).names == 1
    for damaged in (b"", whole[:50], whole.replace(b"root", b"rope"), b"text"):
        file.write_bytes(damaged)
        with pytest.raises(CheckpointError):
            checkpoint.load(file, store, "origin", Pacing())
    with pytest.raises(CheckpointError):
        checkpoint.load(tmp_path / "absent", store, "origin", Pacing())


def test_progress_on_a_stream_without_a_terminal() -> None:
    tree: Tree[Path] = Tree.begin(Path("root"), Pacing(), lambda _: None)
    tree.counts = Counts(executions=1500, blocked=20)
    line = describe(tree, Snapshot(2, 3, 0.0), 10.0, Counts(executions=500), Estimate(2540, 0, 0))
    assert line == (
        "10 s: 1,500 executions, 20 blocked of about 2,540, 10 s left, 102/s; "
        "0 slices done, 3 running on 2 cores, 1 part waiting"
    )
    stream = io.StringIO()
    Progress(stream, every=0.001, quiet=False).show(line)
    assert stream.getvalue() == f"progress: {line}\n"
