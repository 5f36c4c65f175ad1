#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fortran coarrays, OpenSHMEM in C and MPI in one program, under the MPI named by the argument and
its launcher, on one node and on two, and over that MPI."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ["CAUSEWAY_TEST_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/launch"))
from common import STAGE, check, finish  # noqa: E402
from mpi import ENV, Mpi  # noqa: E402

MPI = Mpi(sys.argv[1])
# Fortran's start comes before the program could choose a node by its rank.
ON_NODES = 'CAUSEWAY_NODE=node$((${PMI_RANK:-$OMPI_COMM_WORLD_RANK} % 2)) exec "$0"'


def build(scratch):
    half, program = f"{scratch}/half.o", f"{scratch}/coarray"
    room = SOURCE / "tests/mixed"
    subprocess.run([STAGE / "bin/oshcc", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-c", "-o",
                    half, room / "coarray.c"], check=True, env={**ENV, "OSHCC_CC": MPI.compiler})
    shown = subprocess.run([MPI.compiler, "-show", "x.c"], check=True, capture_output=True,
                           text=True, env=ENV).stdout.split()
    subprocess.run([STAGE / "bin/caf", "-O2", "-g", "-Wall", "-Werror", f"-J{scratch}", "-o",
                    program, room / "coarray.f90", half,
                    *(word for word in shown if word.startswith(("-L", "-l", "-Wl")))], check=True)
    return program


def main():
    with tempfile.TemporaryDirectory() as scratch:
        program = build(scratch)
        MPI.good("agree in 3 images", 3, program)
        for endpoint in ("rdm", "msg"):
            MPI.good("agree in 4 images", 4, "/bin/sh", "-c", ON_NODES, program,
                     env={"CAUSEWAY_ENDPOINT": endpoint})
        by_mpi = {"CAUSEWAY_TRANSPORT": "mpi"}
        MPI.good("agree in 4 images", 4, "/bin/sh", "-c", ON_NODES, program, env=by_mpi)
        job = MPI.run(4, "/bin/sh", "-c", ON_NODES, program,
                      env=by_mpi | {"COARRAY_FINALIZES": "1"})
        check(job.returncode != 0 and "leave it to the library" in job.stderr,
              "MPI_Finalize of what the library has initialised", job.returncode, job.stderr)
    finish()


main()
