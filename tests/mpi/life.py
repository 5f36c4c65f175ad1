# SPDX-License-Identifier: BSD-3-Clause
"""Starts and ends of jobs whose nodes an MPI connects: programs with and without MPI, init and
finalize again and again, a target that computes, MPI without threads, a PE that dies, wrong order,
a launcher that knows no MPI; collective calls of MPI inside the library without MPI threads."""

import os
import shutil
import subprocess
from pathlib import Path

from frame.script import check, finish, oshcc, skip

SOURCE = Path(__file__).with_name("life.c")
SERVED = Path(__file__).with_name("served.c")
LAUNCHERS = {"mpich": ["mpiexec.hydra"], "openmpi": ["orterun", "--quiet"]}
ENV = {"CAUSEWAY_TRANSPORT": "mpi", "OMPI_ALLOW_RUN_AS_ROOT": "1",
       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_btl_base_warn_component_unused": "0", "SHMEM_SYMMETRIC_SIZE": "4M"}


def run(command, **env):
    done = subprocess.run(command, env=os.environ | ENV | env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=100, check=False)
    return done.returncode, done.stdout


def job(mpi, program, what, nodes="ab", **env):
    """A PE for each letter, which names its node."""
    command = [*LAUNCHERS[mpi]]
    for node in nodes:
        command += ["-n", "1", "env", f"CAUSEWAY_NODE={node}", program, what, ":"]
    return run(command[:-1], **env)


for mpi in LAUNCHERS:
    for tool in (f"mpicc.{mpi}", LAUNCHERS[mpi][0]):
        if not shutil.which(tool):
            skip(f"needs {tool}")

plain = oshcc("./plain", SOURCE)
for mpi in LAUNCHERS:
    for what in ("talk", "again", "compute"):
        status, out = job(mpi, plain, what)
        check(status == 0 and "2 PEs, 0 beside PE 0" in out, f"{mpi} {what}: {status}\n{out}")
    for given, wanted in (({}, "y"), ({"UCX_USE_MT_MUTEX": "n"}, "n")):
        status, out = job(mpi, plain, "locks", **given)
        check(status == 0 and out.count(f"UCX's locks are mutexes: {wanted}\n") == 2,
              f"{mpi} locks {given}: {status}\n{out}")
    status, out = job(mpi, plain, "die")
    check(status != 0, f"{mpi}: the death of a PE went unseen\n{out}")

    os.environ["OSHCC_CC"] = f"mpicc.{mpi}"
    with_mpi = oshcc(f"./with-{mpi}", "-DWITH_MPI", SOURCE)
    served = oshcc(f"./served-{mpi}", SERVED, "-larmci")
    del os.environ["OSHCC_CC"]
    for what in ("talk", "again", "single"):
        status, out = job(mpi, with_mpi, what, CAUSEWAY_DEBUG="1")
        explained = "no MPI_THREAD_MULTIPLE: the node server works only while" in out
        check(status == 0 and "2 PEs, 0 beside PE 0" in out and explained == (what == "single"),
              f"{mpi} {what} with MPI: {status}\n{out}")
    Path("flags").touch()
    status, out = job(mpi, served, "flags", "aba")
    check(status == 0 and out.count("checks, 0 failed") == 3, f"{mpi} served: {status}\n{out}")
    status, out = job(mpi, with_mpi, "late")
    check(status == 0 and "2 PEs, 0 beside PE 0" in out, f"{mpi} late: {status}\n{out}")
    status, out = job(mpi, with_mpi, "early")
    check(status != 0 and "finalise the library before MPI" in out,
          f"{mpi}: MPI_Finalize first: {status}\n{out}")

status, out = run(["oshrun", "-np", "2", "--emulate-nodes", "2", plain])
check(status != 0 and "start the job with mpiexec of the MPI" in out, f"oshrun: {status}\n{out}")
status, out = run(["oshrun", "-np", "2", plain])
check(status == 0 and "2 PEs, 1 beside PE 0" in out, f"oshrun, one node: {status}\n{out}")
status, out = job("mpich", plain, "talk", CAUSEWAY_MPI_LIBRARY="libnone.so")
check(status != 0 and "set CAUSEWAY_MPI_LIBRARY to" in out, f"no library: {status}\n{out}")
finish()
