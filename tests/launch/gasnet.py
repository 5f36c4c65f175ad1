# SPDX-License-Identifier: BSD-3-Clause
"""A GASNet program under a launcher: it runs, ends in each way that GASNet knows with the given
status, dies, and leaves nothing behind."""

import os
import re
import subprocess
from pathlib import Path

from common import BUILD, STAGE, check, processes, wait_until

PROGRAM = BUILD / f"tests/launch/gasnet_ends.{os.getpid()}"
# how, status; every process prints a line before
ENDS = [("all", 0), ("all", 3), ("return", 0), ("return", 4), ("one", 6), ("computing", 7)]


def build():
    """Builds a program of the caller's own: several tests may use this at a time."""
    done = subprocess.run([STAGE / "bin/oshcc", "-DGASNET_SEQ", "-O1", "-g",
                           Path(__file__).with_name("gasnet_ends.c"), "-o",
                           PROGRAM], capture_output=True, text=True)
    check(done.returncode == 0, "the GASNet program is built", done.stderr)


def clean():
    PROGRAM.unlink(missing_ok=True)


def left():
    return [args for _, args in processes().values() if args.split(" ")[0] == str(PROGRAM)]


KILLED = "Killed|CANCELLED|BAD TERMINATION"
# what the other processes say where the launcher has not ended them in time
LAST_WORDS = "PE {pe} .*ha(s|ve) ended without calling gasnet_exit"


def runs(launch, name, npes=3, exact=True):
    """launch(*words) runs so many processes of the program with these words. exact: a launcher that
    had to kill a process keeps the given status; others return one of their own."""
    for how, status in ENDS:
        job = launch(PROGRAM, how, status)
        what = f"{name}, GASNet, {how} {status}"
        killed = (not exact and status and job.returncode
                  and re.search(KILLED, job.stdout + job.stderr))
        check(job.returncode == status or killed, f"{what}: the status", job.returncode, job.stdout,
              job.stderr)
        check(job.stdout.count(f"of {npes}: a ring") == npes and "FAIL" not in job.stdout,
              f"{what}: a ring", job.stdout, job.stderr)
        check("causeway: error" not in job.stderr, f"{what}: no error", job.stderr)
        check(wait_until(lambda: not left(), 20), f"{what}: nothing is left", left())


def dies(launch, name, says, npes=3):
    """says: by signal, what the launcher prints about the process that died. One that is itself
    kept from running may print nothing, or that another process ended, which did so for this."""
    for how, signo in (("abort", 6), ("kill", 9)):
        job = launch(PROGRAM, how)
        what = f"{name}, GASNet, {how}"
        check(job.returncode != 0, f"{what}: fails", job.returncode, job.stdout, job.stderr)
        pattern = f"{says}|{LAST_WORDS}".format(pe=npes - 1, signo=signo)
        check(re.search(pattern, job.stdout + job.stderr), f"{what}: a line like {pattern}",
              job.stdout, job.stderr)
        check(wait_until(lambda: not left(), 20), f"{what}: nothing is left", left())
