"""The real raddle, if the environment names one: the result is that of one process."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from raddle_dask.cli import main

RADDLE = os.environ.get("RADDLE", "")

# Increments that may get lost, and stores in any order: 54,000 executions under tso, the first error in the
# 4,423rd.
PROGRAM = """global @count: i32
global @turn: i32
thread check = @check()
thread a = @increment(1)
thread b = @increment(2)
thread c = @increment(3)
thread d = @write(4)
thread e = @write(5)
func @increment(%me: i32) {
    reg %old: i32, %new: i32
  entry:
    %old = load i32 asm @count
    %new = add i32 %old, 1
    store i32 asm @count, %new
    store i32 asm @turn, %me
    ret
}
func @write(%me: i32) {
  entry:
    store i32 asm @turn, %me
    ret
}
func @check() {
    reg %total: i32, %turn: i32, %less: i1
  entry:
    %turn = load i32 asm @turn
    %total = load i32 asm @count
    %less = cmp ult i32 %total, 3
    assert %less, "three increments are seen"
    ret
}
"""


def without_costs(text: str) -> list[dict[str, Any]]:
    objects = [json.loads(line) for line in text.splitlines()]
    return [{name: value for name, value in found.items() if name not in ("seconds", "peak")} for found in objects]


@pytest.mark.skipif(not RADDLE, reason="RADDLE is not set")
@pytest.mark.parametrize("options", [["tso", "--keep-going"], ["tso"], ["power", "--no-check", "assertion"]])
def test_the_result_is_that_of_one_process(
    options: list[str], scheduler: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program.rir"
    program.write_text(PROGRAM)
    call = ["check", str(program), "--json", "--model", *options]
    one = subprocess.run([RADDLE, *call], capture_output=True, text=True, check=False)
    status = main([*call, "--raddle", RADDLE, "--scheduler", scheduler, "--slice-seconds", "0.02"])
    told, complaint = capfd.readouterr()
    assert (status, without_costs(told)) == (one.returncode, without_costs(one.stdout)), complaint
