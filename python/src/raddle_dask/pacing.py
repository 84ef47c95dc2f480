"""How long a slice may take, and into how many parts it may divide the rest.

While there is enough to do for every core, slices are as long as the user allows and divide nothing: each part costs
the start of a process and a merge. While cores have nothing to do, at the beginning, at the end, and where the search
is narrow, slices are short and divide as much as is needed.
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
    parts: int = 8
    """The most parts of one slice."""
    short_fraction: float = 0.1
    """The length of a slice while cores have nothing to do, as a fraction of the longest."""
    least_seconds: float = 0.2
    """Slices are not made shorter than this."""
    merge_seconds: float = 2.0
    """A frontier that waits for its parts goes on when results have waited this long for others."""
    most_results: int = 64
    """The most results that one slice puts in."""

    def pace(self, capacity: int, supply: int) -> Pace:
        """The limits of the next slice.

        *supply* counts the frontiers that run, those that can run, and the parts that running slices may make.
        Twice as many frontiers as cores are enough: when a slice ends, another frontier is there to take its place.
        """
        short = max(self.short_fraction * self.slice_seconds, self.least_seconds)
        hungry = supply < capacity
        seconds = min(short, self.slice_seconds) if hungry else self.slice_seconds
        missing = 2 * capacity - supply
        return Pace(seconds, max(0, min(self.parts, missing)))
