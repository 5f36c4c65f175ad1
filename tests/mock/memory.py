#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Registered memory and its limit: memory.py CASE.

mute: the node server fails at start: the job ends at once with the reason.
lazy: large heaps of which little is used: only that is registered, and its owner has touched it.
full: more is used than may be registered: the job ends at once with the reason.
cross: transfers of every kind across the borders of registered chunks.
blocks: blocks of ARMCI: what is registered follows what is used at a time.
fall: memory of freed blocks is given up.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from frame.script import BUILD, SLOW, STAGE, TESTS, check, finish, oshcc

CARD = "virt_addr,prov_key,mr_local,mr_allocated"


class Job:
    """A finished job over the mock: its output, its end, the mock's summaries."""

    def __init__(self, directory, program, *args, demands=CARD, mode="msg", npes=2, nnodes=2,
                 heap="16M", ulimit=None, **env):
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
            if ulimit is not None:
                resource.setrlimit(resource.RLIMIT_MEMLOCK, (ulimit, ulimit))

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


def ends_with_reason(job, what):
    """The job was ended by the failed registration, long before any time-out."""
    check(job.status not in (0, None), f"{what}: an error exit", job.text())
    check(job.seconds < 20 * SLOW, f"{what}: at once, not after {job.seconds:.0f} s", job.text())
    check("cannot register" in job.err and "raise ulimit -l (now" in job.err
          and "SHMEM_SYMMETRIC_SIZE" in job.err, f"{what}: the reason and the remedy", job.text())
    check("CAUSEWAY_INTERFACE" not in job.err, f"{what}: blames no address", job.text())


def mute(directory):
    ring = oshcc(directory / "ring", TESTS / "errors/ring.c")
    for mode in ("msg", "rdm"):
        limit = 2 << 20  # room for message buffers, not for the node object
        job = Job(directory, ring, mode=mode, demands=CARD + ",mr_locked", ulimit=limit)
        ends_with_reason(job, f"a limit of 2 MiB over {mode}")
        check("(now 2048 KiB)" in job.err, "names the limit", job.text())
    program = oshcc(directory / "memory", TESTS / "mock/memory.c")
    job = Job(directory, program, "sleep", CAUSEWAY_PROVIDER="nosuch")
    check(job.status not in (0, None) and job.seconds < 20 * SLOW,
          "a server without a provider ends a job that sleeps", job.text())
    check("nosuch" in job.err, "with the reason", job.text())


def lazy(directory):
    program = oshcc(directory / "memory", TESTS / "mock/memory.c")
    for mode in ("msg", "rdm"):
        # Heaps of 1 GiB in chunks of 32 MiB; of one PE a node another node uses 40 MiB.
        job = Job(directory, program, "use", 40, demands=CARD + ",mr_locked", mode=mode, npes=4,
                  heap="1G", MOCK_FABRIC_LOCKED=str(300 << 20), CAUSEWAY_DEBUG="1")
        what = f"4 x 1 GiB of heap over {mode}"
        check(job.status == 0 and "memory done" in job.out, f"{what}: a limit of 300 MiB does",
              job.text()[-4000:])
        pieces = re.findall(r"registers piece (\d+), (\d+) bytes; (\d+) of them had no memory",
                            job.err)
        heap = [int(missing) for _, nbytes, missing in pieces if int(nbytes) == 32 << 20]
        check(len(heap) == 4, f"{what}: two chunks of a heap a node, not {len(heap)}", pieces)
        check(sum(heap) == 0, f"{what}: owners touched them", heap)
        check(job.total("mr_untouched_bytes") == 0, f"{what}: all had memory")
        check(all(s["cache"] == "disabled" for s in job.summaries), f"{what}: nothing is cached",
              [s["cache"] for s in job.summaries])


def full(directory):
    program = oshcc(directory / "memory", TESTS / "mock/memory.c")
    job = Job(directory, program, "use", 200, demands=CARD + ",mr_locked", heap="1G",
              MOCK_FABRIC_LOCKED=str(100 << 20))
    ends_with_reason(job, "200 MiB used where 100 may be locked")


def cross(directory):
    program = oshcc(directory / "memory", TESTS / "mock/memory.c")
    for mode, demands, env in (("msg", CARD, {}),
                               ("rdm", CARD + ",unordered_sends,eagain", {}),
                               ("rdm", "prov_key,mr_allocated,mr_endpoint", {}),
                               ("msg", CARD + ",atomics", {"CAUSEWAY_ATOMICS": "nic"}),
                               ("msg", CARD, {"CAUSEWAY_MAX_CONNECTIONS": "1"})):
        job = Job(directory, program, "cross", mode=mode, demands=demands, npes=3, nnodes=3,
                  heap="24M", **env)
        what = f"{mode} with {demands} {env or ''}"
        check(job.status == 0 and "memory done" in job.out, f"across borders over {what}",
              job.text()[-4000:])
        check(job.total("mr_untouched_bytes") == 0, f"{what}: all had memory")


def blocks(directory):
    program = oshcc(directory / "blocks", TESTS / "mock/blocks.c", "-larmci")
    # of a large block two chunks are used; small ones come and go in the same place
    for mode, mib, rounds, most in (("msg", 3000, 2, 100), ("rdm", 40, 12, 150)):
        job = Job(directory, program, mib, rounds, demands=CARD + ",mr_locked", mode=mode,
                  MOCK_FABRIC_LOCKED=str(most << 20))
        what = f"{rounds} x {mib} MiB over {mode}, at most {most} MiB"
        check(job.status == 0 and "blocks done" in job.out, what, job.text()[-4000:])
        check(job.total("mr_untouched_bytes") == 0, f"{what}: all had memory")
        pinned = [s["mr_pinned"] >> 20 for s in job.summaries]
        check(len(pinned) == 2 and all(pinned), f"{what}: memory is registered", pinned)


def fall(directory):
    """Blocks that are freed by all give their memory back: two of 160 MiB, one after the other,
    where 280 MiB may be registered. A process that is passed an address keeps its key, which stays
    good."""
    # chunks are of 16 MiB where the machine has 16 to 32 GiB
    scale = -(-os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // (32 << 30))
    program = oshcc(directory / "blocks", TESTS / "mock/blocks.c", "-larmci")
    for mode, env in (("msg", {}), ("rdm", {}), ("msg", {"CAUSEWAY_DELAY": "3:50"})):
        job = Job(directory, program, 160 * scale, "fall", demands=CARD + ",mr_locked", mode=mode,
                  MOCK_FABRIC_LOCKED=str(280 * scale << 20), **env)
        what = f"2 x {160 * scale} MiB over {mode} {env or ''}"
        check(job.status == 0 and "blocks done" in job.out, what, job.text()[-4000:])
        check(job.total("mr_untouched_bytes") == 0, f"{what}: all had memory")
    for mode, env in (("msg", {}), ("rdm", {}), ("msg", {"CAUSEWAY_MAX_CONNECTIONS": "1"})):
        job = Job(directory, program, 40, "passed", mode=mode, npes=3, nnodes=3, **env)
        check(job.status == 0 and "blocks done" in job.out, f"addresses passed on, {mode} {env}",
              job.text()[-4000:])


CASES = {"mute": mute, "lazy": lazy, "full": full, "cross": cross, "blocks": blocks, "fall": fall}


def main():
    with tempfile.TemporaryDirectory() as name:
        for case in sys.argv[1:]:
            CASES[case](Path(name))
    finish()


main()
