"""The tree as one file: an archive with the frontiers and a table of the nodes.

Slices that run while it is written are in it as they were before: resuming runs them again. The root's first frontier is
kept as a digest, so that a checkpoint is refused for another program or other options.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from raddle_dask.contract import Counts
from raddle_dask.pacing import Pacing
from raddle_dask.store import Store
from raddle_dask.tree import Node, Phase, Tree

VERSION = 1
TABLE = "tree.json"


class CheckpointError(Exception):
    """A file is not a checkpoint, or not one of this search."""


def digest(frontier: bytes) -> str:
    """The digest of a search that has not begun, by which its checkpoints are recognised."""
    return hashlib.sha256(frontier).hexdigest()


def is_one(path: Path) -> bool:
    """Whether a file seems to be a checkpoint of raddle-dask."""
    return zipfile.is_zipfile(path)


def is_over(path: Path) -> bool:
    """Whether the search of a checkpoint has come to its end."""
    try:
        with zipfile.ZipFile(path) as archive:
            return bool(json.loads(archive.read(TABLE))["finished"])
    except (OSError, zipfile.BadZipFile, ValueError, KeyError, TypeError):
        return False


def save(path: Path, tree: Tree[Path], store: Store, origin: str) -> None:
    """Writes a checkpoint beside its name first, so that the file is always complete."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_STORED) as archive:
            nodes = [_entry(node) for node in tree.nodes.values()]
            table = {
                "version": VERSION,
                "origin": origin,
                "finished": tree.finished,
                "names": tree.names,
                "counts": asdict(tree.counts),
                "slices": tree.slices,
                "searched_seconds": tree.searched_seconds,
                "nodes": nodes,
            }
            archive.writestr(TABLE, json.dumps(table))
            for node in tree.nodes.values():
                for file in (node.frontier, *node.results):
                    archive.writestr(file.name, store.get(file))
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _entry(node: Node[Path]) -> dict[str, Any]:
    return {
        "name": node.name,
        "parent": node.parent,
        "label": node.label,
        "born": node.born,
        "depth": node.depth,
        "frontier": node.frontier.name,
        # A task that runs is run again.
        "waiting": node.phase is Phase.WAITING,
        "held": node.held,
        "slices": node.slices,
        "stalls": node.stalls,
        "children": sorted(node.children),
        "needs": node.needs,
        "results": [file.name for file in node.results],
        "urgent": node.urgent,
    }


def load(path: Path, store: Store, origin: str, pacing: Pacing) -> Tree[Path]:
    """Reads a checkpoint of the search whose first frontier has the digest *origin*."""
    try:
        with zipfile.ZipFile(path) as archive:
            table = json.loads(archive.read(TABLE))
            if table["version"] != VERSION:
                raise CheckpointError(f"{path} was written by another version of raddle-dask")
            if table["origin"] != origin:
                raise CheckpointError(f"{path} is of another program, other options or another version of raddle")
            return _restore(table, archive, store, pacing)
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror}") from error
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{path} is not a checkpoint, or it is damaged ({error})") from error


def _restore(table: dict[str, Any], archive: zipfile.ZipFile, store: Store, pacing: Pacing) -> Tree[Path]:
    nodes = [
        Node(
            name=int(entry["name"]),
            parent=entry["parent"],
            label=entry["label"],
            born=(int(entry["born"][0]), int(entry["born"][1])),
            depth=int(entry["depth"]),
            frontier=store.put(archive.read(entry["frontier"])),
            phase=Phase.WAITING if entry["waiting"] else Phase.READY,
            held=bool(entry["held"]),
            slices=int(entry["slices"]),
            stalls=int(entry["stalls"]),
            children=set(entry["children"]),
            needs=entry["needs"],
            results=[store.put(archive.read(name)) for name in entry["results"]],
            urgent=bool(entry["urgent"]),
        )
        for entry in table["nodes"]
    ]
    tree = Tree(nodes, pacing, store.discard)
    tree.names = int(table["names"])
    tree.counts = Counts(**table["counts"])
    tree.slices = int(table["slices"])
    tree.searched_seconds = float(table["searched_seconds"])
    return tree
