"""The command line.

Options of raddle-dask are taken out of the arguments; everything else goes to ``raddle check`` as it is. Flags of clang,
after ``--``, are never looked at.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from raddle_dask import __version__
from raddle_dask.contract import with_option


class UsageError(Exception):
    """The command line makes no sense."""


@dataclass(frozen=True)
class Options:
    """The options of ``raddle-dask check``, and the arguments for ``raddle check``."""

    arguments: tuple[str, ...]
    scheduler: str | None = None
    scheduler_file: Path | None = None
    local: int | None = None
    slice_seconds: float = 10.0
    parts: int = 4
    retries: int = 3
    raddle: Path | None = None
    checkpoint: Path | None = None
    every: float = 300.0
    resume: Path | None = None
    estimate: float | None = None
    timeout: float | None = None
    progress: float | None = None
    quiet: bool = False


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError(text)
    return number


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


_count.__name__ = "number, from 1"
_positive.__name__ = "number of seconds"

# The options, whether each has a value (None: only after "="), and its definition.
_DEFINITIONS: tuple[tuple[str, bool | None, dict[str, object]], ...] = (
    ("--scheduler", True, {"metavar": "ADDRESS", "help": "the address of a Dask scheduler"}),
    ("--scheduler-file", True, {"metavar": "FILE", "type": Path, "help": "the file in which a scheduler has left its address"}),
    ("--local", True, {"metavar": "N", "type": _count, "help": "start a cluster of N worker processes on this machine"}),
    ("--slice-seconds", True, {"metavar": "S", "type": _positive, "help": "the longest slice [default: 10]"}),
    ("--parts", True, {"metavar": "N", "type": _count, "help": "the most parts that one slice may make [default: 4]"}),
    ("--retries", True, {"metavar": "N", "type": int, "help": "how often a slice that fails is run again [default: 3]"}),
    ("--raddle", True, {"metavar": "PATH", "type": Path, "help": "the raddle to run here and on all workers [default: that of the path]"}),
    ("--checkpoint", True, {"metavar": "FILE", "type": Path, "help": "save the search to FILE now and then and when it is stopped"}),
    ("--every", True, {"metavar": "SECONDS", "type": _positive, "help": "how often it is saved [default: 300]"}),
    ("--resume", True, {"metavar": "FILE", "type": Path, "help": "go on with a search that raddle-dask or raddle check has saved"}),
    ("--timeout", True, {"metavar": "SECONDS", "type": _positive, "help": "stop after this many seconds, and save the search"}),
    ("--estimate", None, {"metavar": "SECONDS", "type": _positive, "nargs": "?", "const": 3.0, "help": "estimate the size of the search on this machine, for the lines about progress"}),
    ("--progress", None, {"metavar": "SECONDS", "type": _positive, "nargs": "?", "const": 30.0, "help": "print a line about the progress every so many seconds [default: 30; on a terminal, one line that changes]"}),
    ("--quiet", False, {"action": "store_true", "help": "print nothing about the progress"}),
    ("--help", False, {"action": "help", "help": "print this text"}),
)  # fmt: skip


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="raddle-dask check",
        usage="raddle-dask check FILE... --model MODEL [options of raddle check]\n"
        "         (--scheduler ADDRESS | --scheduler-file FILE | --local N) [options] [-- FLAGS...]",
        description="Runs raddle check on a Dask cluster. Output and exit status are those of raddle check.",
        add_help=False,
        allow_abbrev=False,
    )
    for name, _, definition in _DEFINITIONS:
        parser.add_argument(name, **definition)  # type: ignore[arg-type]
    return parser


def split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Divides arguments into those of raddle-dask and those of raddle."""
    takes_value = {name: value for name, value, _ in _DEFINITIONS}
    ours: list[str] = []
    theirs: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, _ = word.partition("=")
        if word == "--":
            theirs += [word, *rest]
            break
        if word == "-h":
            ours.append("--help")
        elif name not in takes_value:
            theirs.append(word)
        elif takes_value[name] and not equals:
            if not rest:
                raise UsageError(f"{name} needs a value")
            ours.append(f"{name}={rest.pop(0)}")
        else:
            ours.append(word)
    return ours, theirs


def parse(arguments: Sequence[str]) -> Options:
    """Reads the arguments that follow ``raddle-dask``."""
    if list(arguments[:1]) in (["--version"], ["-V"]):
        print(f"raddle-dask {__version__}")
        raise SystemExit(0)
    if list(arguments[:1]) in (["--help"], ["-h"], ["help"]):
        arguments = ["check", "--help"]
    if list(arguments[:1]) != ["check"]:
        raise UsageError("the command is: raddle-dask check FILE... --model MODEL; see raddle-dask check --help")
    ours, theirs = split(arguments[1:])
    given = {name: value for name, value in vars(_parser().parse_args(ours)).items() if value is not None}
    given.pop("help", None)
    if sum(name in given for name in ("scheduler", "scheduler_file", "local")) != 1:
        raise UsageError("one of --scheduler, --scheduler-file and --local is needed")
    if given.get("retries", 0) < 0:
        raise UsageError("--retries is a number, from 0")
    if any(word.partition("=")[0] == "--max-executions" for word in theirs):
        raise UsageError("--max-executions is for one process, which counts them in their order")
    if "timeout" in given:
        # Compiling the program and explaining its errors have the same limit as the search.
        theirs = with_option(theirs, f"--timeout={given['timeout']:g}")
    return Options(arguments=tuple(theirs), **given)
