#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Many PEs: 256 and 1024 start, exchange and end; the store and the fence under load. Times are
printed, not judged."""

import os
import time

from common import PROBE, check, finish, run


def floor(npes):
    """Plain fork/exec of as many processes, each alone, then waits for all."""
    silent = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in range(3)]
    before = time.monotonic()
    pids = [os.posix_spawn(PROBE, [PROBE, "exchange"], {}, file_actions=silent)
            for _ in range(npes)]
    for pid in pids:
        os.waitpid(pid, 0)
    return time.monotonic() - before


for npes in (2, 64, 256, 1024):
    plain = floor(npes)
    before = time.monotonic()
    job = run("-n", npes, PROBE, "exchange", timeout=100)
    took = time.monotonic() - before
    check(job.returncode == 0, f"{npes} PEs put, fence and get", job.returncode, job.stderr[-500:])
    print(f"{npes:5} PEs: {took * 1e3:7.1f} ms, plain fork/exec {plain * 1e3:7.1f} ms, ratio "
          f"{took / plain:.2f}")

job = run("-n", 256, PROBE, "all", timeout=60)
check(job.returncode == 0, "256 PEs read all keys of all", job.stderr[-500:])
job = run("-n", 16, PROBE, "stress", timeout=60)
check(job.returncode == 0, "300 rounds of puts, fences and gets by 16 PEs", job.stderr[-500:])
job = run("-n", 1024, "--emulate-nodes", 1024, PROBE, "exchange", timeout=60)
check(job.returncode == 0, "1024 nodes of one PE", job.stderr[-500:])
finish()
