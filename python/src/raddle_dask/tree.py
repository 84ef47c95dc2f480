"""The search as a tree of frontiers.

A slice of a frontier leaves a rest, which takes its place, and parts, which become its children. A child that is done
is a result: it is put into a later slice of its parent, which may then find more to do. If a frontier can do nothing but
wait, raddle names the part that it needs first. This one is *recalled*: it comes back as it is, and its children are those of its parent then.
The search is over when the root is done. The tree decides what is sliced next; it does not run anything, and does not look into frontiers. ``B``
is whatever stands for the bytes of one.

Invariants:

- A frontier is sliced by one task at a time. A slice counts once, when :meth:`Tree.complete` is called: before that,
  its task can be lost and run again, and afterwards it must not, since a second run may divide the search differently.
- A result is put into its parent exactly once.
- A frontier that waits has children, or results that were not put in. So there is always something to do until the
  root is done (`ContractError` otherwise).

When a search that ends at its first error finds one (``decided``), parts that come later in its order do not matter.
Parts of one slice are numbered in that order, so the later siblings of a part that has found an error are *held*: they are
sliced only if nothing else is left to do. If their parent is done without them, they are dropped. That an error
makes a part superfluous is thus always decided by raddle.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

from raddle_dask.contract import ContractError, Counts, Report, State
from raddle_dask.pacing import Pacing

B = TypeVar("B")


class Phase(Enum):
    """Whether a frontier can be sliced."""

    READY = "ready"
    RUNNING = "running"
    WAITING = "waiting"


@dataclass
class Node(Generic[B]):
    """A frontier that is not done."""

    name: int
    parent: int | None
    label: str | None
    """The name that raddle has given to this part."""
    born: tuple[int, int]
    """The number of the slice that made this part, of all slices, and the number of the part in it."""
    depth: int
    frontier: B
    phase: Phase = Phase.READY
    held: bool = False
    slices: int = 0
    stalls: int = 0
    """Slices in a row that were too short to get anywhere."""
    failures: int = 0
    """Tasks in a row that were lost for good."""
    children: set[int] = field(default_factory=set)
    """Children that are not done."""
    needs: str | None = None
    """The label of the child that the frontier waits for."""
    results: list[B] = field(default_factory=list)
    """The rests of children that are done or were recalled, to be put in in this order."""
    urgent: bool = False
    """Whether a result may make other parts superfluous."""
    since: float = 0.0
    """When the oldest of the results came."""

    @property
    def can_run(self) -> bool:
        """Whether a slice of it would get on."""
        return self.phase is Phase.READY or (self.phase is Phase.WAITING and bool(self.results))


@dataclass(frozen=True)
class Task(Generic[B]):
    """A slice that is to be run."""

    node: int
    turn: int
    """How many slices of the node came before."""
    frontier: B
    results: tuple[B, ...]
    seconds: float
    parts: int


class Tree(Generic[B]):
    """What is left of a search, and what has been counted so far."""

    def __init__(self, nodes: Iterable[Node[B]], pacing: Pacing, discard: Callable[[B], None]) -> None:
        self.pacing = pacing
        self.nodes: dict[int, Node[B]] = {}
        self.running: dict[int, Task[B]] = {}
        self.names = 0
        """How many nodes there were so far."""
        self.counts = Counts()
        self.slices = 0
        self.searched_seconds = 0.0
        self.errors: set[tuple[str, str | None, int | None, str]] = set()
        """The errors that slices have found, in any order."""
        self.finished = False
        self.dropped: list[int] = []
        """Nodes whose running tasks have become superfluous. The driver takes them from this list."""
        self._discard = discard
        self._promised = 0
        """The parts that running tasks may make."""
        self._ready: set[int] = set()
        self._oldest: list[int] = []
        """A heap of the names in `_ready`, and of some that have left it."""
        self._merges: set[int] = set()
        """Frontiers that wait and have results."""
        self._held: set[int] = set()
        """Frontiers that could run and are held."""
        for node in nodes:
            self.add(node)
        self.root = self.nodes[0]

    @staticmethod
    def begin(root: B, pacing: Pacing, discard: Callable[[B], None]) -> Tree[B]:
        """The tree of a search that has not begun. *discard* is called for frontiers that are not needed any more."""
        return Tree([Node(name=0, parent=None, label=None, born=(0, 0), depth=0, frontier=root)], pacing, discard)

    def add(self, node: Node[B]) -> None:
        """Adds a node: the root, a part, or one of a checkpoint."""
        self.nodes[node.name] = node
        self.names = max(self.names, node.name + 1)
        self._sort(node)

    # Choosing

    def take(self, capacity: int, now: float) -> Task[B] | None:
        """The next slice to run, or None if there is none at the moment. *capacity* is the number of cores."""
        if self.finished:
            return None
        node = self._next(capacity, now)
        if node is None:
            return None
        supply = len(self.running) + self._promised + max(len(self._ready), 1)
        pace = self.pacing.pace(capacity, supply, self.searched_seconds)
        task = Task(
            node=node.name,
            turn=node.slices,
            frontier=node.frontier,
            results=tuple(node.results[: self.pacing.most_results]),
            seconds=pace.seconds * 2.0 ** min(node.stalls, 10),
            parts=pace.parts,
        )
        node.phase = Phase.RUNNING
        self._sort(node)
        self.running[node.name] = task
        self._promised += task.parts
        return task

    def _next(self, capacity: int, now: float) -> Node[B] | None:
        """Merges come first: they make the tree smaller. Then older frontiers, since they are likely to be larger."""
        idle = not self._ready and len(self.running) < capacity
        merges = [self.nodes[name] for name in self._merges]
        merges = [node for node in merges if idle or self._merges_now(node, now)]
        if merges:
            return min(merges, key=lambda node: (-node.depth, node.name))
        oldest = self._oldest_ready()
        if oldest is not None or self._merges or self.running:
            return oldest
        if not self._held:
            raise ContractError("the search is not done, but no part of it can go on")
        for node in self.nodes.values():
            node.held = False
            self._sort(node)
        return self._next(capacity, now)

    def _merges_now(self, node: Node[B], now: float) -> bool:
        all_there = not node.children or len(node.results) >= self.pacing.most_results
        return all_there or node.urgent or now - node.since >= self.pacing.merge_seconds

    def _oldest_ready(self) -> Node[B] | None:
        while self._oldest and self._oldest[0] not in self._ready:
            heapq.heappop(self._oldest)
        return self.nodes[self._oldest[0]] if self._oldest else None

    def _sort(self, node: Node[B]) -> None:
        """Puts a node among those that are ready, wait for a merge, or are held, after a change of it."""
        self._forget(node)
        if node.held:
            if node.can_run:
                self._held.add(node.name)
        elif node.phase is Phase.READY:
            self._ready.add(node.name)
            heapq.heappush(self._oldest, node.name)
        elif node.can_run:
            self._merges.add(node.name)

    def _forget(self, node: Node[B]) -> None:
        for names in (self._ready, self._merges, self._held):
            names.discard(node.name)

    # Results

    def complete(self, name: int, report: Report, rest: B, parts: Sequence[B], now: float) -> None:
        """Puts the result of a slice into the tree. It is ignored if the node was dropped meanwhile."""
        task = self._end(name)
        if task is None:
            self._discard_all([rest, *parts])
            return
        if report.state is State.DONE and parts:
            raise ContractError("a slice that is done has parts")
        if len(report.names) != len(parts):
            raise ContractError("a slice has not as many parts as names")
        self._count(report)
        self._discard_all([task.frontier, *task.results])
        node = self.nodes[name]
        node.frontier = rest
        del node.results[: len(task.results)]
        node.since = now
        node.urgent = False
        node.failures = 0
        stalled = not parts and not task.results and report.counts == Counts()
        node.stalls = node.stalls + 1 if stalled else 0
        for number, part in enumerate(parts):
            self._add_part(node, number, report.names[number], part)
        node.slices += 1
        node.needs = report.needs
        if report.decided:
            self._hold_later(node)
        if report.state is State.DONE:
            self._finish(node, report.decided, now)
            return
        # A slice that goes on makes an execution at least. One that made none has met a part that is missing just when its
        # time was over.
        waits = report.state is State.WAITING or (stalled and bool(node.children))
        node.phase = Phase.WAITING if waits else Phase.READY
        if not node.children and not node.can_run:
            raise ContractError("a frontier waits for parts, and all of its parts are done")
        self._sort(node)
        if node.parent is not None:
            self._recall(self.nodes[node.parent])
        self._recall(node)

    def fail(self, name: int) -> int:
        """Gives a slice back whose task is lost for good, and returns how often that has happened in a row."""
        if self._end(name) is None:
            return 0
        node = self.nodes[name]
        # If it was a merge, its results are still there, and go into the next slice.
        node.phase = Phase.READY
        node.failures += 1
        self._sort(node)
        return node.failures

    def _end(self, name: int) -> Task[B] | None:
        """The running task of a node, which has ended; None if the node was dropped."""
        task = self.running.pop(name, None)
        if task is not None:
            self._promised -= task.parts
        return task

    def _count(self, report: Report) -> None:
        self.slices += 1
        self.counts += report.counts
        self.searched_seconds += report.seconds
        self.errors.update(found.place for found in report.errors)

    def _add_part(self, node: Node[B], number: int, label: str, part: B) -> None:
        born = (self.slices, number)
        child = Node(self.names, node.name, label, born, node.depth + 1, part, held=node.held)
        node.children.add(child.name)
        self.add(child)

    def _finish(self, node: Node[B], decided: bool, now: float) -> None:
        """Makes a node that is done a result of its parent. Children that it did not need are dropped."""
        self._drop(node.children)
        self._discard_all(node.results)
        if node.parent is None:
            # It stays in the tree, for the last checkpoint.
            node.phase, node.results, node.children = Phase.READY, [], set()
            self.finished = True
            return
        del self.nodes[node.name]
        self._forget(node)
        parent = self.nodes[node.parent]
        parent.children.discard(node.name)
        if not parent.results:
            parent.since = now
        parent.results.append(node.frontier)
        parent.urgent = parent.urgent or decided
        self._sort(parent)

    def _recall(self, node: Node[B]) -> None:
        """Puts the child that a node waits for back as it is, unless it runs: then it comes back after its slice."""
        if node.name not in self.nodes or node.phase is not Phase.WAITING or node.needs is None:
            return
        children = [self.nodes[name] for name in node.children]
        child = next((child for child in children if child.label == node.needs), None)
        if child is None or child.phase is Phase.RUNNING:
            return
        del self.nodes[child.name]
        self._forget(child)
        node.children.remove(child.name)
        node.children |= child.children
        for name in child.children:
            self.nodes[name].parent = node.name
        # Results of the child's own parts can be put in after the child.
        node.results += [child.frontier, *child.results]
        node.urgent = True
        self._sort(node)

    def _drop(self, names: Iterable[int]) -> None:
        """Drops nodes, with all that is below them."""
        names = list(names)
        while names:
            node = self.nodes.pop(names.pop())
            names.extend(node.children)
            self._forget(node)
            if self._end(node.name) is not None:
                self.dropped.append(node.name)
            self._discard_all([node.frontier, *node.results])

    def _hold_later(self, node: Node[B]) -> None:
        """Holds the later siblings of a part that has found an error, with all that is below them."""
        if node.parent is None:
            return
        turn, number = node.born
        siblings = [self.nodes[name] for name in self.nodes[node.parent].children]
        below = [sibling for sibling in siblings if sibling.born[0] == turn and sibling.born[1] > number]
        while below:
            sibling = below.pop()
            sibling.held = True
            self._sort(sibling)
            below.extend(self.nodes[name] for name in sibling.children)

    def _discard_all(self, frontiers: Iterable[B]) -> None:
        for frontier in frontiers:
            self._discard(frontier)

    @property
    def queued(self) -> int:
        """Frontiers that could run now."""
        return len(self._ready) + len(self._merges) + len(self._held)
