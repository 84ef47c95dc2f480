"""Lines about the progress of a search, on standard error."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TextIO

from raddle_dask.contract import Counts, Estimate
from raddle_dask.driver import Snapshot
from raddle_dask.tree import Tree

LIVE_SECONDS = 0.5


def describe(
    tree: Tree[Path], snapshot: Snapshot, seconds: float, since: Counts, estimate: Estimate | None
) -> str:
    """One line. The rate is that of the executions since *since*, which were counted *seconds* ago."""
    visited = tree.counts.visited
    fresh = visited - since.visited
    rate = fresh / seconds if seconds > 0 else 0.0
    counted = plural(tree.counts.executions, "execution")
    for number, word in (
        (tree.counts.blocked, "blocked"),
        (tree.counts.cut, "cut"),
        (tree.counts.redundant, "redundant"),
    ):
        counted += f", {number:,} {word}" if number else ""
    text = f"{seconds:.0f} s: {counted}"
    if estimate is not None:
        text += f" of about {estimate.about:,}"
        if rate > 0 and estimate.about > visited:
            text += f", {(estimate.about - visited) / rate:,.0f} s left"
    text += f", {rate:,.0f}/s; {plural(tree.slices, 'slice')} done, {snapshot.running} running"
    text += f" on {plural(snapshot.cores, 'core')}, {plural(tree.queued, 'part')} waiting"
    text += f", {plural(len(tree.errors), 'error')}" if tree.errors else ""
    return text


def plural(number: int, word: str) -> str:
    """``1 part``, ``1,000 parts``."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


class Progress:
    """Draws a line on a terminal again and again; elsewhere, prints a line now and then."""

    def __init__(self, stream: TextIO, every: float | None, quiet: bool) -> None:
        terminal = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._stream = stream
        self._live = terminal and every is None
        self._every = LIVE_SECONDS if self._live else (30.0 if every is None else every)
        self._quiet = quiet
        self._next = time.monotonic() + self._every
        self._drawn = False

    @property
    def is_due(self) -> bool:
        """Whether the next line should be shown."""
        return not self._quiet and time.monotonic() >= self._next

    def show(self, line: str) -> None:
        """Shows the line, in place of the one before on a terminal."""
        self._next = time.monotonic() + self._every
        if not self._live:
            self._print(f"progress: {line}")
            return
        width = os.get_terminal_size(self._stream.fileno()).columns or 80
        self._stream.write(f"\r\x1b[K{line[: max(width - 1, 20)]}")
        self._stream.flush()
        self._drawn = True

    def note(self, line: str) -> None:
        """Prints a line that stays."""
        if not self._quiet:
            self._print(f"raddle-dask: {line}")

    def clear(self) -> None:
        """Removes the line from the terminal."""
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._drawn = False

    def _print(self, line: str) -> None:
        self.clear()
        print(line, file=self._stream, flush=True)
