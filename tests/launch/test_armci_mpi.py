#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ARMCI and MPI in one program, under the MPI named by the argument and its launcher."""

import subprocess
import sys
import tempfile
from pathlib import Path

from common import STAGE, check, finish
from mpi import TESTS, Mpi

MPI = Mpi(sys.argv[1] if len(sys.argv) > 1 else "mpich")
SAID = "armci beside mpi"


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = MPI.build(Path(__file__).with_name("armci_mpi.c"), f"{scratch}/armci_mpi",
                            "-larmci")
        names = MPI.build(TESTS / "armci/global_arrays.c", f"{scratch}/global_arrays", "-DWITH_MPI",
                          "-larmci")
        for npes in (1, 4):
            MPI.good("as Global Arrays does", npes, names)
        for npes, words in ((1, ["comm"]), (3, ["comm"]), (4, ["comm", "nodes"]),
                            (3, ["plain", "nodes"])):
            MPI.good(SAID, npes, program, *words)
        started = MPI.build(Path(__file__).with_name("armci_started.c"), f"{scratch}/started",
                            "-larmci")
        for npes, words in ((1, ["relies"]), (2, ["relies", "nodes"]), (2, ["owns"]),
                            (2, ["leaves"]), (2, ["late"])):
            MPI.good("started", npes, started, *words)
        MPI.good("started", 2, started, "relies", "nodes", env={"CAUSEWAY_TRANSPORT": "mpi"})
        job = subprocess.run([STAGE / "bin/oshrun", "-n", "2", started, "oshrun"],
                             capture_output=True, text=True, timeout=100, check=False)
        check(job.returncode == 0 and "started" in job.stdout, "no MPI is started under oshrun",
              job.returncode, job.stdout, job.stderr)
        threads = MPI.build(TESTS / "armci/threads.c", f"{scratch}/threads", "-DWITH_MPI",
                            "-larmci")
        MPI.good(" checks, 0 failed", 2, threads, "2", "20")
        parts = MPI.build(Path(__file__).with_name("armci_parts.c"), f"{scratch}/parts", "-larmci")
        for npes, words in ((1, []), (4, []), (5, ["nodes"])):
            MPI.good("parts", npes, parts, *words)
        MPI.good("parts", 4, parts, "nodes", env={"CAUSEWAY_TRANSPORT": "mpi"})
        for tool, how, text in ((program, "early", "MPI is not initialised"),
                                (parts, "null", "MPI_COMM_NULL"),
                                (parts, "twice", "one job at a time")):
            job = MPI.run(2, tool, how)
            check(job.returncode != 0 and "ARMCI_Init_mpi_comm" in job.stderr
                  and text in job.stderr, how, job.returncode, job.stdout, job.stderr)
    finish()


main()
