#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What clients of DART find in a prefix: -ldart-causeway alone from the shared library and from the
archive, and beside -ldart-base, in C and C++, oshcc, pkg-config, CMake; MPI in the same process,
initialised before and ended behind DART, with both MPIs; HDF5 by MPI-IO (io.c)."""
import os
import shutil
from pathlib import Path

from frame.client import INCLUDE, LIB, by_cmake, links, runs, scratch, works
from frame.script import STAGE, TESTS, check, finish, run

PROGRAM = """#include <dash/dart/if/dart.h>
#include <stdio.h>
int main(int argc, char **argv) {
    size_t size;
    int one = 1, sum = 0;
    if (dart_init(&argc, &argv) != DART_OK) return 1;
    dart_allreduce(&one, &sum, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_ALL);
    dart_size(&size);
    printf("%d of %zu\\n", sum, size);
    return dart_exit() != DART_OK;
}
"""
# MPI and DART move the same value around a ring in turns.
BESIDE_MPI = """#include <dash/dart/if/dart.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, size, value = -1, level;
    dart_global_unit_t me;
    dart_gptr_t ring;
    void *own;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int life = 0; life < 2; life++) {
        if (dart_init(&argc, &argv) != DART_OK) return 1;
        dart_myid(&me);
        dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_INT, &ring);
        dart_gptr_setunit(&ring, DART_TEAM_UNIT_ID(me.id));
        dart_gptr_getaddr(ring, &own);
        *(int *)own = -1;
        dart_barrier(DART_TEAM_ALL);
        dart_gptr_setunit(&ring, DART_TEAM_UNIT_ID((me.id + 1) % size));
        dart_put_blocking(ring, &me.id, 1, DART_TYPE_INT, DART_TYPE_INT);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Sendrecv(own, 1, MPI_INT, (rank + size - 1) % size, 0, &value, 1, MPI_INT,
                     (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (value != rank || me.id != rank) return 2;
        dart_team_memfree(ring);
        if (dart_exit() != DART_OK) return 3;
    }
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d of %d\\n", value, size);
    return MPI_Finalize();
}
"""
CMAKE = """cmake_minimum_required(VERSION 3.16)
project(prog C CXX)
find_package(Causeway 0.1 REQUIRED)
add_executable(program c.c)
target_link_libraries(program Causeway::dart)
add_executable(program_static cc.cc)
target_link_libraries(program_static Causeway::dart_static)
"""
LAUNCH = {"mpich": ["mpiexec.hydra", "-n", "3"],
          "openmpi": ["orterun", "--oversubscribe", "-np", "3"]}


def beside_mpi(mpi, source, *flags):
    """The output of the program's three units, sorted."""
    os.environ["OSHCC_CC"] = f"mpicc.{mpi}"
    done = works(STAGE / "bin/oshcc", *flags, source, "-ldart-causeway", "-ldart-base", "-o", mpi)
    del os.environ["OSHCC_CC"]
    what = f"{mpi}, {Path(source).name}"
    if not check(done.returncode == 0, f"{what}: links", done.stderr):
        return []
    job = works(*LAUNCH[mpi], f"./{mpi}")
    check(job.returncode == 0, f"{what}: runs", job.stdout, job.stderr)
    return sorted(job.stdout.splitlines())


def with_mpi(mpi):
    said = beside_mpi(mpi, "mpi.c")
    check(said == ["3 of 3"] * 3, f"{mpi}: one value", said)
    said = beside_mpi(mpi, TESTS / "dart/io.c", f"-I{TESTS}", "-rdynamic")
    check(len(said) == 3 and all(line.endswith(", 0 failed") for line in said), f"{mpi}: HDF5",
          said)


def main():
    with scratch():
        Path("c.c").write_text(PROGRAM)
        Path("cc.cc").write_text(PROGRAM)
        links("C", "cc", INCLUDE, "c.c", LIB, "-ldart-causeway")
        links("C, archive", "cc", INCLUDE, "c.c", LIB, "-l:libdart-causeway.a")
        links("C++", "c++", INCLUDE, "cc.cc", LIB, "-ldart-causeway")
        links("oshcc", STAGE / "bin/oshcc", "c.c", "-ldart-causeway")
        links("oshcc, dart-base", STAGE / "bin/oshcc", "c.c", "-ldart-causeway", "-ldart-base")
        links("archives", "cc", INCLUDE, "c.c", LIB, "-l:libdart-causeway.a", "-l:libdart-base.a")
        if shutil.which("pkg-config"):
            links("pkg-config", "cc", "c.c",
                  *run("pkg-config", "--cflags", "--libs", "causeway-dart").split())
        if shutil.which("cmake"):
            by_cmake(CMAKE)
        Path("mpi.c").write_text(BESIDE_MPI)
        os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        for mpi, command in LAUNCH.items():
            if shutil.which(f"mpicc.{mpi}") and shutil.which(command[0]):
                with_mpi(mpi)
    finish()


if __name__ == "__main__":
    main()
