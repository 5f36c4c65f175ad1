#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PEs that end without finalize under launchers that take no notice of that: the job ends with a
line about the PE or its connection, instead of waiting for what never comes."""

import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp

from common import check, finish, wait_until
from frame.script import oshcc
from pmi_server import Server

HERE = Path(__file__).resolve().parent
PROGRAM = oshcc(Path.cwd() / "leaves", HERE / "leaves.c")
NODE, NODES = "(vector,(0,1,4))", "(vector,(0,2,2))"
LIMIT = 55  # below the length of the waits
PE = r"^causeway: error: PE {} of \d \(pid \d+, host \S+\): "
EXITED = PE + r"exited with status {} without calling shmem_finalize"
GONE = r": PE {} \(pid \d+\) of this node has ended without calling shmem_finalize"
LOST = PE + r"lost the connection to node \d .* before the end of the job"
SPOKEN = 'exec "$0" "$@" 2>>"$SAID"'  # mpiexec sometimes loses the last words of an aborted job


def deaf(mapping, how, wait, victim, status, line):
    """Under a launcher that ends the job when it is asked to, and never by itself."""
    def end_all(_words):
        for job in server.jobs:
            job.kill()
        return ""

    server = Server(4, mapping=mapping, program=PROGRAM, behave={"abort": end_all})
    server.start(how, wait, victim, 1)
    what = f"{how} of PE {victim}, {wait}, {mapping}"
    ended = wait_until(lambda: all(job.poll() is not None for job in server.jobs), LIMIT)
    check(ended, f"{what}: the job ends")
    end_all(None)
    statuses, out, err = server.finish()
    aborts = [words for _, words in server.log if words["cmd"] == "abort"]
    check("came through" not in out and aborts and aborts[0]["exitcode"] == str(status),
          f"{what}: status {status}", statuses, aborts, out, err)
    check(re.search(line, err, re.M), f"{what}: says {line}", err)


def hydra(case):
    how, wait, victim, met, status, line = case
    said = Path(mkdtemp(dir=Path.cwd())) / "said"
    said.write_text("")
    words = [sys.executable, HERE / "hosts.py", "--hosts", 2, "--ppn", 1, "--timeout", LIMIT,
             "--program", PROGRAM, "--env", f"SAID={said}", "--", "sh", "-c", SPOKEN, PROGRAM, how,
             wait, victim, met]
    before = time.monotonic()
    job = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, errors="replace", timeout=LIMIT + 30)
    return case, job, said.read_text(errors="replace"), time.monotonic() - before


def on_hosts():
    cases = [("exit0", "until", 0, 0, 1, EXITED.format(0, 0)),
             ("exit3", "barrier", 1, 0, 3, EXITED.format(1, 3)),
             ("_exit0", "until", 1, 1, 1, LOST.format(0)),
             ("_exit0", "until", 0, 1, 1, LOST.format(1))]
    with ThreadPoolExecutor(2) as pool:
        for (how, wait, victim, met, status, line), job, said, took in pool.map(hydra, cases):
            if job.returncode == 77:
                print(f"left out: {job.stdout}")
                return
            what = f"Hydra, {how} of PE {victim}, {wait}, met {met}"
            check(job.returncode == status, f"{what}: status {status}", job.returncode, took,
                  job.stderr, said)
            check(re.search(line, said, re.M), f"{what}: says {line}", said, job.stderr)
            check("are left" not in job.stderr, f"{what}: nothing is left", job.stderr)


deaf(NODE, "exit0", "barrier", 2, 1, EXITED.format(2, 0))
deaf(NODE, "_exit0", "barrier", 2, 1, GONE.format(2))
deaf(NODE, "_exit5", "until", 0, 1, GONE.format(0))
deaf(NODES, "kill", "compute", 1, 1, GONE.format(1))
on_hosts()
finish()
