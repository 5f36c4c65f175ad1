#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""RDM endpoints whose first message to each peer is lost without a word, a client's that asks for
the node's keys as well as the server's reply: connections are made all the same, and soon."""

import json
import os
import subprocess
import time
from pathlib import Path

from frame.script import BUILD, SLOW, STAGE, TESTS, check, finish, oshcc

program, summary = oshcc(Path("lone").resolve(), TESTS / "mock/lone.c"), Path("summary")
env = os.environ | {
    "CAUSEWAY_LIBFABRIC": str(BUILD / "tests/mock/libfabric-mock.so"),
    "CAUSEWAY_ENDPOINT": "rdm",
    "CAUSEWAY_TIMEOUT": str(60 * SLOW),
    "SHMEM_SYMMETRIC_SIZE": str(16 << 20),
    "MOCK_FABRIC": "first_lost",
    "MOCK_FABRIC_SUMMARY": str(summary.resolve()),
}
start = time.monotonic()
done = subprocess.run([STAGE / "bin/oshrun", "-n", "2", "--emulate-nodes", "2", program, "add"],
                      env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                      timeout=100 * SLOW)
seconds = time.monotonic() - start
check(done.returncode == 0 and "FAIL" not in done.stdout, "a lost first message ends the job",
      done.stdout, done.stderr)
lost = [json.loads(line)["first_lost"] for line in summary.read_text().splitlines()]
# of each PE one to the other's server, and one of its own server to the other PE
check(len(lost) == 2 and min(lost) >= 2, f"lost were {lost}")
check(seconds < 30 * SLOW, f"{seconds:.1f} s for two connections")
finish()
