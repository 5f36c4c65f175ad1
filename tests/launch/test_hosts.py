#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hosts made of namespaces: they differ in everything a host differs in, and nothing is left
behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from common import (PROBE, alive, check, descendants, finish, kill_quietly, lines_of, processes,
                    skip, wait_until)

HOSTS = str(Path(__file__).resolve().parent / "hosts.py")


def command(*words):
    return [sys.executable, HOSTS, *map(str, words)]


def hosts(*words):
    return subprocess.run(command("--timeout", 30, *words), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)


def links():
    return set(os.listdir("/sys/class/net"))


def running_probes(pid):
    table = processes()
    return [p for p in descendants(pid) if table.get(p, (0, ""))[1].startswith(PROBE)]


before = links()
job = hosts("--hosts", 2, "--ppn", 2, "--", PROBE, "ok")
if job.returncode == 77:
    skip(job.stdout.partition("SKIP: ")[2].strip() or "no hosts")
check((job.returncode,
       job.stdout) == (0, "pmi1: 4 PEs, one_machine 0, node_fd no, nodes 0 0 1 1\n"), "two hosts",
      job.returncode, job.stdout, job.stderr)
job = hosts("--hosts", 4, "-n", 7, "--ppn", 2, "--", PROBE, "all")
check(job.returncode == 0, "four hosts, all keys", job.stdout, job.stderr)

# What the library would see without the launcher: four different names of nodes.
script = ('echo "$(hostname) $(stat -L -c %i /proc/self/ns/net) $(stat -c %d /dev/shm) '
          '$(ls /dev/shm | wc -l)"')
job = hosts("--hosts", 3, "--", "sh", "-c", script)
rows = [line.split() for line in job.stdout.splitlines()]
check(len(rows) == 3 and all(len({row[i] for row in rows}) == 3 for i in range(3)),
      "host name, network and /dev/shm differ", job.stdout, job.stderr)
check([row[3] for row in rows] == ["0"] * 3, "/dev/shm is empty", rows)
job = hosts("--hosts", 2, "--env", "GIVEN=a b", "--label", "--", "sh", "-c", 'echo "$GIVEN"')
check(lines_of(job.stdout) == ["[0] a b", "[1] a b"], "variables and labels", job.stdout,
      job.stderr)
check(hosts("--", "sh", "-c", 'test $PMI_RANK = 0 || exit 7').returncode == 7,
      "exit status of the job")
check(hosts("--ppn", 2, "--", PROBE, "signal", 3, 9).returncode != 0, "a killed PE")

# Several runs at once do not see each other.
jobs = [subprocess.Popen(command("--timeout", 30, "--", PROBE, "all"), stdin=subprocess.DEVNULL)
        for _ in range(3)]
check([job.wait(60) for job in jobs] == [0] * 3, "three runs in parallel")

# The time limit ends a run wherever it is: on a loaded machine before the job begins.
job = hosts("--timeout", 0.5, "--", PROBE, "sleep")
check(job.returncode == 124 and "time limit of 0.5 s" in job.stderr, "time limit", job.returncode,
      job.stdout, job.stderr)

# However a run ends, nothing is left. SIGALRM is what the time limit sends. The kernel ends the
# processes, which takes seconds on a loaded machine: waits end when it has, and limits only keep
# this test from waiting for ever.
LIMIT = 60
for name, end, status in (("time limit", signal.SIGALRM, 124), ("SIGINT", signal.SIGINT, 130),
                          ("SIGTERM", signal.SIGTERM, 143),
                          ("kill -9", signal.SIGKILL, -9)):
    log = open("log", "w", encoding="utf-8")
    job = subprocess.Popen(command("--timeout", 100, "--ppn", 2, "--", PROBE, "sleep"),
                           stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    check(wait_until(lambda: len(running_probes(job.pid)) == 4 or job.poll() is not None, LIMIT)
          and job.poll() is None,
          f"{name}: the job is running", job.returncode, Path(log.name).read_text(),
          sorted(descendants(job.pid)))
    family = descendants(job.pid)
    kill_quietly(job.pid, end)
    check(job.wait(LIMIT) == status, f"{name}: status {status}", job.returncode)
    check(wait_until(lambda: not alive(family), LIMIT), f"{name}: no process is left",
          alive(family))
check(wait_until(lambda: links() <= before, LIMIT), "no network interface is left",
      links() - before)
finish()
