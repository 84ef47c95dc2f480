#!/usr/bin/env python3
"""A raddle for tests, which searches a toy tree.

The program is a JSON file:

    {"depth": 4, "seed": 7, "errors": 2, "leaf_seconds": 0.001, "keep_going": false}

Leaves are executions. A frontier holds the roots of the subtrees that it covers. Some leaves find a *race*: more subtrees
below an ancestor have to be visited, once however many leaves find it. If a part does not cover the ancestor, the frontier
that the part was taken from learns of the race with the result of the part. So a part that is lost, or put in twice, or
divided twice, shows in the set of visited leaves. The order of the search is that of the paths.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

RACES = 100
"""Branches from this number on are those that a race finds."""

Path_ = tuple[int, ...]
Data = dict[str, Any]


class Refused(Exception):
    """The status is 2."""


def draw(program: Data, path: Path_, what: str, below: int) -> int:
    """A number that depends on the program and the path."""
    text = f"{program['seed']}:{what}:{path}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") % below


def is_leaf(program: Data, path: Path_) -> bool:
    return len(path) >= program["depth"] or (len(path) > 1 and draw(program, path, "leaf", 6) == 0)


def children(program: Data, path: Path_) -> list[Path_]:
    return [(*path, branch) for branch in range(1 + draw(program, path, "width", 4))]


def race(program: Data, leaf: Path_) -> Path_ | None:
    """The ancestor that a leaf shows a race at. Leaves that a race has led to show none."""
    if max(leaf, default=0) >= RACES or draw(program, leaf, "race", 3) != 0:
        return None
    return leaf[: draw(program, leaf, "ancestor", len(leaf))]


def is_error(program: Data, leaf: Path_) -> bool:
    return bool(program.get("errors")) and draw(program, leaf, "error", 1000) < program["errors"]


def covers(roots: list[Path_], path: Path_) -> bool:
    return any(path[: len(root)] == root for root in roots)


def pack(state: Data) -> bytes:
    body = json.dumps(state, sort_keys=True).encode()
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def unpack(data: bytes) -> Data:
    digest, _, body = data.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != digest:
        raise Refused("the file is damaged, or it is not a frontier")
    state: Data = json.loads(body)
    for name in ("roots", "todo", "visited", "outgoing", "raced"):
        state[name] = [tuple(path) for path in state[name]]
    state["missing"] = {name: [tuple(path) for path in roots] for name, roots in state["missing"].items()}
    return state


def begin(program: Data) -> bytes:
    """The frontier of a search that has not begun."""
    return pack(fresh(program, "root", [()]))


def fresh(program: Data, name: str, roots: list[Path_]) -> Data:
    return {
        "program": program,
        "name": name,
        "roots": roots,
        "todo": roots,
        "visited": [],
        "raced": [],
        "outgoing": [],
        "missing": {},
        "needless": [],
        "turn": 0,
    }


def first_error(state: Data) -> Path_ | None:
    if state["program"].get("keep_going"):
        return None
    return min((leaf for leaf in state["visited"] if is_error(state["program"], leaf)), default=None)


def drop_later(state: Data) -> None:
    """Forgets what comes after the first error."""
    error = first_error(state)
    if error is None:
        return
    state["todo"] = [path for path in state["todo"] if path < error]
    state["visited"] = [leaf for leaf in state["visited"] if leaf <= error]
    for name, roots in list(state["missing"].items()):
        if min(roots) >= error:
            del state["missing"][name]
            state["needless"].append(name)


def add_race(state: Data, ancestor: Path_) -> None:
    if not covers(state["roots"], ancestor):
        if ancestor not in state["outgoing"]:
            state["outgoing"].append(ancestor)
        return
    if ancestor in state["raced"]:
        return
    state["raced"].append(ancestor)
    state["todo"] += [(*ancestor, RACES + branch) for branch in range(2)]
    state["todo"].sort()


def merge(state: Data, result: Data) -> None:
    name = result["name"]
    if name in state["needless"]:
        # It was solved while the error was found that it comes after.
        return
    if name not in state["missing"]:
        raise Refused(f"{name} is not a part that is missing")
    del state["missing"][name]
    # A part that is not done comes back with all that is left of it.
    state["todo"] = sorted(state["todo"] + result["todo"])
    state["missing"].update(result["missing"])
    state["needless"] += result["needless"]
    state["raced"] += result["raced"]
    both = set(state["visited"]) & set(result["visited"])
    assert not both, f"visited twice: {both}"
    state["visited"] += result["visited"]
    for ancestor in result["outgoing"]:
        add_race(state, ancestor)


def step(state: Data) -> bool:
    """Expands the first path that is left; returns whether it was a leaf."""
    program = state["program"]
    path = state["todo"].pop(0)
    if not is_leaf(program, path):
        state["todo"] = children(program, path) + state["todo"]
        return False
    assert path not in state["visited"], f"visited twice: {path}"
    state["visited"].append(path)
    ancestor = race(program, path)
    if ancestor is not None:
        add_race(state, ancestor)
    return True


def slice_of(
    frontier: bytes, results: list[bytes], seconds: float, parts: int, jitter: random.Random | None = None
) -> tuple[str, bytes, list[bytes]]:
    """A slice as a function of bytes: the report, the rest and the parts."""
    state = unpack(frontier)
    program = state["program"]
    for result in results:
        merge(state, unpack(result))
    drop_later(state)
    leaf_seconds = program.get("leaf_seconds", 0.001)
    budget = int(seconds / leaf_seconds)
    if jitter is not None:
        budget = jitter.randrange(budget + 1)
    begun = time.monotonic()
    leaves = 0
    while leaves < budget and state["todo"]:
        leaves += step(state)
        drop_later(state)
        if program.get("sleeps"):
            time.sleep(max(0.0, begun + leaves * leaf_seconds - time.monotonic()))
    state["turn"] += 1
    made = divide(state, parts)
    status = "open" if state["todo"] else "waiting" if state["missing"] else "done"
    report = {
        "state": status,
        "names": [part["name"] for part in made],
        "needs": min(state["missing"], key=lambda name: min(state["missing"][name]), default=None),
        "executions": leaves,
        "blocked": 0,
        "redundant": 0,
        "cut": 0,
        "events": 3 * leaves,
        "errors": [
            {"kind": "assertion", "file": "toy.c", "line": 7, "message": str(leaf), "count": 1}
            for leaf in sorted(state["visited"])
            if is_error(program, leaf)
        ],
        "decided": first_error(state) is not None,
        "seconds": leaves * leaf_seconds,
    }
    return json.dumps(report), pack(state), [pack(part) for part in made]


def divide(state: Data, parts: int) -> list[Data]:
    """Gives subtrees away, the later ones first, and keeps every third one."""
    given = [path for at, path in enumerate(state["todo"]) if at % 3 != 2][-parts:] if parts else []
    state["todo"] = [path for path in state["todo"] if path not in given]
    made = []
    for number, path in enumerate(given):
        name = f"{state['name']}.{state['turn']}.{number}"
        state["missing"][name] = [path]
        made.append(fresh(state["program"], name, [path]))
    return made


def finish(frontier: bytes) -> Data:
    """The result of a search."""
    state = unpack(frontier)
    while state["todo"]:
        step(state)
        drop_later(state)
    if state["missing"]:
        raise Refused("parts are missing")
    errors = [leaf for leaf in sorted(state["visited"]) if is_error(state["program"], leaf)]
    leaves = hashlib.sha256(repr(sorted(state["visited"])).encode()).hexdigest()[:16]
    return {"executions": len(state["visited"]), "leaves": leaves, "errors": [list(leaf) for leaf in errors]}


def value(arguments: list[str], name: str) -> str | None:
    """Takes an option with its value from the arguments."""
    if name not in arguments:
        return None
    at = arguments.index(name)
    found = arguments[at + 1]
    del arguments[at : at + 2]
    return found


def main(arguments: list[str]) -> int:
    command = arguments.pop(0)
    if command == "check":
        frontier, resumed = value(arguments, "--frontier"), value(arguments, "--resume")
        if any(word.startswith("--estimate") for word in arguments):
            print(json.dumps({"estimate": {"about": 1000, "low": 900, "high": 1200}}))
            return 0
        if frontier is not None:
            program = json.loads(Path(arguments[0]).read_text())
            program["keep_going"] = "--keep-going" in arguments
            Path(frontier).write_bytes(begin(program))
            return 0
        assert resumed is not None
        result = finish(Path(resumed).read_bytes())
        print(json.dumps(result))
        return 1 if result["errors"] else 0
    assert command == "slice", command
    folder = Path(value(arguments, "-o") or "")
    seconds, parts = float(value(arguments, "--seconds") or 1), int(value(arguments, "--parts") or 1)
    assert value(arguments, "--jobs") == "1"
    assert int(value(arguments, "--max-memory") or 0) > 0
    frontier, *results = arguments
    program = unpack(Path(frontier).read_bytes())["program"]
    if program.get("fails"):
        print("fails on purpose", file=sys.stderr)
        return 101
    told, rest, made = slice_of(
        Path(frontier).read_bytes(), [Path(name).read_bytes() for name in results], seconds, parts
    )
    # A killed slice leaves half of its output behind, which must not be used.
    for number, part in enumerate(made, 1):
        (folder / f"part-{number}.raddle").write_bytes(part)
    (folder / "rest.raddle").write_bytes(rest)
    report = json.loads(told)
    report["rest"] = str(folder / "rest.raddle")
    report["parts"] = [str(folder / f"part-{number}.raddle") for number in range(1, len(made) + 1)]
    print(json.dumps(report), flush=True)
    return 0


if __name__ == "__main__":
    try:
        status = main(sys.argv[1:])
    except Refused as refused:
        print(f"error: {refused}", file=sys.stderr)
        status = 2
    sys.stdout.flush()
    os._exit(status)
