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
        for how, text in (("early", "MPI is not initialised"), ("half", "1 processes"),
                          ("reversed", "2 processes")):
            job = MPI.run(2, program, how)
            check(job.returncode != 0 and "ARMCI_Init_mpi_comm" in job.stderr
                  and text in job.stderr, how, job.returncode, job.stdout, job.stderr)
    finish()


main()
