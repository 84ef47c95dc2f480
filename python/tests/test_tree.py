"""The state machine, with slices of the toy search: random orders, lengths and failures; nothing is lost or counted twice."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

import fake_raddle
from raddle_dask import checkpoint
from raddle_dask.contract import ContractError, Counts, Report, State
from raddle_dask.pacing import Pacing
from raddle_dask.store import Store
from raddle_dask.tree import Task, Tree

PACING = Pacing(slice_seconds=0.05, parts=3, first_seconds=0.02, least_seconds=0.005, most_results=3)


def program(seed: int, errors: int = 0, keep_going: bool = False) -> fake_raddle.Data:
    return {"depth": 5, "seed": seed, "errors": errors, "keep_going": keep_going}


class Simulation:
    """Runs tasks of a tree in a random order, on a clock of its own."""

    def __init__(self, seed: int, program: fake_raddle.Data, folder: Path, pacing: Pacing = PACING) -> None:
        self.random = random.Random(seed)
        self.pacing = pacing
        self.store = Store(folder)
        first = fake_raddle.begin(program)
        self.origin = checkpoint.digest(first)
        self.tree = Tree.begin(self.store.put(first), pacing, self.store.discard)
        self.now = 0.0
        self.cores = self.random.randint(1, 6)
        self.most_running = 0

    def run(self, failures: float = 0.0, checkpoints: float = 0.0) -> fake_raddle.Data:
        running: list[Task[Path]] = []
        while not self.tree.finished:
            if self.random.random() < checkpoints:
                running = []
                self.restart()
            while len(running) < self.cores and (task := self.tree.take(self.cores, self.now)) is not None:
                running.append(task)
            self.most_running = max(self.most_running, len(running))
            self.now += self.random.random()
            task = running.pop(self.random.randrange(len(running)))
            for node in self.tree.dropped:
                assert node not in self.tree.nodes
            if task.node not in self.tree.running:
                continue
            if self.random.random() < failures:
                self.tree.fail(task.node)
                continue
            told, rest, parts = fake_raddle.slice_of(
                self.store.get(task.frontier),
                [self.store.get(result) for result in task.results],
                task.seconds,
                task.parts,
                self.random,
            )
            assert len(parts) <= task.parts
            report = Report.parse(told)
            stored = [self.store.put(part) for part in parts]
            self.tree.complete(task.node, report, self.store.put(rest), stored, self.now)
        return fake_raddle.finish(self.store.get(self.tree.root.frontier))

    def restart(self) -> None:
        """Saves the tree and goes on with the file; running tasks are lost."""
        folder = self.store.folder
        file = folder / "checkpoint"
        checkpoint.save(file, self.tree, self.store, self.origin)
        fresh = folder / "next"
        fresh.mkdir()
        self.store = Store(fresh)
        self.tree = checkpoint.load(file, self.store, self.origin, self.pacing)


@pytest.mark.parametrize("seed", range(40))
def test_complete_searches(seed: int, tmp_path: Path) -> None:
    toy = program(seed, errors=20, keep_going=True)
    simulation = Simulation(seed, toy, tmp_path)
    result = simulation.run(failures=0.2)
    assert result == fake_raddle.finish(fake_raddle.begin(toy))
    assert simulation.tree.counts.executions == result["executions"]
    assert simulation.tree.counts.events == 3 * result["executions"]
    assert len(simulation.tree.errors) == len(result["errors"])
    # Every frontier but the last has been discarded.
    assert len(simulation.store) == 1


@pytest.mark.parametrize("seed", range(40))
def test_searches_that_end_at_the_first_error(seed: int, tmp_path: Path) -> None:
    toy = program(seed, errors=20)
    simulation = Simulation(seed, toy, tmp_path)
    assert simulation.run(failures=0.1) == fake_raddle.finish(fake_raddle.begin(toy))
    assert len(simulation.store) == 1


@pytest.mark.parametrize("seed", range(20))
def test_searches_that_are_saved_and_resumed(seed: int, tmp_path: Path) -> None:
    toy = program(seed, errors=5, keep_going=seed % 2 == 0)
    simulation = Simulation(seed, toy, tmp_path)
    result = simulation.run(checkpoints=0.1)
    assert result == fake_raddle.finish(fake_raddle.begin(toy))
    if toy["keep_going"]:
        assert simulation.tree.counts.executions == result["executions"]


def test_all_cores_are_used(tmp_path: Path) -> None:
    simulation = Simulation(1, {"depth": 7, "seed": 1}, tmp_path)
    simulation.cores = 6
    simulation.run()
    assert simulation.most_running == 6


def report(state: State, executions: int = 1, decided: bool = False, needs: str | None = None) -> Report:
    return Report(state, Counts(executions=executions), needs=needs, decided=decided)


class Toy:
    """A tree of strings, sliced by hand."""

    def __init__(self, **pacing: float) -> None:
        self.discarded: list[str] = []
        limits = Pacing(merge_seconds=pacing.pop("merge_seconds", 100.0), **pacing)  # type: ignore[arg-type]
        self.tree: Tree[str] = Tree.begin("root", limits, self.discarded.append)

    def take(self, now: float = 0.0, cores: int = 4) -> Task[str]:
        task = self.tree.take(cores, now)
        assert task is not None
        return task

    def names(self, cores: int = 4) -> list[str]:
        tasks = []
        while (task := self.tree.take(cores, 0.0)) is not None:
            tasks.append(task.frontier)
        return tasks

    def node(self, frontier: str) -> int:
        return next(node.name for node in self.tree.nodes.values() if node.frontier == frontier)

    def end(self, frontier: str, report: Report, rest: str, parts: str = "") -> None:
        """Ends a slice. The names of parts are their frontiers."""
        named = replace(report, names=tuple(parts))
        self.tree.complete(self.node(frontier), named, rest, list(parts), 0.0)

    def done(self, frontier: str, result: str, **more: bool) -> None:
        self.tree.complete(self.node(frontier), report(State.DONE, **more), result, [], 0.0)  # type: ignore[arg-type]


def test_a_result_goes_into_the_next_slice_of_its_parent() -> None:
    toy = Toy()
    toy.end(toy.take().frontier, report(State.WAITING), "rest", "ab")
    assert toy.names(cores=2) == ["a", "b"]
    toy.done("a", "A")
    assert toy.tree.take(1, 0.0) is None, "the other result is worth waiting for while all cores work"
    toy.done("b", "B")
    merge = toy.take()
    assert (merge.frontier, merge.results) == ("rest", ("A", "B"))
    toy.done("rest", "end")
    assert toy.tree.finished
    assert toy.tree.root.frontier == "end"
    assert sorted(toy.discarded) == ["A", "B", "a", "b", "rest", "root"]


def test_results_wait_for_others_while_all_cores_work() -> None:
    toy = Toy(merge_seconds=5.0)
    toy.end(toy.take().frontier, report(State.WAITING), "rest", "ab")
    toy.names(cores=2)
    toy.done("a", "A")
    assert toy.tree.take(1, 4.0) is None
    assert toy.take(5.0, cores=1).results == ("A",)


def test_an_idle_core_merges_what_is_there() -> None:
    toy = Toy()
    toy.end(toy.take().frontier, report(State.WAITING), "rest", "ab")
    toy.names()
    toy.done("a", "A")
    assert toy.take().results == ("A",)


def test_later_siblings_of_an_error_are_held_and_dropped() -> None:
    toy = Toy()
    toy.end(toy.take().frontier, report(State.WAITING), "rest", "abcd")
    assert toy.take().frontier == "a"
    assert toy.take().frontier == "b"
    toy.done("b", "B", decided=True)
    merge = toy.take()
    assert merge.results == ("B",), "a result with an error is put in at once"
    toy.tree.complete(merge.node, report(State.WAITING, decided=True), "rest2", [], 0.0)
    assert toy.names() == [], "c and d are held while a runs"
    toy.done("a", "A")
    assert toy.take().results == ("A",)
    toy.done("rest2", "end", decided=True)
    assert toy.tree.finished
    assert {"c", "d"} <= set(toy.discarded)


def test_held_parts_run_if_nothing_else_is_left() -> None:
    toy = Toy()
    toy.end(toy.take().frontier, report(State.WAITING), "rest", "ab")
    assert toy.take().frontier == "a"
    toy.done("a", "A", decided=True)
    toy.end(toy.take().frontier, report(State.WAITING), "rest2")
    assert toy.names() == ["b"]


def test_running_parts_of_a_node_that_is_done_are_dropped() -> None:
    toy = Toy()
    toy.end(toy.take().frontier, report(State.OPEN), "rest", "a")
    assert sorted(toy.names()) == ["a", "rest"]
    running = toy.node("a")
    toy.done("rest", "end", decided=True)
    assert toy.tree.dropped == [running]
    toy.tree.complete(running, report(State.DONE), "A", [], 0.0)
    assert toy.tree.counts.executions == 2, "a slice that was dropped does not count"
    assert toy.discarded[-1] == "A"


def test_a_slice_that_gets_nowhere_is_made_longer() -> None:
    toy = Toy()
    first = toy.take()
    toy.tree.complete(first.node, report(State.OPEN, executions=0), "rest", [], 0.0)
    second = toy.take()
    assert second.seconds == 2 * first.seconds
    toy.tree.complete(second.node, report(State.OPEN), "rest", [], 0.0)
    assert toy.take().seconds == first.seconds


def test_a_slice_that_gets_nowhere_waits_for_its_parts() -> None:
    toy = Toy()
    toy.end(toy.take().frontier, report(State.OPEN), "rest", "a")
    assert toy.take().frontier == "rest"
    toy.tree.complete(toy.node("rest"), report(State.OPEN, executions=0), "rest2", [], 0.0)
    assert toy.names() == ["a"]


def test_the_part_that_a_frontier_waits_for_comes_back() -> None:
    toy = Toy()
    toy.end(toy.take().frontier, report(State.OPEN), "rest", "ab")
    assert toy.names() == ["rest", "a", "b"]
    toy.end("a", report(State.WAITING), "a2", "cd")
    assert toy.names() == ["c", "d"]
    toy.done("d", "D")
    toy.end("rest", report(State.WAITING, needs="a"), "rest2")
    merge = toy.take()
    assert (merge.frontier, merge.results) == ("rest2", ("a2", "D"))
    toy.end("rest2", report(State.WAITING, needs="b"), "rest3")
    assert toy.names() == [], "b comes back when its slice ends, and c is a child of the root now"
    toy.end("b", report(State.OPEN), "b2")
    assert toy.take().results == ("b2",)
    toy.done("c", "C")
    toy.end("rest3", report(State.WAITING, needs="c"), "rest4")
    assert toy.take().results == ("C",)
    toy.done("rest4", "end")
    assert toy.tree.finished
    assert len(toy.discarded) == len(set(toy.discarded)) == 13


def test_failures_are_counted_until_a_slice_succeeds() -> None:
    toy = Toy()
    assert toy.tree.fail(toy.take().node) == 1
    assert toy.tree.fail(toy.take().node) == 2
    toy.end(toy.take().frontier, report(State.OPEN), "rest")
    assert toy.tree.fail(toy.take().node) == 1


def test_contradictions_are_errors() -> None:
    toy = Toy()
    with pytest.raises(ContractError):
        toy.end(toy.take().frontier, report(State.DONE), "rest", "a")
    toy = Toy()
    with pytest.raises(ContractError):
        toy.end(toy.take().frontier, report(State.WAITING), "rest")


def test_reports_are_json() -> None:
    told, _, _ = fake_raddle.slice_of(fake_raddle.begin(program(3)), [], 0.01, 2)
    assert Report.parse(told).counts.executions == json.loads(told)["executions"]
