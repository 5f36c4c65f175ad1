#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""More PEs than oshrun has descriptors for: helpers hold their pipes, and nothing of the output
changes."""

import os
import resource
import signal
import time
from pathlib import Path

from common import check, descendants, finish, processes, run, start

FEW = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))}
NPES = 150


def script(text):
    path = Path("script.sh")
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path.resolve())


# Lines, pieces without a newline, and much output, as one oshrun with all descriptors prints them.
program = script('echo "out $OSHRUN_PE"; echo "err $OSHRUN_PE" >&2; printf "end %s" $OSHRUN_PE\n'
                 '[ $((OSHRUN_PE % 50)) = 7 ] && seq 1 20000; exit 0')
wide = run("-n", NPES, "--label", program, timeout=100)
few = run("-n", NPES, "--label", program, timeout=100, **FEW)
for name in ("stdout", "stderr"):
    check(sorted(getattr(wide, name).splitlines()) == sorted(getattr(few, name).splitlines()),
          f"with few descriptors {name} is another", len(getattr(wide, name)),
          len(getattr(few, name)))
check(few.returncode == 0 and len(few.stdout) > 300000, "150 PEs on 100 descriptors",
      few.returncode, few.stderr[-300:], len(few.stdout))

# Output of a PE comes before the message about its end.
program = script('echo "the last of $OSHRUN_PE" >&2\n'
                 '[ "$OSHRUN_PE" = 77 ] && kill -9 $$; sleep 50')
job = run("-n", NPES, program, timeout=60, **FEW)
lines = job.stderr.splitlines()
check(job.returncode == 128 + signal.SIGKILL, "the status of a killed PE", job.returncode)
died = [i for i, line in enumerate(lines) if "PE 77 of 150" in line and "killed" in line]
check(died and "the last of 77" in lines[:died[0]], "its last line comes before its end",
      lines[-3:])

# A reader that does not read holds the PEs up, and loses nothing.
program = script("seq 1 3000")
slow = start("-n", NPES, program, **FEW)
time.sleep(1)
out, err = slow.communicate(timeout=100)
check(slow.returncode == 0 and len(out.splitlines()) == NPES * 3000, "a slow reader gets all",
      slow.returncode, len(out.splitlines()), err[-300:])

# oshrun is killed: its helpers end.
job = start("-n", NPES, "sleep", "50", **FEW)
deadline = time.monotonic() + 20
helpers = set()
while len(helpers) < NPES and time.monotonic() < deadline:
    helpers = descendants(job.pid)
    time.sleep(.1)
os.kill(job.pid, signal.SIGKILL)
job.communicate(timeout=20)
while helpers & set(processes()) and time.monotonic() < deadline + 10:
    time.sleep(.1)
check(not helpers & set(processes()), "children outlive an oshrun that was killed",
      helpers & set(processes()))
finish()
