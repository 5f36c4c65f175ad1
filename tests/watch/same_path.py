#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Statistics observe, they do not change the path: a program of GASNet-1 and one of GASNet-EX make
the same calls of the provider, counted by the mock, with statistics and without."""
import json
import os
import subprocess
from pathlib import Path

from frame.script import BUILD, STAGE, TESTS, check, finish, oshcc

KINDS = ("write", "writemsg", "inject_write", "read")  # RMA; reads are gets and flushes
FEW = 20  # of barriers, and of statistics that are collected; a kind of transfer has 60 and more


def counts(program, mode, watched):
    """Of the PE that transfers: the one with most calls."""
    summary = Path("summary")
    summary.unlink(missing_ok=True)
    env = os.environ | {"CAUSEWAY_LIBFABRIC": str(BUILD / "tests/mock/libfabric-mock.so"),
                        "CAUSEWAY_ENDPOINT": mode, "MOCK_FABRIC_SUMMARY": str(summary)}
    if watched:
        env["CAUSEWAY_STATS"] = "json:stats.json"
    job = subprocess.run([STAGE / "bin/oshrun", "-n", "2", "--emulate-nodes", "2", program],
                         env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         timeout=60)
    check(job.returncode == 0, f"{program} over {mode}", job.stdout, job.stderr)
    pes = [json.loads(line) for line in summary.read_text().splitlines()]
    return max(({kind: pe[kind] for kind in KINDS} for pe in pes), key=lambda c: sum(c.values()))


for name, flags in (("same_path_1", ["-DGASNET_SEQ=1"]), ("same_path_ex", ["-DGASNET_SEQ=1"])):
    program = oshcc(Path(name).resolve(), TESTS / f"watch/{name}.c", *flags)
    for mode in ("msg", "rdm"):
        plain, watched = counts(program, mode, False), counts(program, mode, True)
        print(f"{name} over {mode}: {plain}")
        check(plain["read"] > 1000, f"{name} over {mode}: the calls are counted", plain)
        for kind in KINDS:
            # a quiet that is tested, not waited for, may flush again, as the load has it
            most = plain[kind] / 4 if kind == "read" else FEW
            check(abs(plain[kind] - watched[kind]) < most,
                  f"{name} over {mode}: {plain[kind]} x {kind}, {watched[kind]} when observed")
finish()
