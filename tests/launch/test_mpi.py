#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""OpenSHMEM and MPI in one program under Hydra, in every order of their initialisations and finalisations that overlap
or follow each other, on one node and on two."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from common import STAGE, check, finish, skip

ORDERS = ["sS", "sSsS", "mM", "smSM", "smMS", "msSM", "msMS", "sSmM", "smSsSM", "msSsSM", "smSsMS", "sSmsSM"]

if not shutil.which("mpiexec.hydra"):
    skip("needs mpiexec.hydra")

with tempfile.TemporaryDirectory() as scratch:
    program = f"{scratch}/mpi_life"
    subprocess.run([STAGE / "bin/oshcc", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-o", program,
                    str(Path(__file__).with_name("mpi_life.c")), "-ldl"], check=True)

    def run(order, *more):
        return subprocess.run(["mpiexec.hydra", "-n", "4", program, order, *more], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)

    job = run("mM")
    if "SKIP" in job.stdout:
        skip(next(line for line in job.stdout.splitlines() if "SKIP" in line).removeprefix("SKIP: "))
    for nodes in ([], ["nodes"]):
        for order in ORDERS:
            try:
                job = run(order, *nodes)
            except subprocess.TimeoutExpired as late:
                check(False, f"{order} {nodes}: ends", (late.stdout or b"")[-2000:], (late.stderr or b"")[-2000:])
                continue
            good = job.returncode == 0 and ("s" not in order or "mpi life done" in job.stdout)
            check(good and "error" not in job.stderr, f"{order} {nodes}: ends well", job.returncode, job.stdout[-2000:],
                  job.stderr[-2000:])
    job = run("mMs")
    check(job.returncode != 0 and "closed, probably by MPI_Finalize" in job.stderr, "SHMEM after MPI_Finalize says why not",
          job.returncode, job.stdout[-2000:], job.stderr[-2000:])
finish()
