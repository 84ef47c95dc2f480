"""Frontiers as files in a folder of this machine.

The driver holds names only. Workers keep nothing that is needed later: were results left there, Dask would answer the
loss of a worker by running finished slices again, and the second run of a slice may divide the search differently.
"""

from __future__ import annotations

import itertools
from pathlib import Path


class Store:
    """A folder of frontiers, each of which is written once and removed when it is discarded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.held_bytes = 0
        self._sizes: dict[Path, int] = {}
        self._numbers = itertools.count()

    def put(self, data: bytes) -> Path:
        """Writes a frontier, and returns its file."""
        path = self.folder / f"{next(self._numbers)}.raddle"
        path.write_bytes(data)
        self._sizes[path] = len(data)
        self.held_bytes += len(data)
        return path

    def get(self, path: Path) -> bytes:
        """Reads a frontier."""
        return path.read_bytes()

    def discard(self, path: Path) -> None:
        """Removes a frontier that is not needed any more."""
        self.held_bytes -= self._sizes.pop(path)
        path.unlink()

    def __len__(self) -> int:
        return len(self._sizes)
