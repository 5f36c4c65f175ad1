#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PMIx: the bootstrap alone and a whole program, under Open MPI's orterun."""

import os
import shutil
import signal
import subprocess
import sys

from common import BUILD, PROBE, STAGE, alive, check, descendants, finish, kill_quietly, skip, wait_until

ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}


def orterun(*words, timeout=60, env=None):
    return subprocess.run(["orterun", "--quiet", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=timeout, env={**ENV, **(env or {})})


def good(name, want, *words, env=None):
    job = orterun(*words, env=env)
    check(job.returncode == 0, f"{name}: ends well", job.returncode, job.stdout, job.stderr)
    check(want is None or job.stdout == want, f"{name}: prints {want!r}", job.stdout, job.stderr)
    return job


if not shutil.which("orterun"):
    skip("needs orterun (Debian: openmpi-bin)")

good("one PE", "pmix: 1 PEs, one_machine 1, node_fd no, nodes 0\n", "-n", 1, PROBE, "ok")
good("4 PEs", "pmix: 4 PEs, one_machine 1, node_fd no, nodes 0 0 0 0\n", "-n", 4, PROBE, "ok")
good("all keys", None, "-n", 4, PROBE, "all")
good("many rounds", None, "-n", 3, PROBE, "stress")
good("a late PE", None, "-n", 2, PROBE, "late", 1)
good("nodes by name", "pmix: 4 PEs, one_machine 1, node_fd no, nodes 0 1 0 1\n", "-n", 4, "sh", "-c",
     f"CAUSEWAY_NODE=n$((PMIX_RANK % 2)) exec {PROBE} ok")
for status in (1, 7):
    check(orterun("-n", 3, PROBE, "abort", 1, status).returncode == status, f"abort with {status}")
check(orterun("-n", 3, PROBE, "signal", 1, signal.SIGKILL).returncode != 0, "a killed PE")
job = orterun("-n", 2, "sh", "-c", f"env -i {PROBE} ok")
check(job.stdout.count("single: 1 PEs") == 2, "without the launcher's variables: programs on their own", job.stdout)
job = orterun("-n", 2, "sh", "-c", f"if [ $PMIX_RANK = 0 ]; then exec {PROBE} ok; else sleep 4; fi",
              env={"CAUSEWAY_TIMEOUT": "1"})
check(job.returncode != 0 and "not all PEs reached the start-up fence in 1 s" in job.stderr, "fence time-out",
      job.returncode, job.stderr)

for signo in (signal.SIGTERM, signal.SIGKILL):
    job = subprocess.Popen(["orterun", "-n", "3", PROBE, "sleep"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           stdin=subprocess.DEVNULL, env=ENV, text=True)
    check([job.stdout.readline() for _ in range(3)] == ["asleep\n"] * 3, "sleepers have joined and are running")
    family = descendants(job.pid)
    kill_quietly(job.pid, signo)
    job.wait()
    check(wait_until(lambda: not alive(family), 10), f"signal {signo} to orterun is the end of the PEs", alive(family))
    for pid in alive(family):
        kill_quietly(pid)

# A whole program, on one node and on two that share nothing.
program = BUILD / "tests/launch/pmix_ring"
build = subprocess.run([STAGE / "bin/oshcc", "-O2", os.path.join(os.path.dirname(__file__), "ring.c"), "-o", program],
                       capture_output=True, text=True)
check(build.returncode == 0, "the ring is built", build.stderr)
good("ring on one node", "ring of 4 PEs: ok\n", "-n", 4, program)
for endpoint in ("rdm", "msg"):
    good(f"ring on two nodes, {endpoint}", "ring of 4 PEs: ok\n", "-n", 4, "sh", "-c",
         f"CAUSEWAY_NODE=n$((PMIX_RANK / 2)) CAUSEWAY_ENDPOINT={endpoint} exec {program}")
finish()
