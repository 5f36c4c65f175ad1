#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The first cause of a job's end is reported. A process that dies closes its connections before its
parent can wait for it, so other PEs may end the job because of a lost connection first."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

from common import OSHRUN, check, finish, run, start
from frame.script import oshcc

PROGRAM = oshcc(Path.cwd() / "cause", Path(__file__).with_name("cause.c"))
NODES = ["--emulate-nodes", 2, "-x", "CAUSEWAY_CHECK=1"]
PROCESS = r"PE 2 of 4 \(pid \d+, host \S+\)"
TRIES = 6
ENDS = {"kill": (137, rf"^oshrun: {PROCESS} was killed by signal 9"),
        "left": (1, rf"^oshrun: {PROCESS} exited without calling shmem_finalize"),
        "wrong": (9, rf"^oshrun: {PROCESS} exited with status 9"),
        "asked": (3, None),
        "error": (1, rf"^causeway: error: {PROCESS}: ")}


def of_oshrun(text):
    return re.findall("^oshrun: .*", text, re.M)


def one(how, wrapped):
    status, line = ENDS[how]
    words = ["sh", "-c", f"{PROGRAM} {how}; exit $?"] if wrapped else [PROGRAM, how]
    if wrapped and how == "kill":
        line = rf"^oshrun: {PROCESS} exited with status 137"
    for _ in range(TRIES):
        job = run("-n", 4, *NODES, *words)
        what = f"{how}{', under a shell' * wrapped}"
        check(job.returncode == status, f"{what}: status {status}", job.returncode, job.stderr)
        if line:
            check(re.search(line, job.stderr, re.M), f"{what}: says {line}", job.stderr)
        check(len(of_oshrun(job.stderr)) == (how not in ("asked", "error")),
              f"{what}: one line of oshrun at most", job.stderr)


def late():
    """oshrun sees the death and the abort that follows from it at the same time."""
    said = Path("said")
    said.write_text("")
    job = start("-n", 4, *NODES, "sh", "-c", f"exec {PROGRAM} wait 9>&2 2>>said")
    check(job.stdout.readline() == "ready\n", "the job runs")
    children = subprocess.run(["pgrep", "-P", str(job.pid), "cause"], capture_output=True,
                              text=True).stdout.split()
    victim = next(int(pid) for pid in children
                  if b"OSHRUN_PE=2\0" in Path(f"/proc/{pid}/environ").read_bytes())
    job.send_signal(signal.SIGSTOP)
    os.kill(victim, signal.SIGKILL)
    end = time.monotonic() + 10
    while "failed (CW_ELOST)" not in said.read_text() and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.1)  # between its line and its abort
    job.send_signal(signal.SIGCONT)
    out, err = job.communicate(timeout=20)
    check("failed (CW_ELOST)" in said.read_text(), "the others end the job, too", out)
    check(job.returncode == 137, "late: the status is that of the death", job.returncode, err)
    check(re.search(ENDS["kill"][1], err, re.M), "late: the death is reported", err)


late()
for each in ENDS:
    one(each, False)
for each in ("kill", "wrong"):
    one(each, True)
finish()
