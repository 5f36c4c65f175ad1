#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PEs that disagree about a setting on which collective calls or atomics depend, on one node and on
two: a message and an error exit, no hang. What only one PE reads may differ."""
import subprocess

from frame.script import SLOW, STAGE, TESTS, check, finish, oshcc

RING = oshcc("./ring", TESTS / "errors/ring.c")


def run(name, one, other, nodes):
    command = [STAGE / "bin/oshrun", "--timeout", 20 * SLOW, "--emulate-nodes", nodes,
               "-n", 1, "-x", f"{name}={one}", RING, ":", "-n", 1, "-x", f"{name}={other}", RING]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


for name, one, other, here, there in (
        ("CAUSEWAY_CHECK", "1", "0", "1", "0"),
        ("CAUSEWAY_TRACE", "t.json", "", "a file", "not set"),
        ("CAUSEWAY_STATS", "1", "", "1", "0"),
        ("CAUSEWAY_STATS", "pes", "0", "pes", "0"),
        ("CAUSEWAY_STATS", "pes", "json:s.json", "pes", "a file"),
        ("CAUSEWAY_ATOMICS", "nic", "cpu", "nic", "cpu"),
        ("CAUSEWAY_COLL", "broadcast=binomial", "broadcast=scatter", "broadcast=binomial",
         "another value")):
    for nodes in (2,) if name == "CAUSEWAY_ATOMICS" else (1, 2):
        for values in ((one, other), (other, one)):
            job = run(name, *values, nodes)
            said = f"the PEs disagree about {name}: "
            check(job.returncode not in (0, 124) and said in job.stderr, name, values, nodes,
                  job.returncode, job.stderr)
            if there != "another value":
                check(f"{said}{here} here, {there} on " in job.stderr or
                      f"{said}{there} here, {here} on " in job.stderr, name, values, job.stderr)
for name, one, other, nodes in (("CAUSEWAY_TRACE", "t.json", "u.json", 2),
                                ("CAUSEWAY_TRACE_EVENTS", 16, 17, 2),
                                ("CAUSEWAY_STATS", "0", "", 2),
                                ("CAUSEWAY_STATS", "html:s.html", "json:s.json", 2),
                                ("CAUSEWAY_ATOMICS", "nic", "cpu", 1)):
    job = run(name, one, other, nodes)
    check(job.returncode == 0, name, job.returncode, job.stderr)
finish()
