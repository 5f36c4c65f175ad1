#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One PE of very many is killed: the job ends within 5 s, and what it prints is the cause, with few
lines beside it. Many processes end slowly, and those that live longer see connections close."""

import re
import sys
import time
from pathlib import Path

from common import check, finish, start
from frame.script import oshcc

NPES, NNODES = (int(word) for word in sys.argv[1:3])
ENDS_WITHIN_S, LINES = 5, 8
program = oshcc(Path.cwd() / "killed_many", Path(__file__).with_name("killed_many.c"))

job = start("-n", NPES, "--emulate-nodes", NNODES, "-x", "SHMEM_SYMMETRIC_SIZE=1M", program)
check(job.stdout.readline() == "killed now\n", "the job runs")
before = time.monotonic()
out, err = job.communicate(timeout=300)
took = time.monotonic() - before
lines = err.splitlines()
check(job.returncode == 137, "its status is that of the signal", job.returncode, err[-2000:])
check(any(re.match(rf"oshrun: PE {NPES // 2} of {NPES} .*was killed by signal 9", line)
          for line in lines[:3]), "the cause is among the first lines", err[:2000])
check(len(lines) <= LINES, f"at most {LINES} lines", len(lines), err[:2000])
check(out == "", "no PE passes the barrier", out[:200])
check(took <= ENDS_WITHIN_S, f"over within {ENDS_WITHIN_S} s", took)
print(f"{NPES} PEs: over {took:.1f} s after the kill, {len(lines)} lines")
finish()
