#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs replies.c over the mock fabric with what network cards demand, in both endpoint modes. Where
messages may overtake each other no reply may return over the connection of its request."""

import os
import subprocess

from frame.script import BUILD, STAGE, check, finish

DEMANDS = ("small_inject", "eagain", "virt_addr,prov_key,mr_local,mr_allocated,cm55",
           "unordered_sends,no_wait_fd")


def run(demands, endpoint):
    mode = "never" if "unordered_sends" in demands else "quiet"
    env = os.environ | {
        "CAUSEWAY_LIBFABRIC": str(BUILD / "tests/mock/libfabric-mock.so"),
        "MOCK_FABRIC": demands,
        "CAUSEWAY_ENDPOINT": endpoint,
        "CAUSEWAY_AM_REPLIES": "8",
        "CAUSEWAY_YIELDS": "1000",
        "SHMEM_SYMMETRIC_SIZE": "64M",
    }
    command = [STAGE / "bin/oshrun", "-n", "2", "--emulate-nodes", "2", BUILD / "tests/am/replies",
               mode, "20"]
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=100)
    passed = done.returncode == 0 and ", 0 failed" in done.stdout
    check(passed, f"{endpoint} {demands}: status "
          f"{done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


for demands in DEMANDS:
    for endpoint in ("msg", "rdm"):
        run(demands, endpoint)
finish()
