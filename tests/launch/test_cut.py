#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The network between two hosts is cut while every process lives: waiting PEs end the job with a
message that names PE, host and cause, in each kind of waiting and both endpoint modes; nothing
hangs, nothing is left."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp

from common import check, finish, skip
from waits import GASNET, SHMEM, build

HERE = Path(__file__).resolve().parent
PATIENCE = 8  # CAUSEWAY_TIMEOUT, seconds; also the limit of a connection on a busy machine
LIMIT = 150
SAYS = (r"^causeway: error: PE \d of \d \(pid \d+, host host\d\): (lost the connection to node \d "
        r"\(host host\d\) at 10\.77\.0\.\d port \d+: its host|PEs of this node wait, and the host "
        r"of "
        r"PE \d at 10\.77\.0\.\d port \d+) has acknowledged nothing for \d+ s: the network between "
        r"is cut")
# RDM endpoints over sockets that other hosts reach: said once a job
EXPOSED = r"^causeway: warning: PE \d of \d .* rdm endpoints of \S+ at 10\.77\.0\.\d port \d+ take"
ENDS = r"^causeway: error: PE \d of \d .*(failed|this PE waits|PEs may wait for).*CW_ETIMEOUT"

SPOKEN = 'exec "$0" "$@" 2>>"$2.said"'  # mpiexec sometimes loses the last words of an aborted job


def cut(case):
    program, kind, mode, ppn = case
    file = Path(mkdtemp(dir=Path.cwd())) / "ready"
    command = [sys.executable, HERE / "hosts.py", "--hosts", 2, "--ppn", ppn, "--timeout", LIMIT,
               "--cut-at", file,
               "--program", program, "--env", f"CAUSEWAY_ENDPOINT={mode}", "--env",
               f"CAUSEWAY_TIMEOUT={PATIENCE}", "--",
               "sh", "-c", SPOKEN, program, kind, file]
    job = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, errors="replace", timeout=LIMIT + 60)
    kept = Path(f"{file}.kept")
    said = Path(f"{file}.said")
    return case, job, said.read_text(
        errors="replace") if said.exists() else "", kept.read_text() if kept.exists() else None


def main():
    shmem, gasnet = build()
    cases = [(shmem, kind, mode, 1) for mode in ("msg", "rdm") for kind in SHMEM]
    cases += [(gasnet, kind, mode, 1) for mode in ("msg", "rdm") for kind in GASNET]
    cases += [(shmem, kind, "rdm", 2) for kind in ("wait_until", "barrier")]
    with ThreadPoolExecutor(len(cases)) as pool:
        for (program, kind, mode, ppn), job, said, kept in pool.map(cut, cases):
            if job.returncode == 77:
                skip(job.stdout.partition("SKIP: ")[2].strip() or "no hosts")
            if kept is not None:
                skip(f"a bridge of this system cannot keep hosts apart: {kept}")
            what = f"{program.name} {kind}, {mode}, {ppn} PEs a host"
            check(job.returncode not in (0, 124) and "came through" not in job.stdout,
                  f"{what}: ends with an error", job.returncode, job.stdout, job.stderr, said)
            check(re.search(SAYS, said, re.M), f"{what}: names what was lost", said, job.stderr)
            check(re.search(ENDS, said, re.M), f"{what}: prints why it ends", said, job.stderr)
            check(len(re.findall(EXPOSED, said, re.M)) == (mode == "rdm"),
                  f"{what}: warns of RDM endpoints, once", said)
            check("are left" not in job.stderr, f"{what}: nothing is left", job.stderr)
    finish()


main()
