#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""However a job ends, all its processes end, with the given status, and their output is not
lost. Where one ends it with status 0 while others wait for it, one of these says so."""
import os
import re
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from frame.script import SLOW, STAGE, TESTS, fail, finish, oshcc

MISTAKES = {"GASNet": {"gone": "one"}, "GASNet-EX": {"gone": "one-gex"}}


def cases():
    return {how: True for how in IN_VAIN}


NODE, TWO = ["oshrun", "-n", "3"], ["oshrun", "-n", "3", "--emulate-nodes", "2"]
THREE = ["oshrun", "-n", "3", "--emulate-nodes", "3"]
# These treat a process that ends without a message as a failure.
HYDRA, ORTE = ["mpiexec.hydra", "-n", "3"], ["orterun", "--quiet", "--oversubscribe", "-n", "3"]
# how, status, layout, status wanted
CASES = [("all", 0, NODE, 0), ("all", 7, NODE, 7), ("return", 0, NODE, 0), ("return", 5, NODE, 5),
         ("early", 0, NODE, 0),
         ("early", 3, NODE, 3), ("one", 6, NODE, 6), ("one", 0, NODE, 0),
         ("one-returns", 0, NODE, 0), ("one-gex", 0, NODE, 0), ("one-gex", 0, TWO, 0),
         ("one", 0, TWO, 0), ("computing", 0, NODE, 0),
         ("one-returns", 4, NODE, 4),
         ("thread", 2, NODE, 2), ("computing", 8, NODE, 8), ("caught", 9, NODE, 9),
         ("earlier", 9, NODE, 9), ("earlier-computing", 9, TWO, 9),
         ("crash", 0, NODE, 137),
         ("all", 0, TWO, 0), ("return", 0, TWO, 0), ("one", 6, TWO, 6), ("computing", 8, TWO, 8),
         ("caught-computing", 9, TWO, 9),  # no process of their host is in a call
         ("early", 0, TWO, 0), ("getting", 0, THREE, 0), ("getting", 8, THREE, 8),
         ("putting", 8, THREE, 8), ("allocating", 0, NODE, 0), ("allocating", 8, TWO, 8),
         ("last-fails", 5, NODE, 5), ("last-fails", 5, TWO, 5),
         ("last-fails-returning", 6, NODE, 6), ("last-fails-returning", 6, TWO, 6),
         ("attaching", 7, NODE, 7), ("attaching", 0, NODE, 0), ("attaching", 7, TWO, 7),
         ("handling", 8, NODE, 8), ("handling", 0, TWO, 0),
         ("holding", 8, NODE, 8), ("holding", 0, TWO, 0), ("holding", 8, TWO, 8),
         ("collecting", 8, NODE, 8), ("collecting", 8, TWO, 8),
         ("beside-threads", 0, NODE, 0), ("beside-threads", 7, TWO, 7),
         *[("return-beside-threads", 0, layout, 0) for layout in (NODE, TWO) for _ in range(4)],
         ("return-beside-threads", 7, TWO, 7),
         ("one-beside-threads", 6, NODE, 6), ("one-beside-threads", 6, TWO, 6),
         ("interrupted", 8, TWO, 8), ("interrupted-getting", 8, THREE, 8),
         ("interrupted-allocating", 8, TWO, 8)]
# In checking mode, too, what the library's own handler calls is not judged.
CHECKED = [*TWO, "env", "CAUSEWAY_CHECK=1"]
CASES += [(how, 0, CHECKED, 0) for how in ("one", "one-returns", "one-gex", "computing")]
CASES += [(how, 8, CHECKED, 8) for how in ("handling", "holding", "collecting")]
CASES += [(how, 0, launcher, 0) for launcher in (HYDRA, ORTE)
          for how in ("all", "return", "beside-threads", "return-beside-threads")
          for _ in range(3)]
# Over an MPI the processes that are ended do not come to MPI_Finalize.
BY_MPI = ["sh", "-c", "CAUSEWAY_TRANSPORT=mpi CAUSEWAY_NODE=n${PMI_RANK:-$OMPI_COMM_WORLD_RANK} "
          'exec "$@"', "sh"]
for launcher, plugin in ((HYDRA, "mpich"), (ORTE, "openmpi")):
    if (STAGE / f"lib/causeway/mpi-{plugin}.so").exists():
        CASES += [(how, status, [*launcher, *BY_MPI], status)
                  for how, status in (("all", 7), ("one", 6), ("one", 0), ("one-returns", 0),
                                      ("computing", 8), ("handling", 8))]
ENV = dict(os.environ, GASNET_EXITTIMEOUT="2", OMPI_ALLOW_RUN_AS_ROOT="1",
           OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


BARRIER = r"gasnet_barrier_wait, called from main\+0x[0-9a-f]+ \(ending\.c:\d+\)"
ATTACH = r"gasnet_attach, called from main\+0x[0-9a-f]+ \(ending\.c:\d+\)"
EVENT = r"gex_Event_Wait, called from main\+0x[0-9a-f]+ \(ending\.c:\d+\)"
# of ends with status 0 by one: what the others wait in
IN_VAIN = {"one": BARRIER, "one-returns": BARRIER, "one-gex": EVENT, "attaching": ATTACH}


# found within calls
AT_ONCE = {"getting", "putting", "allocating"}


def is_said(how, status, stderr):
    """Is the warning there once, where there is something to warn of?"""
    lines = [line for line in stderr.splitlines() if "has ended the job" in line]
    if status or how not in IN_VAIN:
        return not lines
    return len(lines) == 1 and re.search(
        rf"warning: PE [01] of 3 .*waits in {IN_VAIN[how]} for all processes, but PE 2 has ended "
        r"the job", lines[0])


def attempt(case):
    """What is wrong with an end, or None."""
    how, status, layout, wanted = case
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:  # orterun removes that of another that ends
        done = subprocess.run([*layout, "./ending", how, str(status)], capture_output=True,
                              text=True, timeout=100, env={**ENV, "TMPDIR": scratch})
    here = 0 if how in ("early", "attaching") else 3
    bad = []
    if done.returncode != wanted:
        bad.append(f"status {done.returncode}")
    if done.stdout.count("is here") != here and how != "crash":
        bad.append(f"{done.stdout.count('is here')} nodes spoke")
    if "FAIL" in done.stdout or "causeway: error" in done.stderr:
        bad.append("an error")
    if not is_said(how, status, done.stderr):
        bad.append("the wait in vain")
    seconds = time.monotonic() - start
    if how.startswith("return") and done.stdout.count("an exit handler runs") != 3:
        bad.append("not all exit handlers ran")
    if how in AT_ONCE and seconds > 2 + 4 * SLOW:  # of the 5 s for one that does not come
        bad.append(f"{seconds:.1f} s")
    if how.startswith("caught") and done.stdout.count("cleaned up") != 2:
        bad.append("not all others got SIGQUIT")
    if how == "caught-computing" and done.stdout.count("by kill") != 2:
        bad.append("SIGQUIT did not come from the job's processes")
    what = f"{how} {status} {' '.join(layout)}: {', '.join(bad)}"
    return f"{what}\n{done.stdout}{done.stderr}" if bad else None


def main():
    oshcc("ending", "-D_GNU_SOURCE", "-DGASNET_PAR", "-O1", "-g", TESTS / "gasnet/ending.c",
          "-lpthread")
    missing = {case[2][0] for case in CASES if not shutil.which(case[2][0])}
    for launcher in sorted(missing):
        print(f"left out: {launcher} is not installed")
    cases = [case for case in CASES if case[2][0] not in missing]
    with ThreadPoolExecutor(4) as pool:  # most of the time is GASNET_EXITTIMEOUT
        for text in filter(None, pool.map(attempt, cases)):
            fail(text)
    finish(f"{len(cases)} ends")


if __name__ == "__main__":
    main()
