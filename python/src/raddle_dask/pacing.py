"""How long a slice may take, and into how many parts it may divide the rest.

Each slice costs the start of a process, and each part a merge. But the cores that have nothing to do wait until the slices of the
others are over. So slices are short at first, and are never much longer than a tenth of the time that the search has
taken; and they divide no more than is needed for every core to find work when it needs some. The numbers
are from simulations of searches of 10 seconds to several minutes with 2 to 1,000 cores.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """The limits of one slice."""

    seconds: float
    parts: int


@dataclass(frozen=True)
class Pacing:
    """The limits of all slices."""

    slice_seconds: float = 10.0
    """The longest slice."""
    parts: int = 4
    """The most parts of one slice."""
    growth: float = 0.1
    """The longest slice, as a fraction of the time so far."""
    first_seconds: float = 0.5
    """Slices are as long as this in any case, if cores have enough to do."""
    hungry: float = 0.25
    """The length of slices while cores have nothing to do, as a fraction of their other length."""
    least_seconds: float = 0.2
    """Slices are as long as this in any case."""
    frontiers: int = 4
    """The frontiers for each core that are enough."""
    merge_seconds: float = 2.0
    """A frontier that waits for its parts goes on when results have waited this long for others."""
    most_results: int = 64
    """The most results that one slice puts in."""

    def pace(self, cores: int, supply: int, searched: float) -> Pace:
        """The limits of the next slice.

        *supply* counts the frontiers that run, those that can run, and the parts that running slices may make; *searched* is
        the time that all slices have taken.
        """
        seconds = max(self.first_seconds, self.growth * searched / cores)
        if supply < cores:
            seconds = max(self.least_seconds, self.hungry * min(seconds, self.slice_seconds))
        missing = self.frontiers * cores - supply
        return Pace(min(seconds, self.slice_seconds), max(0, min(self.parts, missing)))
