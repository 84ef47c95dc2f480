"""The command line of raddle as far as this package uses it.

``raddle check ... --frontier FILE`` writes a search that has not begun yet. ``raddle slice`` goes on with it for a
while, and reports one JSON object: :class:`Report` is its typed form. ``raddle check ... --resume FILE`` reports the
result. Frontiers are opaque bytes here.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from raddle_dask.signals import Signals


class ContractError(Exception):
    """raddle did something that its contract excludes, or refused a file."""


class State(Enum):
    """How a slice has left its frontier."""

    DONE = "done"
    """Nothing is left."""
    OPEN = "open"
    """The rest can go on at once, without the results of its parts."""
    WAITING = "waiting"
    """The rest needs results of its parts to go on."""


@dataclass(frozen=True)
class Found:
    """An error, and how many executions have shown it."""

    kind: str
    file: str | None
    line: int | None
    message: str
    count: int

    @property
    def place(self) -> tuple[str, str | None, int | None, str]:
        """Two errors with the same kind, place and message are the same error."""
        return (self.kind, self.file, self.line, self.message)


@dataclass(frozen=True)
class Counts:
    """Numbers of executions, by how they ended, and of events."""

    executions: int = 0
    blocked: int = 0
    redundant: int = 0
    cut: int = 0
    events: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.executions + other.executions,
            self.blocked + other.blocked,
            self.redundant + other.redundant,
            self.cut + other.cut,
            self.events + other.events,
        )

    @property
    def visited(self) -> int:
        """The executions that an estimate of raddle counts."""
        return self.executions + self.blocked + self.cut


@dataclass(frozen=True)
class Report:
    """The result of one slice."""

    state: State
    counts: Counts
    errors: tuple[Found, ...] = ()
    names: tuple[str, ...] = ()
    """The names of the parts."""
    needs: str | None = None
    """The part that the rest waits for, of all that are missing."""
    decided: bool = False
    seconds: float = 0.0

    @staticmethod
    def parse(text: str) -> Report:
        """Reads the JSON object that ``raddle slice`` prints."""
        try:
            data: dict[str, Any] = json.loads(text)
            return Report(
                state=State(data["state"]),
                counts=Counts(
                    executions=int(data["executions"]),
                    blocked=int(data["blocked"]),
                    redundant=int(data["redundant"]),
                    cut=int(data["cut"]),
                    events=int(data["events"]),
                ),
                errors=tuple(
                    Found(
                        kind=str(error["kind"]),
                        file=error.get("file"),
                        line=error.get("line"),
                        message=str(error["message"]),
                        count=int(error["count"]),
                    )
                    for error in data["errors"]
                ),
                names=tuple(str(name) for name in data["names"]),
                needs=None if data["needs"] is None else str(data["needs"]),
                decided=bool(data["decided"]),
                seconds=float(data["seconds"]),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ContractError(f"raddle slice printed an unexpected report ({error!r}): {text[:400]!r}") from error


def with_option(arguments: Sequence[str], *option: str) -> list[str]:
    """Adds an option to arguments of ``raddle check``, before the ``--`` that the flags of clang follow."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return [*arguments[:at], *option, *arguments[at:]]


@dataclass(frozen=True)
class Raddle:
    """The command on this machine, and the arguments of the user for ``raddle check``."""

    binary: Path
    arguments: tuple[str, ...]

    def _check(self, *option: str) -> list[str]:
        return [str(self.binary), "check", *with_option(self.arguments, *option)]

    def write_frontier(self, to: Path, signals: Signals) -> int:
        """Compiles the program and writes the search that has not begun. The exit status is 0 if it worked."""
        # The standard output is that of the report alone.
        command = self._check("--frontier", str(to))
        status = signals.wait(
            subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
        )
        if status == 0 and not to.is_file():
            raise ContractError("raddle check --frontier wrote no frontier")
        return status

    def report(self, frontier: Path, signals: Signals) -> int:
        """Prints the result of a search. The exit status is that of the verdict."""
        command = self._check("--resume", str(frontier))
        return signals.wait(subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True))

    def start_estimate(self, seconds: float) -> subprocess.Popen[bytes]:
        """Starts the command that estimates how many executions the search has."""
        return subprocess.Popen(
            self._check(f"--estimate={seconds:g}", "--json"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


@dataclass(frozen=True)
class Estimate:
    """How many executions the search has, probably."""

    about: int
    low: int
    high: int

    @staticmethod
    def parse(text: bytes) -> Estimate | None:
        """Reads the object that ``raddle check --estimate --json`` prints; None if it has no estimate."""
        try:
            data = json.loads(text.splitlines()[0])
            size = data["estimate"]
            return Estimate(int(size["about"]), int(size["low"]), int(size["high"]))
        except (ValueError, KeyError, TypeError, IndexError):
            return None
