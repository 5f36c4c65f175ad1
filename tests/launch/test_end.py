#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ends of jobs: exit statuses, the one line about the PE that failed, and that all others are gone
in a second."""

import re
import shutil
import socket
import subprocess
import tempfile
import time

from common import OSHRUN, PROBE, check, finish, run, shared_objects

HOST = socket.gethostname()


def expect(name, args, status, *patterns, seconds=1.5, lines=1):
    """The time is that of the fastest of five jobs: a machine under load is late now and then, a
    launcher that waits for something is late each time. Everything else must be right in every
    job."""
    for attempt in range(5):
        before = time.monotonic()
        job = run(*args)
        took = time.monotonic() - before
        printed = [line for line in job.stderr.splitlines() if line.startswith("oshrun: ")]
        check(job.returncode == status, f"{name}: exit status {status}", job.returncode, job.stderr)
        check(len(printed) == lines, f"{name}: {lines} line(s) of oshrun", job.stderr)
        for pattern in patterns:
            check(re.search(pattern, job.stderr), f"{name}: says {pattern}", job.stderr)
        if took < seconds:
            return
        print(f"{name}: took {took:.1f} s", flush=True)
    check(False, f"{name}: over in {seconds} s", took)


PROCESS = rf"\(pid \d+, host {re.escape(HOST)}\)"
expect("all well", ["-n", 4, PROBE, "ok"], 0, lines=0)
expect("segmentation fault", ["-n", 4, PROBE, "signal", 2, 11], 139,
       rf"PE 2 of 4 {PROCESS} was killed by signal 11 \(Segmentation fault")
expect("kill -9", ["-n", 4, PROBE, "signal", 3, 9], 137,
       rf"PE 3 of 4 {PROCESS} was killed by signal 9")
expect("non-zero before joining", ["-n", 4, PROBE, "early", 1, 5], 5,
       rf"PE 1 of 4 {PROCESS} exited with status 5")
expect("non-zero after leaving", ["-n", 4, PROBE, "exit", 1, 6], 6,
       rf"PE 1 of 4 {PROCESS} exited with status 6")
expect("no finalize", ["-n", 4, PROBE, "leave", 0], 1,
       rf"PE 0 of 4 {PROCESS} exited without calling shmem_finalize")
expect("no init", ["-n", 4, PROBE, "absent", 2], 1,
       r"PE 2 of 4 .* without calling shmem_init", lines=1)
expect("no init, and long over", ["-n", 4, PROBE, "later", 2], 1,
       r"PE 2 of 4 .* without calling shmem_init", lines=1, seconds=3)
expect("abort", ["-n", 4, PROBE, "abort", 2, 42], 42, lines=0)
expect("abort with success", ["-n", 4, PROBE, "abort", 2, 0], 0, lines=0)
expect("abort, verbose", ["-v", "-n", 4, PROBE, "abort", 2, 3], 3,
       "PE 2 ended the job with status 3", lines=2)
expect("plain program fails",
       ["-n", 3, "sh", "-c", 'test $OSHRUN_PE != 1 && exec sleep 50; exit 9'], 9, "PE 1 of 3")
expect("ignores SIGTERM",
       ["-n", 3, "sh", "-c", 'trap "" TERM; test $OSHRUN_PE = 1 && exit 9; sleep 50; sleep 50'], 9)
expect("time limit", ["-n", 3, "--timeout", "0.3", PROBE, "sleep"], 124,
       "the time limit of 0.3 s is over")
expect("time limit not reached", ["-n", 3, "--timeout", "60", PROBE, "ok"], 0, lines=0)

# A signal is a likelier cause than the exits that follow from it.
job = run("-n", 8, "sh", "-c", 'test $OSHRUN_PE = 7 && kill -SEGV $$; exit 0')
check(job.returncode == 139 and "PE 7 of 8" in job.stderr, "the PE that a signal killed is named",
      job.stderr)

# Processes that a PE leaves in its process group end with it.
job = run("-n", 2, "sh", "-c", "sleep 98 & exit 0")
check(job.returncode == 0, "a background process of a PE does not hold the job up", job.stderr)

# PE 0 has ended, and a later PE gets its pid; that PE is named, not PE 0.
AGAIN = """case $OSHRUN_PE in
0) echo $$ > new; exec mv new pid;;
1) while ! read pid 2>/dev/null < pid; do :; done; while [ -d /proc/$pid ]; do :; done
   echo $((pid - 1)) > /proc/sys/kernel/ns_last_pid;;
*) read pid 2>/dev/null < pid && [ $pid = $$ ] && { echo $OSHRUN_PE; exit 3; }; exit 0;;
esac"""
NAMESPACE = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
if shutil.which("unshare") and subprocess.run([*NAMESPACE, "test", "-w",
                                               "/proc/sys/kernel/ns_last_pid"]).returncode == 0:
    with tempfile.TemporaryDirectory() as folder:
        job = subprocess.run([*NAMESPACE, OSHRUN, "-n", "2000", "sh", "-c", AGAIN], cwd=folder,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    again = job.stdout.strip()
    print("the PE that got the pid of PE 0:", again or "none", flush=True)
    check(job.returncode == (3 if again else 0) and (not again or f"PE {again} of" in job.stderr),
          "a pid that comes again", job.stdout, job.stderr)
else:
    print("no pid comes again: no user namespaces", flush=True)

# Two SHMEM programs in one PE, one after the other: refused with a reason, not a hang.
job = run("-n", 2, "sh", "-c", f"{PROBE} ok && {PROBE} ok")
check(job.returncode != 0 and "another program has already been PE" in job.stderr,
      "second program in a PE", job.stderr)

# A PE that never reaches the fence: the others report it.
job = run("-n", 3, "-x", "CAUSEWAY_TIMEOUT=1", PROBE, "late", 1, 30)
check(job.returncode != 0 and "PE 1 first, did not reach the start-up fence in 1 s" in job.stderr,
      "late PE", job.stderr)

# A program that a PE starts is no PE.
job = run("-n", 1, "sh", "-c",
          f"exec 9<&-; eval \"exec $(seq -s ' ' -f '%.0f<&-' 3 8)\"; exec {PROBE} ok")
check(job.returncode == 0 and job.stdout.startswith("single:"),
      "without the inherited descriptors it is alone", job.stdout, job.stderr)

check(not shared_objects(), "nothing is left in /dev/shm", shared_objects())
finish()
