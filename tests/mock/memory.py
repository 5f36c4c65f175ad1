#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Registered memory and its limit: memory.py CASE.

mute: the node server fails at start: the job ends at once with the reason.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from frame.script import BUILD, SLOW, STAGE, TESTS, check, finish, oshcc

CARD = "virt_addr,prov_key,mr_local,mr_allocated,mr_locked"


class Job:
    """A finished job over the mock: its output, its end, the mock's summaries."""

    def __init__(self, directory, program, *args, demands=CARD, mode="msg", npes=2, nnodes=2,
                 heap="16M", locked=None, **env):
        summary = directory / "summary"
        summary.unlink(missing_ok=True)
        env = os.environ | {
            "CAUSEWAY_LIBFABRIC": str(BUILD / "tests/mock/libfabric-mock.so"),
            "CAUSEWAY_ENDPOINT": mode,
            "CAUSEWAY_TIMEOUT": "100",
            "SHMEM_SYMMETRIC_SIZE": heap,
            "MOCK_FABRIC": demands,
            "MOCK_FABRIC_SUMMARY": str(summary),
        } | env

        def limit():
            if locked is not None:
                resource.setrlimit(resource.RLIMIT_MEMLOCK, (locked, locked))

        start = time.monotonic()
        done = subprocess.run(
            [STAGE / "bin/oshrun", "-n", str(npes), "--emulate-nodes", str(nnodes), program,
             *map(str, args)],
            env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90,
            preexec_fn=limit)
        self.seconds = time.monotonic() - start
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.summaries = ([json.loads(line) for line in summary.read_text().splitlines()]
                          if summary.exists() else [])

    def total(self, name):
        return sum(s[name] for s in self.summaries)

    def text(self):
        return f"status {self.status}\n{self.out}{self.err}"


def ends_with_reason(job, what, limit):
    """The job was ended by the failed registration, long before any time-out."""
    check(job.status not in (0, None), f"{what}: an error exit", job.text())
    check(job.seconds < 20 * SLOW, f"{what}: at once, not after {job.seconds:.0f} s", job.text())
    check("cannot register" in job.err and f"ulimit -l (now {limit // 1024} KiB)" in job.err
          and "SHMEM_SYMMETRIC_SIZE" in job.err, f"{what}: the reason and the remedy", job.text())
    check("CAUSEWAY_INTERFACE" not in job.err, f"{what}: blames no address", job.text())


def mute(directory):
    ring = oshcc(directory / "ring", TESTS / "errors/ring.c")
    for mode in ("msg", "rdm"):
        limit = 2 << 20  # room for message buffers, not for the node object
        job = Job(directory, ring, mode=mode, locked=limit)
        ends_with_reason(job, f"a limit of 2 MiB over {mode}", limit)
    program = oshcc(directory / "memory", TESTS / "mock/memory.c")
    job = Job(directory, program, "sleep", CAUSEWAY_PROVIDER="nosuch")
    check(job.status not in (0, None) and job.seconds < 20 * SLOW,
          "a server without a provider ends a job that sleeps", job.text())
    check("nosuch" in job.err, "with the reason", job.text())


def main():
    with tempfile.TemporaryDirectory() as name:
        for case in sys.argv[1:]:
            {"mute": mute}[case](Path(name))
    finish()


main()
