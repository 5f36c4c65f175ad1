#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Processes of another node are stopped for some seconds, or killed, while a PE is in one kind of
waiting: stopped ones are never taken for dead, killed ones end the job with a message; both
endpoint modes, nothing is left."""

import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp

from common import alive, check, descendants, finish, kill_quietly, start, wait_until
from waits import GASNET, SHMEM, build

PES = 4  # two per node; PE 2 hosts the server of the last PE's node
STOP_S = 3.5  # longer than CAUSEWAY_TIMEOUT, and than three checks of a silent host
LIMIT = 120


def pid(file, pe):
    """The process's number; None: it has not written it."""
    path = Path(f"{file}.{pe}")
    text = path.read_text() if path.exists() else ""
    return int(text) if text else None


def launch(program, kind, mode, patience):
    """Starts the job; returns, once all PEs have communicated (or the last one, which waits for no
    other), its file and the processes of the last node: {pe: pid}."""
    file = Path(mkdtemp(dir=Path.cwd())) / "ready"
    job = start("-n", PES, "--emulate-nodes", 2, "--timeout", LIMIT, "-x",
                f"CAUSEWAY_ENDPOINT={mode}", "-x",
                f"CAUSEWAY_TIMEOUT={patience}", program, kind, file)
    wait_until(
        lambda: (file.exists() and pid(file, 2) and pid(file, 3)) or job.poll() is not None, LIMIT)
    return job, file, {pe: pid(file, pe) for pe in (2, 3)}


def stop(case):
    program, kind, mode, pes = case
    job, file, pids = launch(program, kind, mode, 3)
    family = descendants(job.pid)
    for pe in pes:
        kill_quietly(pids.get(pe, 0) or job.pid, signal.SIGSTOP)
    Path(f"{file}.cut").touch()
    time.sleep(STOP_S)
    ended = job.poll()
    for pe in pes:
        kill_quietly(pids.get(pe, 0) or job.pid, signal.SIGCONT)
    Path(f"{file}.go").touch()
    out, err = job.communicate(timeout=LIMIT + 30)
    what = f"{program.name} {kind}, {mode}, PEs {pes} stopped"
    check(ended is None, f"{what}: no PE gives up", ended, out, err)
    check((job.returncode, out.count("came through")) == (0, PES), f"{what}: goes on",
          job.returncode, out, err)
    check("error" not in err, f"{what}: without an error", err)
    check(wait_until(lambda: not alive(family), 20), f"{what}: nothing is left", alive(family))


def kill(case):
    program, kind, mode, pes = case
    job, file, pids = launch(program, kind, mode, 60)
    family = descendants(job.pid)
    for pe in pes:
        kill_quietly(pids.get(pe, 0) or job.pid, signal.SIGKILL)
    Path(f"{file}.cut").touch()
    out, err = job.communicate(timeout=LIMIT + 30)
    what = f"{program.name} {kind}, {mode}, PEs {pes} killed"
    check(job.returncode not in (0, 124), f"{what}: fails", job.returncode, out, err)
    check(re.search(rf"PE [{''.join(map(str, pes))}] of 4 .*signal 9", err),
          f"{what}: names the PE that died", out, err)
    check(wait_until(lambda: not alive(family), 20), f"{what}: nothing is left", alive(family))


def main():
    shmem, gasnet = build()
    kinds = [(*kind, mode) for mode in ("msg", "rdm")
             for kind in [(shmem, kind) for kind in SHMEM] + [(gasnet, kind) for kind in GASNET]]
    killed = [(*kind, (2,)) for kind in kinds]
    killed += [(*kind, pes) for kind in kinds if kind[1] in ("get", "reply", "barrier")
               for pes in ((3,), (2, 3))]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(stop, [(*kind, (2, 3)) for kind in kinds]))
        list(pool.map(kill, killed))
    finish()


main()
