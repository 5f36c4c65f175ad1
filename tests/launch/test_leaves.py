#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PEs that end without finalize under launchers that take no notice of that: the job ends with a
line about the PE or its connection, instead of waiting for what never comes."""

import os
import re
import shutil
import signal
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
FAILS = "of a failure"  # any but that of the time limit
LIMIT = 55  # below the length of the waits
AT_ONCE = 4
PE = r"^causeway: error: PE {} of \d \(pid \d+, host \S+\): "
# of an exit with status 0: by that PE, or by one of its node that waits for it
EARLY = r"^causeway: error: (PE .*)?\bPE {} (of \d )?\(pid .*exited with status 0 without calling "
EXITED = PE + r"exited with status {} without calling shmem_finalize"
GONE = r": PE {} \(pid \d+\) of this node has ended without calling shmem_finalize"
# under load one PE may end so much later than the other that it sees that one's end
NODE_ENDS = PE.format(r"\d") + (r"(PE \d \(host \S+\) and with it the server of node \d have"
                                r"|PE \d \(pid \d+\) of this node has|lost the connection)")
# under load it may be found by a last question to the launcher
LAUNCHER_GONE = PE + r"the launcher('s process on this host .* has ended before the job| is gone)"
LOST = PE + r"lost the connection to node \d .* before the end of the job"
# When all processes of a host have ended, Hydra's proxy of the other one sometimes fails by itself,
# before PEs have anything to report. Such a job shows nothing, and is started again.
ATTEMPTS = 10
PROXY_FAILED = re.compile(r"HYD_pmcd_pmip_control_cmd_cb .*assert \(!closed\) failed")
SPOKEN = 'exec "$0" "$@" 2>>"$SAID"'  # mpiexec sometimes loses the last words of an aborted job


def tell(what, ended_at, err):
    """Prints how long the job lived on: one second is usual, two should be the most."""
    ends = [float(at) for at in re.findall(r"^at (\S+): PE", err, re.M)]
    if ends:
        print(f"{what}: {ended_at - max(ends):.2f} s")


def deaf_server(mapping):
    def end_all(_words):
        for job in server.jobs:
            job.kill()
        return ""

    server = Server(4, mapping=mapping, program=PROGRAM, behave={"abort": end_all})
    return server, end_all


def deaf(mapping, how, wait, victim, status, line, met=1, mode="msg"):
    """Under a launcher that ends the job when it is asked to, and never by itself."""
    server, end_all = deaf_server(mapping)
    server.start(how, wait, victim, met, env={"CAUSEWAY_ENDPOINT": mode})
    what = f"{how} of PE {victim}, {wait}, {mapping}, met {met}, {mode}"
    ended = wait_until(lambda: all(job.poll() is not None for job in server.jobs), LIMIT)
    ended_at = time.monotonic()
    check(ended, f"{what}: the job ends")
    end_all(None)
    statuses, out, err = server.finish()
    tell(what, ended_at, err)
    aborts = [words for _, words in server.log if words["cmd"] == "abort"]
    check("came through" not in out and aborts and aborts[0]["exitcode"] == str(status),
          f"{what}: status {status}", statuses, aborts, out, err)
    check(re.search(line, err, re.M), f"{what}: says {line}", err)


def stopped():
    """A node whose processes are stopped lives."""
    server, end_all = deaf_server(NODES)
    server.start("stop", "barrier", "2,3", 0, env={"CAUSEWAY_ENDPOINT": "msg"})
    states = [Path(f"/proc/{job.pid}/stat") for job in server.jobs[2:]]
    asleep = wait_until(lambda: all(") T " in state.read_text() for state in states), LIMIT)
    check(asleep, "two PEs are stopped")
    ended = wait_until(lambda: any(job.poll() is not None for job in server.jobs), 3)
    for job in server.jobs[2:]:
        job.send_signal(signal.SIGCONT)
    done = wait_until(lambda: all(job.poll() is not None for job in server.jobs), LIMIT)
    end_all(None)
    statuses, out, err = server.finish()
    check(not ended and done and statuses == [0] * 4 and out.count("came through") == 4,
          "stopped: the job goes on", statuses, out, err)


def hydra(case):
    how, wait, victim, met, mode, status, line = case
    said = Path(mkdtemp(dir=Path.cwd())) / "said"
    ppn = 2 if "," in str(victim) else 1
    words = [sys.executable, HERE / "hosts.py", "--hosts", 2, "--ppn", ppn, "--timeout", LIMIT,
             "--program", PROGRAM, "--env", f"SAID={said}", "--env", f"CAUSEWAY_ENDPOINT={mode}",
             "--", "sh", "-c", SPOKEN, PROGRAM, how, wait, victim, met]
    for _ in range(ATTEMPTS):
        said.write_text("")
        job = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, errors="replace", timeout=LIMIT + 30)
        if not PROXY_FAILED.search(job.stderr):
            break
        print(f"Hydra, {how} of PE {victim}: its proxy failed, once more")
    return case, job, said.read_text(errors="replace"), time.monotonic()


def on_hosts():
    cases = [("exit0", "until", 0, 0, "msg", 1, EARLY.format(0)),
             ("exit3", "barrier", 1, 0, "msg", 3, EXITED.format(1, 3)),
             ("_exit0", "until", 1, 1, "msg", 1, LOST.format(0)),
             ("_exit0", "until", 0, 1, "msg", 1, LOST.format(1)),
             ("_exit0", "until", "2,3", 2, "msg", 1, NODE_ENDS),
             ("_exit0", "until", "0,1", 1, "rdm", 1, NODE_ENDS),
             ("launcher", "until", 1, 2, "msg", FAILS, LAUNCHER_GONE.format(1)),
             ("launcher", "compute", "0", 2, "rdm", FAILS, LAUNCHER_GONE.format(0))]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for (how, wait, victim, met, mode, status, line), job, said, at in pool.map(hydra, cases):
            if job.returncode == 77:
                print(f"left out: {job.stdout}")
                return
            what = f"Hydra, {how} of PE {victim}, {wait}, met {met}, {mode}"
            tell(what, at, said)
            check(job.returncode == status or status == FAILS and job.returncode not in (0, 124),
                  f"{what}: status {status}", job.returncode, job.stderr, said)
            check(re.search(line, said, re.M), f"{what}: says {line}", said, job.stderr)
            check("are left" not in job.stderr, f"{what}: nothing is left", job.stderr)


def named(launcher, how, cause):
    """These launchers end all PEs as soon as one has ended. A PE of the node knows it as soon, but
    its line comes too late now and then, on a loaded machine more often than not."""
    if not shutil.which(launcher[0]):
        print(f"left out: no {launcher[0]}")
        return
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    what = f"{launcher[0]}, {how}"
    for attempt in range(30):
        job = subprocess.run([*launcher, "-n", "3", PROGRAM, how, "barrier", "1", "1"], env=env,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             errors="replace", timeout=LIMIT)
        lines = re.findall(r"^causeway: .*", job.stderr, re.M)
        check(len(lines) <= 1, f"{what}: one line at most", job.returncode, job.stderr)
        if lines and re.search(PE.format("[02]") + GONE.format(1)[2:] + cause, lines[0]):
            return
    check(False, f"{what}: says {cause}", job.stderr)


def without_launcher():
    """Jobs wait for most of their time: for the time that must pass before a PE speaks."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = [pool.submit(stopped)]
        jobs += [pool.submit(deaf, *case) for case in (
            (NODE, "exit0", "barrier", 2, 1, EARLY.format(2)),
            (NODES, "exit0", "until", 1, 1, EARLY.format(1)),
            (NODE, "_exit0", "barrier", 2, 1, GONE.format(2)),
            (NODE, "_exit5", "until", 0, 1, GONE.format(0)),
            (NODES, "kill", "compute", 1, 1, GONE.format(1)),
            (NODES, "_exit0", "until", "2,3", 1, NODE_ENDS, 2, "msg"),
            (NODES, "_exit0", "get", "2,3", 1, NODE_ENDS, 2, "msg"),
            (NODES, "_exit0", "until", "2,3", 1, NODE_ENDS, 2, "rdm"),
            (NODES, "_exit0", "get", "2,3", 1, NODE_ENDS, 2, "rdm"),
            (NODES, "_exit0", "compute", "0,1", 1, NODE_ENDS, 2),
            (NODES, "cut", "compute", 2, 1, LAUNCHER_GONE.format(2), 2))]
        for job in jobs:
            job.result()


without_launcher()
named(["mpiexec.hydra"], "kill", r": killed by signal 9 \(Killed\)$")
named(["mpiexec.hydra"], "_exit0", "")
named(["orterun", "--oversubscribe"], "abort", r": killed by signal 6 \(Aborted\)$")
named(["orterun", "--oversubscribe"], "_exit3", "")
on_hosts()
finish()
