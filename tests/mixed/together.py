#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""OpenSHMEM, GASNet, ARMCI, DART and MPI in one program, under the MPI named by the argument and
its launcher: every order of the initialisations of three and some of five, ends of each kind,
progress of one while another blocks, teams of one given to the others."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["CAUSEWAY_TEST_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/launch"))
from common import STAGE, check, finish, processes, wait_until  # noqa: E402
from mpi import Mpi  # noqa: E402

MPI = Mpi(sys.argv[1] if len(sys.argv) > 1 else "mpich")
# All orders of the three initialisations; each library ends first and last once at least. X:
# gasnet_exit, R: return.
ORDERS = ["sgmMSX", "smgSMX", "gsmSMR", "gmsMSX", "msgSMX", "mgsMSR"]
# The same with ARMCI and DART, which each of them comes before and after.
FIVE = ["mcgsdSCDMX", "sgdmcCMDSX", "dgcsmCSMDX", "mscdgCSDMR"]
# The end comes without MPI_Finalize or shmem_finalize, by all and by the last process alone; then
# the status.
ENDS = [("smgX", 0), ("gsmR", 0), ("msgMX", 7), ("smgx", 6), ("gsme", 8), ("mgsa", 9)]


def build(scratch, name, *flags):
    return MPI.build(SOURCE / f"tests/mixed/{name}.c", f"{scratch}/{name}{''.join(flags)}", *flags)


def ends_cleanly(job, program, what):
    """Nothing of the job is left, whichever process ended it."""
    left = lambda: [args for _, args in processes().values() if args.split(" ")[0] == program]
    check(job is None or wait_until(lambda: not left(), 20), f"{what}: nothing is left", left())


def orders(one, many):
    for order in ORDERS + FIVE:
        job = MPI.good("process 0 is here, 0 failures", 3, one, order, "nodes")
        check(job is None or job.stdout.count("is here, 0 failures") == 3,
              f"{order}: every process came to the end", job)
    for order in ("gmsSMX", "mgsSMX", "mgcdsSCDMX"):
        MPI.good("process 0 is here, 0 failures", 3, many, order)


def ends(one):
    for order, status in ENDS:
        # after MPI_Abort a neighbour may report how that process ended before it is ended itself
        job = MPI.good("", 3, one, order, f"status={status}", "nodes", status=status,
                       reports=order.endswith("a"))
        ends_cleanly(job, one, f"{order} {status}")


def statistics(one, scratch):
    """One statistics file of the job, whichever library moved the data."""
    path = f"{scratch}/stats.json"
    MPI.good("process 0 is here", 3, one, "sgmMSX", "nodes",
             env={"CAUSEWAY_STATS": f"json:{path}", "CAUSEWAY_CHECK": "1"})
    pes = json.loads(Path(path).read_text(encoding="utf-8"))["pes"]
    check([pe["pe"] for pe in pes] == [0, 1, 2], "every process has its record", pes)
    for pe in pes:
        check("shmem_barrier_all" in pe["routines"] and "gasnet_barrier_wait" in pe["routines"],
              "calls of both are counted", sorted(pe["routines"]))


def started(scratch):
    """DART starts an MPI that the program leaves to it, and the process ends it."""
    program = build(scratch, "started")
    for npes, words in ((1, ["relies"]), (2, ["relies", "nodes"]), (2, ["threads"])):
        job = MPI.good("started", npes, program, *words)
        check(job is None or job.stdout.count("MPI is finalised") == npes,
              f"{words}: MPI is finalised by each process", job)
    job = subprocess.run([STAGE / "bin/oshrun", "-n", "2", program, "oshrun"],
                         capture_output=True, text=True, timeout=100, check=False)
    check(job.returncode == 0 and job.stdout.count("started") == 2,
          "no MPI is started under oshrun", job.returncode, job.stdout, job.stderr)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        one, many = build(scratch, "life", "-DGASNET_SEQ"), build(scratch, "life", "-DGASNET_PAR")
        orders(one, many)
        ends(one)
        statistics(one, scratch)
        for flags in ("-DGASNET_SEQ", "-DGASNET_PAR"):
            progress = build(scratch, "progress", flags)
            MPI.good("progress seen", 2, progress)
            MPI.good("progress seen", 4, progress, "nodes",
                     env={"CAUSEWAY_ENDPOINT": "msg" if "PAR" in flags else "rdm"})
        started(scratch)
        teams = build(scratch, "teams", "-DGASNET_SEQ")
        for npes, words in ((1, []), (5, ["nodes"]), (4, [])):
            job = MPI.run(npes, teams, *words)
            # each is asked for a team that cannot be
            refused = job.stderr.count("are not different PEs of this job")
            check(job.returncode == 0 and "teams agree" in job.stdout and refused == npes,
                  f"teams of {npes}", job.returncode, job.stdout[-2000:], job.stderr[-2000:])
    finish()


main()
